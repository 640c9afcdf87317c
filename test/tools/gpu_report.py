#!/usr/bin/env python3
"""Sums up one `./dev gpu` run: prints a table, and writes benchmarks/results/<gpu>/tests.json.

usage: gpu_report.py FOLDER [--no-json]

FOLDER holds tests.xml (JUnit, by ctest) and <tool>/<test>.rc and .log for each tool of
compute-sanitizer. Exits with 1 where anything failed, was skipped or is missing.
"""
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
LEFT_OUT = "*[large]*,*[trap]*"  # doctest cases that ./dev leaves out under the sanitizers


def output_of(*command):
    """The output of a command, or None if it fails or does not exist."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def gpu():
    listed = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    name, driver = listed.splitlines()[0].split(", ")
    known = re.search(r"\b([HAB]\d{2,3}|L\d{1,2}S?)\b", name)
    slug = (known.group(1) if known else re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")).lower()
    return name, driver, slug


def git_state():
    """The hashes of the commit and of the trees, from .git or, in a copy, from .git-trees (see cmd_gpu)."""
    copy = pathlib.Path(".git-trees")
    if copy.exists():
        lines = copy.read_text().splitlines()
        known = dict(line.split(maxsplit=1) for line in lines if line.strip())
        return {name: known.get(name) for name in ("commit", "include", "test")}
    if output_of("git", "rev-parse", "HEAD") is None:
        return {"commit": None, "include": None, "test": None}
    changed = output_of("git", "status", "--porcelain", "--", "include", "test", "cmake")
    return {
        "commit": output_of("git", "rev-parse", "HEAD") + ("-dirty" if changed else ""),
        "include": output_of("git", "rev-parse", "HEAD:include"),
        "test": output_of("git", "rev-parse", "HEAD:test"),
    }


def counts(output):
    """Test cases and assertions that ran, from doctest's last lines."""
    found = {}
    for what, key in (("test cases", "cases"), ("assertions", "assertions")):
        match = re.search(what + r":\s*(\d+)", output)
        found[key] = int(match.group(1)) if match else 0
    return found


def read_tests(folder):
    tests = []
    for case in xml.etree.ElementTree.parse(folder / "tests.xml").getroot().iter("testcase"):
        result = {"run": "passed", "fail": "failed"}.get(case.get("status"), "skipped")
        tests.append({
            "name": case.get("name"),
            **counts(case.findtext("system-out") or ""),
            "result": result,
            "seconds": round(float(case.get("time")), 2),
        })
    return tests


def read_sanitizer(folder, tool, names):
    results = {}
    for name in names:
        rc_file, log_file = folder / tool / f"{name}.rc", folder / tool / f"{name}.log"
        if not rc_file.exists():
            results[name] = "not run"
            continue
        log = log_file.read_text(errors="replace")
        if "no test case ran" in log:
            results[name] = "left out"  # all of its cases are left out
        else:
            results[name] = "clean" if rc_file.read_text().strip() == "0" else "failed"
    return results


def main():
    folder = pathlib.Path(sys.argv[1])
    tests = read_tests(folder)
    names = [test["name"] for test in tests]
    sanitizers = {tool: read_sanitizer(folder, tool, names) for tool in TOOLS}

    width = max([len(name) for name in names] + [4])
    head = f"{'test':{width}}  {'result':8} {'cases':>5} {'asserts':>9} {'s':>7}"
    print(head + "".join(f"  {tool:9}" for tool in TOOLS))
    for test in tests:
        row = (f"{test['name']:{width}}  {test['result']:8} {test['cases']:5} "
               f"{test['assertions']:9} {test['seconds']:7.2f}")
        print(row + "".join(f"  {sanitizers[tool][test['name']]:9}" for tool in TOOLS))
    print(f"Under the sanitizers, cases named {LEFT_OUT} are left out.")

    # An example has no assertions to count: its exit code says whether its results were right.
    bad = [test["name"] for test in tests if test["result"] != "passed"
           or not (test["assertions"] or test["name"].startswith("examples/"))]
    bad += [f"{name} ({tool})" for tool in TOOLS for name, result in sanitizers[tool].items()
            if result in ("failed", "not run")]
    print(f"GPU tests: {sum(test['result'] == 'passed' for test in tests)} of {len(tests)} passed; "
          + "; ".join(f"{tool}: {list(sanitizers[tool].values()).count('clean')} clean"
                      for tool in TOOLS))
    if bad:
        print("not passed: " + ", ".join(bad))

    if "--no-json" not in sys.argv:
        name, driver, slug = gpu()
        version = output_of(os.environ.get("CUDACXX", "nvcc"), "--version") or ""
        nvcc = re.search(r"release ([\d.]+)", version)
        git = git_state()
        record = {
            "gpu": name,
            "driver": driver,
            "cuda": nvcc.group(1) if nvcc else None,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "commit": git["commit"],
            "trees": {"include": git["include"], "test": git["test"]},
            "tests": tests,
            "sanitizers": {"left_out": LEFT_OUT, **sanitizers},
        }
        path = pathlib.Path("benchmarks/results") / slug / "tests.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=2) + "\n")
        print(f"wrote {path}")
    return 1 if bad or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
