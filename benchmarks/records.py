"""What the scripts that read benchmarks' records have in common."""
import json


class Malformed(Exception):
    """A file that is not what it should be; says which, and what of it."""


def read(path, what, parse):
    """`parse` of a file's JSON; None where there is no such file.

    Raises Malformed where the file is no JSON, or `parse` misses something in it."""
    try:
        return parse(json.loads(path.read_text()))
    except FileNotFoundError:
        return None
    except KeyError as e:
        raise Malformed(f"{path} is no file of {what}: something in it has no {e}") from e
    except (OSError, ValueError, TypeError, AttributeError) as e:
        raise Malformed(f"{path} is no file of {what}: {e}") from e


def require(data, *keys):
    """KeyError where the file has not one of them: before anything is written."""
    for key in keys:
        data[key]


def positive(row, key):
    """The number `row[key]`. ValueError where it is none, or not above 0: ratios are made of it."""
    value = row[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise ValueError(f"{key} is {value!r}, and not a number above 0")
    return value


def version_text(version):
    """CUB's, CCCL's."""
    return f"{version // 100000}.{version // 100 % 1000}.{version % 100}"


def whole(folder, name):
    """A link to all that a benchmark has written: its table, or its figures where that is not there."""
    return f"[all figures]({name}.md)" if (folder / f"{name}.md").is_file() else f"[all figures]({name}.json)"


def other_run(record, beside, what):
    """A line where a record's GPU or commit is not that of another."""
    if (record["gpu"], record["commit"]) == (beside["gpu"], beside["commit"]):
        return []
    return [f"**{what} of another run:** {record['gpu']}, commit {record['commit']}.", ""]
