"""Functions for the scripts that read the records of benchmarks."""
import json


class Malformed(Exception):
    """A file is not a valid record. The message names the file and the error."""


def read(path, what, parse):
    """Returns `parse` of the JSON of a file, or None if the file does not exist.

    Raises Malformed if the file is not JSON, or if `parse` fails."""
    try:
        return parse(json.loads(path.read_text()))
    except FileNotFoundError:
        return None
    except KeyError as e:
        raise Malformed(f"{path} is not a valid file of {what}: a part of it has no {e}") from e
    except (OSError, ValueError, TypeError, AttributeError) as e:
        raise Malformed(f"{path} is not a valid file of {what}: {e}") from e


def require(data, *keys):
    """Raises KeyError if a key is missing, before the script writes anything."""
    for key in keys:
        data[key]


def positive(row, key):
    """Returns the number `row[key]`. Raises ValueError unless it is above 0, because ratios use it."""
    value = row[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise ValueError(f"{key} is {value!r}; it must be a number above 0")
    return value


def version_text(version):
    """The version of CUB or CCCL as text."""
    return f"{version // 100000}.{version // 100 % 1000}.{version % 100}"


def whole(folder, name):
    """A link to the whole record of a benchmark: its table, or its JSON if there is no table."""
    return f"[all figures]({name}.md)" if (folder / f"{name}.md").is_file() else f"[all figures]({name}.json)"


def other_run(record, beside, what):
    """A line if the GPU or the commit of two records differ."""
    if (record["gpu"], record["commit"]) == (beside["gpu"], beside["commit"]):
        return []
    return [f"**{what} of another run:** {record['gpu']}, commit {record['commit']}.", ""]
