#!/usr/bin/env python3
"""Tests ./dev itself: its help, its errors, and the question before it uses sudo.

usage: dev_test.py

Setup runs in a copy of ./dev and tools/. In its PATH, packages are missing, and id, sudo and apt-get are
stand-ins that only record their calls.
"""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The programs that ./dev and setup call, except those that setup looks for.
PROGRAMS = ["bash", "cat", "cksum", "dirname", "find", "mkdir", "nproc", "sed", "tail", "touch"]
REQUIRED = ["g++", "cmake", "ninja"]


def dev(*arguments, **options):
    return subprocess.run([ROOT / "dev", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)


def sources():
    return {path.name: path.read_text() for path in (ROOT / "tools").glob("*.sh")}


class Help(unittest.TestCase):
    def setUp(self):
        done = dev("help")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.text = done.stdout

    def test_it_lists_every_command(self):
        commands = [name for text in sources().values() for name in re.findall(r"^cmd_(\w+)\(\)", text, re.M)]
        self.assertGreater(len(commands), 9)
        for command in commands:
            if not command.startswith("_"):
                self.assertRegex(self.text, rf"(?m)^  {command}\b")

    def test_every_command_of_it_exists(self):
        functions = "".join(sources().values())
        for command in re.findall(r"(?m)^  ([a-z]+)\b", self.text):
            if command != "help":
                self.assertIn(f"cmd_{command}() {{", functions)

    def test_it_lists_every_option(self):
        options = {option for text in sources().values() for option in re.findall(r"^ *(--[a-z]+)=?\*?\)", text, re.M)}
        options |= {option for text in sources().values() for option in re.findall(r"== (--[a-z]+) ]]", text)}
        self.assertLessEqual({"--preset", "--only", "--cuda", "--files", "--seconds", "--check"}, options)
        for option in options | {"--yes"}:
            self.assertRegex(self.text, rf"{option}\b")

    def test_it_lists_every_preset(self):
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        for preset in presets:
            if not preset.get("hidden"):
                self.assertRegex(self.text, rf"(?m)^ +{preset['name']}  ")

    def test_it_is_also_said_without_a_command(self):
        for arguments in [], ["-h"], ["--help"]:
            done = dev(*arguments)
            self.assertEqual((done.returncode, done.stdout), (0, self.text))


class Errors(unittest.TestCase):
    def test_an_unknown_command(self):
        for arguments in ["tset"], ["--yes", "tset"], ["tset", "--yes"]:
            done = dev(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout, "error: there is no command 'tset'; ./dev help lists the commands\n")

    def test_an_unknown_argument(self):
        done = dev("fuzz", "--files", "--second")
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown argument --second", done.stdout)


class OtherMachine(unittest.TestCase):
    """A machine on which packages are missing."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        shutil.copy(ROOT / "dev", self.folder)
        shutil.copytree(ROOT / "tools", self.folder / "tools")
        self.link(*PROGRAMS)
        self.fake("env", 'while [[ $1 == *=* ]]; do shift; done; exec "$@"')
        self.fake("sudo", 'echo sudo >>"$CALLS"; exec "$@"')
        self.fake("apt-get", 'echo "apt-get $*" >>"$CALLS"')
        self.user(1000)

    def link(self, *names):
        for name in names:
            program = shutil.which(name)
            self.assertIsNotNone(program, f"{name} is missing")
            (self.bin / name).symlink_to(program)

    def fake(self, name, body):
        path = self.bin / name
        path.write_text(f"#!{shutil.which('bash')}\n{body}\n")
        path.chmod(0o755)

    def user(self, number):
        self.fake("id", f"echo {number}")

    def dev(self, *arguments, answer=None, **variables):
        """Runs ./dev, on a terminal if there is an answer. Sets `code`, `output` and `calls`."""
        calls = self.folder / "calls"
        calls.write_text("")
        environment = {"PATH": str(self.bin), "CALLS": str(calls), **variables}
        command = [shutil.which("bash"), self.folder / "dev", *arguments]
        if answer is None:
            done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        else:
            ours, theirs = pty.openpty()
            os.write(ours, f"{answer}\n".encode())
            done = subprocess.run(command, env=environment, stdin=theirs, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            os.close(ours)
            os.close(theirs)
        self.code, self.output, self.calls = done.returncode, done.stdout, calls.read_text()


class Setup(OtherMachine):
    """./dev setup where packages are missing."""

    def assert_asked(self):
        self.assertEqual(self.output.count("Install them with sudo apt-get?"), 1, self.output)
        before = self.output.split("Install them")[0]
        for package in "g++", "cmake", "ninja-build", "clang", "libtbb-dev":
            self.assertIn(package, before)

    def assert_installs(self, calls):
        self.assertIn("apt-get -y -qq -o Acquire::Retries=1 install --no-install-recommends g++ cmake", calls)

    def test_it_asks_once_and_takes_yes(self):
        self.dev("setup", answer="y")
        self.assert_asked()
        self.assert_installs(self.calls)
        self.assertEqual(self.calls.count("sudo\n"), 2)  # update and install

    def test_it_asks_once_and_takes_no(self):
        for answer in "n", "":
            self.dev("setup", answer=answer)
            self.assert_asked()
            self.assertEqual(self.calls, "")
            self.assertEqual(self.code, 1)
            self.assertIn("these packages are required: g++ cmake ninja-build doctest-dev", self.output)

    def test_without_a_terminal_it_says_what_to_do(self):
        self.dev("setup")
        self.assertEqual(self.calls, "")
        self.assertEqual(self.code, 1)
        self.assertIn("./dev setup --yes", self.output)
        self.assertIn("sudo apt-get install g++ cmake", self.output)
        self.assertIn("these packages are required: g++ cmake", self.output)

    def test_without_a_terminal_it_goes_on_without_optional_packages(self):
        self.link(*REQUIRED)
        if not pathlib.Path("/usr/include/doctest/doctest.h").exists():
            self.skipTest("the compiler does not find doctest")
        self.dev("setup")
        self.assertEqual(self.calls, "")
        self.assertEqual(self.code, 0, self.output)
        self.assertRegex(self.output, "missing, and everything that needs it is not built: .*clang")

    def test_yes_and_CI_do_not_ask(self):
        for arguments, variables in ([["setup", "--yes"], {}], [["--yes", "setup"], {}], [["setup"], {"CI": "true"}]):
            for answer in None, "n":
                self.dev(*arguments, answer=answer, **variables)
                self.assertNotIn("Install them", self.output)
                self.assert_installs(self.calls)
                self.assertIn("sudo\n", self.calls)

    def test_root_needs_no_sudo(self):
        self.user(0)
        self.dev("setup")
        self.assertNotIn("Install them", self.output)
        self.assert_installs(self.calls)
        self.assertNotIn("sudo", self.calls)


class Demo(OtherMachine):
    """./dev demo without a GPU."""

    def test_it_fetches_and_runs_no_CUDA_compiler(self):
        self.link("grep", "head", "rm")
        self.fake("ninja", "exit 0")
        self.fake("g++", "[[ $1 != -E ]] || cat >/dev/null")  # has every header
        self.fake("cmake", 'echo "cmake $*" >>"$CALLS"')
        self.fake("nvcc", 'echo nvcc >>"$CALLS"')
        self.dev("demo", "--yes")
        self.assertIn("no GPU: CUDA code is not built (--cuda builds it)", self.output)
        self.assertRegex(self.calls, "cmake --preset demo .*-DWARPFOLD_BUILD_CUDA=OFF")
        self.assertNotIn("nvcc", self.output + self.calls)

        self.dev("demo", "--cuda", "--yes")
        self.assertIn(f"nvcc: {self.bin}/nvcc", self.output)
        self.assertRegex(self.calls, "cmake --preset demo .*-DWARPFOLD_BUILD_CUDA=ON")


if __name__ == "__main__":
    unittest.main()
