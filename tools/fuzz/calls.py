# SPDX-License-Identifier: BSD-2-Clause
"""`make fuzz`: tests/programs/fuzz_calls.c, random system calls, on Quipu. One boot: the program once, then what
memory holds; the program again, then the same. The kernel has to be alive, its laws kept, its memory as before.

calls.py --arch A [--cpus N] [--seed S] [--seconds N] [--checked] [--round R]: a failure names its seed.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "run"))

# pylint: disable=wrong-import-position
import archive
import options
import protocol
import qemu
import script

COMPILERS = {"x86_64": "gcc", "mips": "mips64-linux-gnuabi64-gcc"}
SOURCES = ROOT / "tests" / "programs"
START_MS = 3000  # the first run's, after which memory is looked at
BOOT_SECONDS = 120
# Whose pages are as many as before. Small objects keep pages for later; stacks, and the tables that map them, are as many
# as there ever were threads.
GONE = ("RAM disks", "pipes", "files", "memory objects", "processes", "network buffers", "others")
# More objects by size that are no loss: a place for each stack; a directory's table that has grown; a kstat that is made
# when somebody first asks. What a call lost each time would be hundreds.
MORE = {"32": 300, "64": 4, "256": 12, "512": 12, "1024": 12, "larger": 12}


def compiled(arch):
    """The program for ARCH, in build/."""
    out = ROOT / "build" / arch / "programs" / "fuzz_calls"
    sources = [SOURCES / "fuzz_calls.c", SOURCES / "fuzz_calls.h", SOURCES / "fuzz_values.h", ROOT / "linux" / "calls.def"]
    if not out.exists() or out.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        out.parent.mkdir(parents=True, exist_ok=True)
        part = out.with_suffix(f".{os.getpid()}")
        subprocess.run([COMPILERS[arch], "-static", "-O2", "-pthread", "-w", "-o", part, sources[0]], check=True)
        part.rename(out)
    return out


class Board:
    """qemu.py's back end with an archive of our own."""

    ENDS_ITSELF = True

    def __init__(self, program, commands):
        self._program, self._commands = program, commands

    def script_command(self, chosen, work, script_module, serial):
        tag = script_module.split(b"\n", 1)[0].split()[-1].decode()
        files = [archive.File("quipu-script", protocol.module_bytes(tag, self._commands))]
        files.append(archive.File("bin/fuzz_calls", self._program.read_bytes()))
        return qemu.script_command(chosen, work, archive.pack(files), serial)


def boot(arch, cpus, commands, *, checked=False, seconds=60):
    """(status, what was printed) of COMMANDS."""
    words = ["--arch", arch, "--on", "qemu", "--boot", "direct", "--cpus", str(cpus), "--memory", "256", "--no-pmu"]
    words += ["--timeout", str(seconds + BOOT_SECONDS), "--commands", commands, *(["--checked"] if checked else [])]
    with tempfile.TemporaryDirectory(prefix="quipu-fuzz-") as work:
        chosen = options.parse(words)
        status = script.Run(chosen, Board(compiled(arch), commands), pathlib.Path(work)).finish()
    return status


def memory(text):
    """What `mem` says is in use: objects by size, pages by owner."""
    objects = re.findall(r"^ +(\d+|larger) +(\d+) +\d+ +\d+", text, re.M)
    owners = re.findall(r"^(\S.*\S) +(\d+)$", text[text.index("owner ") :], re.M)
    return dict(objects), {name: count for name, count in owners if name in GONE}


def few(of_objects, name):
    """By how many the two looks may differ: tables of System V's objects grow, and leave their small beginnings."""
    return MORE.get(name, 0) if of_objects else 0


def wrong(text):
    """What is wrong with what a boot printed; None if nothing is."""
    ends = re.findall(r"^fuzz_calls: seed \d+, \d+ rounds, (\d+) calls$", text, re.M)
    parts = text.split("== mem\n")
    if len(ends) != 2 or len(parts) != 3:
        return "the program did not end as it should"
    if "VIOLATED" in text or "violated: " in text or not re.search(r"^\d+ checks, \d+ comparisons, 0 violated$", text, re.M):
        return "a law was violated, or they were not checked"
    before, after = map(memory, parts[1:])
    lost = [
        f"{name}: {kind[name]} before, {other.get(name)} after"
        for kind, other in zip(before, after)
        for name in kind
        if not -few(kind is before[0], name) <= int(other[name]) - int(kind[name]) <= few(kind is before[0], name)
    ]
    return "left over: " + "; ".join(lost) if lost else None


def commands(seed, milliseconds, extra=""):
    """The script of a boot."""
    first, second = seed & 0xFFFFFFFF, seed + 1 & 0xFFFFFFFF
    look = "sleep 0.2; echo '== mem'; mem"
    return f"fuzz_calls {first} {START_MS}; mem; {look}; fuzz_calls {second} {milliseconds} {extra}; echo status $?; {look}; laws -n 3; ps"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", choices=COMPILERS, default="x86_64")
    parser.add_argument("--cpus", type=int, default=1)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--checked", action="store_true")
    parser.add_argument("--round", type=int, help="only this one")
    asked = parser.parse_args()
    extra = f"0 {asked.round} trace" if asked.round is not None else ""
    line = commands(asked.seed, asked.seconds * 1000, extra)
    out = tempfile.TemporaryFile()  # pylint: disable=consider-using-with
    kept = os.dup(1)
    os.dup2(out.fileno(), 1)
    status = boot(asked.arch, asked.cpus, line, checked=asked.checked, seconds=asked.seconds)
    sys.stdout.flush()
    os.dup2(kept, 1)
    out.seek(0)
    text = out.read().decode("ascii", "replace")
    fault = f"status {status}" if status else wrong(text)
    if fault:
        print(text if asked.round is not None else text[-6000:])
    print(*re.findall(r"^fuzz_calls: .*", text, re.M), sep="\n")
    print(f"fuzz: {asked.arch}, {asked.cpus} CPUs, seed {asked.seed}: {fault or 'all well'}", flush=True)
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
