# SPDX-License-Identifier: BSD-2-Clause
"""Guest instructions, of programs and kernel together, of what programs ask of a kernel: a null system call, a page
fault, a byte there and back by two pipes, fork or vfork and execve with the child's end and wait; and from the kernel's
first instruction to a program's main. `make bench-turns`, with LINUX=VMLINUZ also of that kernel, on the same QEMU with
the same executable.

Then how some of them grow with processes that wait beside it, and with mappings that the process has.

The program is tests/programs/measure.c, counted from its main to its exit by tools/plugins/count.c; of two runs that
differ by so many turns the difference is divided. Medians.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / place) for place in ("tools/run", "tools/bench", "tests/qemu")]

# pylint: disable=wrong-import-position
import archive  # noqa: E402
import guest  # noqa: E402
import linux_program  # noqa: E402
import linked  # noqa: E402

PLUGIN = ROOT / "build" / "plugins" / "count.so"
TURNS = {
    "getpid": ("null system call", 1000, 11000),
    "fault": ("page fault (demand zero)", 100, 1100),
    "pipe": ("there and back by two pipes", 100, 1100),
    "fork": ("fork, exit, wait", 10, 110),
    "exec": ("vfork, execve, exit, wait", 10, 110),
    "map": ("mmap and munmap of a page", 100, 1100),
}
# What may grow with what; under -icount, so that the clock interrupts as often as it does for so many instructions.
GROWTH = [("getpid", "processes"), ("pipe", "processes"), ("fork", "processes"), ("exec", "processes"), ("fault", "processes")]
GROWTH += [("map", "mappings"), ("fault", "mappings"), ("exec", "mappings"), ("fork", "mappings")]
SIZES = (10, 100, 1000)
ROOM = ("--memory", "512", "--deterministic")
LINUX_ENTRY = 0x100000  # where the boot protocol puts the part of a bzImage that unpacks it
SWITCH = ("user_state_save", "user_state_load")  # a thread's registers of user mode that the kernel does not use


def elf(arch):
    return ROOT / "build" / arch / "quipu.elf"


def quipu(arch, words, measures, more=()):
    """What the plugin wrote, in lines of words."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "count"
        command = [sys.executable, ROOT / "tests" / "qemu" / "program_script.py", "measure", "--arch", arch, "--no-pmu"]
        command += [*more, "--commands", f"/bin/measure {words}", "--", "-plugin", f"{PLUGIN},out={out},{measures}"]
        done = subprocess.run(list(map(str, command)), capture_output=True, env=guest.environment(), check=False)
        if done.returncode != 0:
            sys.exit(f"turns: {done.stdout.decode()}{done.stderr.decode()}")
        return [line.split() for line in out.read_text().splitlines()]


def linux(kernel, words, measures):
    """The same of Linux, whose only program measure is."""
    with tempfile.TemporaryDirectory() as folder:
        out, initrd = (pathlib.Path(folder) / name for name in ("count", "initrd"))
        initrd.write_bytes(archive.pack([archive.File("measure", linux_program.compiled("measure", "x86_64").read_bytes())]))
        command = ["qemu-system-x86_64", "-M", "pc", "-cpu", "max", "-m", "256", "-display", "none", "-nodefaults", "-no-reboot"]
        command += ["-kernel", kernel, "-initrd", initrd, "-plugin", f"{PLUGIN},out={out},{measures}"]
        command += ["-append", f"nokaslr quiet panic=-1 rdinit=/measure -- {words}"]
        subprocess.run(list(map(str, command)), check=True, timeout=guest.PATIENCE * 4)
        return [line.split() for line in out.read_text().splitlines()]


def turn(run, what, program, beside=""):
    """Instructions of one turn, by RUN(words, measures)."""
    _, few, more = TURNS[what]
    measures = f"from={program['main']},until={program['exit']}"
    counts = [int(run(f"{what} {n}{beside}", measures)[0][3]) for n in (few, more)]
    return (counts[1] - counts[0]) / (more - few)


def rows(run, entry, program, runs):
    """{what: instructions}, medians."""
    found = {"main": [int(run("getpid 1", f"from={entry},until={program['main']}")[0][3]) for _ in range(runs)]}
    found |= {what: [turn(run, what, program) for _ in range(runs)] for what in TURNS}
    return {what: statistics.median(counts) for what, counts in found.items()}


def growth(arch, program):
    """[(what, how many of what there are beside it, instructions of one turn)]."""

    def run(words, measures):
        return quipu(arch, words, measures, ROOM)

    return [(what, f"{size} {beside}", turn(run, what, program, f" {beside} {size}")) for what, beside in GROWTH for size in SIZES]


def switch(arch, kernel):
    """Instructions of saving and loading the registers, where programs take turns."""
    spans = [f"start={kernel[name]}," + ",".join(f"end={end:#x}" for end in linked.returns(elf(arch), arch, name)) for name in SWITCH]
    slot = arch == "mips"  # behind the jump
    return sum(int(line[5]) + slot for line in quipu(arch, "pipe 1000", ",".join(spans)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--linux", help="a bzImage, as /boot/vmlinuz-*")
    chosen = parser.parse_args()
    columns, switches, growths = {}, {}, {}
    for arch in linux_program.COMPILERS:
        if why := linux_program.missing(arch):
            print(f"{arch}: {why}")
            continue
        program, kernel = linked.symbols(linux_program.compiled("measure", arch), arch), linked.symbols(elf(arch), arch)
        entry = kernel["start"] & 0x7FFFFFFF if arch == "x86_64" else kernel["start"]
        if arch == "x86_64" and chosen.linux:
            columns["Linux"] = rows(lambda *words: linux(chosen.linux, *words), LINUX_ENTRY, program, chosen.runs)
        columns[arch] = rows(lambda *words, arch=arch: quipu(arch, *words), entry, program, chosen.runs)
        switches[arch] = switch(arch, kernel)
        growths[arch] = growth(arch, program)
    names = {"main": "to a program's main"} | {what: words for what, (words, _, _) in TURNS.items()}
    print(f"{'guest instructions':30}" + "".join(f"{name:>16}" for name in columns))
    for what, name in names.items():
        print(f"{name:30}" + "".join(f"{round(column[what]):>16,}" for column in columns.values()))
    print(f"\n{'':46}" + "".join(f"{name:>16}" for name in growths))
    for each in zip(*growths.values()):
        what, beside, _ = each[0]
        print(f"{names[what] + ', ' + beside:46}" + "".join(f"{round(count):>16,}" for _, _, count in each))
    print()
    for arch, count in switches.items():
        print(f"{arch}: a switch of programs saves and loads their floating point and vectors in {count} instructions")


if __name__ == "__main__":
    main()
