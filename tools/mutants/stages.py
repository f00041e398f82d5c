# SPDX-License-Identifier: BSD-2-Clause
"""The tests that a mutant goes through: which, from the table `tests`, and how each is run."""

import dataclasses
import fnmatch
import functools
import os
import pathlib
import re
import signal
import subprocess
import time

import build

TESTS = build.ROOT / "tools" / "mutants" / "tests"
# By the host's clock, whatever the guest believes. A mutant that is not through by then hangs.
LIMITS = {"unit": 60, "pytest": 1800}
SELFTESTS = 90
ONE_TEST = 150  # of pytest: it fails then
# What tests and the launcher have made by themselves, without our flags.
PROGRAMS = [f"user-{arch}" for arch in ("x86_64", "mips")]
PROGRAMS += [f"build/{arch}/user/{library}.a" for arch in ("x86_64", "mips") for library in ("libperfex", "libquipu")]
OF_THE_CHECKED = "tests/qemu/test_locks.py"  # with it that build is made, too
LONGEST_LINE = 4096  # that `./quipu run -c` takes
# The guests in which self-tests run: architecture and CPUs.
MACHINES = {"self": ("x86_64", 1), "self4": ("x86_64", 4), "mips": ("mips", 1)}
MACHINES.update({"every": MACHINES["self"], "mips-every": MACHINES["mips"]})


@dataclasses.dataclass(frozen=True)
class Stage:
    """kind: "unit", one of MACHINES, or "pytest"; what: the names that it is given, none for all self-tests."""

    kind: str
    what: tuple

    def __str__(self):
        return f"{self.kind} {' '.join(self.what)}".strip()

    def command(self, number=0):
        """How it runs with mutant NUMBER; one failure is enough of a mutant."""
        if self.kind == "unit":
            each = 'for name; do "$0" "tests/host/$name" || exit 1; done'
            return ["sh", "-c", each, str(build.TREE / build.UNIT), *self.what]
        if self.kind == "pytest":
            command = ["/usr/bin/python3", "-m", "pytest", "-n", "0", "-x", "-p", "no:cacheprovider", "-rfE"]
            return [*command, f"--timeout={ONE_TEST}", "--timeout-method=signal", *self.what]
        arch, cpus = MACHINES[self.kind]
        command = [str(build.TREE / "quipu"), "run", "--test", "--arch", arch, "--cpus", str(cpus)]
        return [*command, "--timeout", str(SELFTESTS - 15), "-c", self.line("-x" if number else "")]

    def goals(self):
        """What is built for it."""
        if self.kind == "unit":
            return [build.UNIT]
        if self.kind == "pytest":
            return ["all", "plugins", build.UNIT, *PROGRAMS, *(["checked"] if OF_THE_CHECKED in self.what else [])]
        arch, _cpus = MACHINES[self.kind]
        return [f"build/{arch}/quipu-test", f"user-{arch}", "build/plugins/qpmu.so"]

    def line(self, option=""):
        """What a guest is told."""
        words = ["selftest", option, *self.what]
        return " ".join(([BESIDE] if "every" in self.kind else []) + [word for word in words if word])

    @property
    def is_quick(self):
        """All self-tests take a minute, and rarely notice what nothing before them has."""
        return self.kind != "pytest" and "every" not in self.kind

    @property
    def limit(self):
        return LIMITS.get(self.kind, SELFTESTS)

    def without(self, others):
        """The same but for single tests of pytest among OTHERS."""
        if self.kind != "pytest":
            return self
        names = sorted(other.what[0] for other in others if other.kind == "pytest" and len(other.what) == 1)
        return Stage(self.kind, (*self.what, *(f"--deselect={name}" for name in names)))


@functools.cache
def table():
    """[(pattern, stages)] as the file TESTS has them."""
    rows = []
    for line in TESTS.read_text().splitlines():
        pattern, *words = line.split("#")[0].split() or [""]
        if pattern:
            rows.append((pattern, [*_stages(words)]))
    return rows


def _stages(words):
    files = []
    for word in words:
        kind, equals, names = word.partition("=")
        if equals and kind in ("unit", *MACHINES):
            yield Stage(kind, tuple(names.split(",")))
        elif not _is_test(word):
            raise SystemExit(f"mutants: {TESTS}: {word} is neither a stage nor a test")
        else:
            files.append(f"tests/{word}")
    if files:
        yield Stage("pytest", tuple(files))


def _is_test(word):
    name, _, test = word.partition("::")
    path, function = build.ROOT / "tests" / name, test.partition("[")[0]
    return path.is_file() and (not test or f"\ndef {function}(" in path.read_text())


# So that the laws, with which selftest ends, are about something of each kind.
BESIDE = "ping -c 2 -i 0.01 127.0.0.1; devctl create md 1; sum md0; dd if=zero of=md0 bs=64k count=8;"
# What is in the kernel goes through all self-tests, after those that are about it ("self" or "mips").
IN_KERNEL = ("stats/*", "kernel/*", "arch/*", "drivers/*", "fs/*", "net/*")
ALL = {"self": Stage("every", ()), "mips": Stage("mips-every", ())}


def stages_of(path):
    """Those of the first pattern that PATH matches, and ALL of the kinds that it has."""
    for pattern, stages in table():
        if fnmatch.fnmatch(path, pattern):
            kinds = {stage.kind for stage in stages} if any(fnmatch.fnmatch(path, each) for each in IN_KERNEL) else set()
            return [*stages, *(stage for kind, stage in ALL.items() if kind in kinds)]
    raise SystemExit(f"mutants: {TESTS} says nothing of {path}")


def passing(stage, outcome):
    """STAGE with those of its self-tests alone that passed in OUTCOME: whole groups, named by the word before their first
    hyphen, where none of a group failed. None if none passed, or it is no such stage, or the line would be too long."""
    if stage.kind not in MACHINES:
        return None
    passed = re.findall(r"^(\S+) ok", outcome.said, re.M)
    failed = re.findall(r"^(\S+) FAILED", outcome.said, re.M)
    groups = {name: name.partition("-")[0] for name in passed}
    bad = {group for group in groups.values() if any(name.startswith(group) for name in failed)}
    names = dict.fromkeys(name if groups[name] in bad else groups[name] for name in passed)
    less = Stage(stage.kind, tuple(names))
    return less if names and less != stage and len(less.line("-x")) <= LONGEST_LINE else None


@dataclasses.dataclass
class Outcome:
    """verdict: "passed", "failed" or "hangs"; said: the end of what it printed."""

    verdict: str
    said: str
    seconds: float

    def failure(self):
        """The line that names what failed."""
        for line in self.said.splitlines():
            if re.search(r"FAILED|: .* failed|^ERROR|panic", line):
                return line.strip()[:160]
        return (self.said.strip().splitlines() or ["no word"])[-1][:160]

    def failed_tests(self, stage):
        """The names by which pytest would run the failed ones again; none for other stages. Parameters have spaces."""
        named = re.findall(r"^(?:FAILED|ERROR) ([^\s[]+(?:\[.*?\](?= - |$))?)", self.said, re.M)
        return named if stage.kind == "pytest" else []


def run(stage, number, limit=None):
    """One stage with mutant NUMBER. Ends all that it has started, whatever happens. LIMIT: seconds."""
    environment = {
        **build.environment(),
        "QUIPU_MUTANT": str(number),
        "QUIPU_WORDS": f"mutant={number}",
        "QUIPU_NO_INSTALL": "1",
        "QUIPU_PATIENCE": "40",
        "ASAN_OPTIONS": "detect_leaks=0",
    }
    begin = time.monotonic()
    process = subprocess.Popen(
        stage.command(number),
        cwd=build.TREE,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    verdict = None
    try:
        said, _ = process.communicate(timeout=stage.limit if limit is None else limit)
    except subprocess.TimeoutExpired:
        verdict = "hangs"
        said = b""
    finally:
        _end(process)
    verdict = verdict or ("passed" if process.returncode == 0 else "failed")
    return Outcome(verdict, said.decode("utf-8", "replace")[-20000:], time.monotonic() - begin)


def _end(process):
    if process.poll() is None:
        end_descendants(process.pid)
        process.kill()
        process.wait()
        process.stdout.close()


def end_descendants(pid):
    """All that came from a process; emulators are in sessions of their own, so that no group has them all."""
    for each in _descendants(pid):
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            pass


def _descendants(pid):
    found = []
    for child in _children().get(pid, []):
        found += [*_descendants(child), child]
    return found


def _children():
    tree = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        parent = int(text.rpartition(")")[2].split()[1])
        tree.setdefault(parent, []).append(int(stat.parent.name))
    return tree
