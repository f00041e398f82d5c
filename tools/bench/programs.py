# SPDX-License-Identifier: BSD-2-Clause
"""What Quipu and the counters, nobody counting, cost a program that only computes: CPU time of `./quipu exec -e none` over
that of the same executable under QEMU's emulation of Linux' calls. `make bench-programs`.

The program is tests/programs/benchmark.c. Starting and ending is not in it: of each the time of 1 round is subtracted.
Medians, taken in turns, so that a busy host spoils both alike. Then the spread of its user instructions in ten runs of one
boot, alone and beside itself.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / place) for place in ("tools/run", "tests/qemu")]

# pylint: disable=wrong-import-position
import guest  # noqa: E402
import linux_program  # noqa: E402
import program_script  # noqa: E402

EMULATORS = {"x86_64": "qemu-x86_64", "mips": "qemu-mips64"}


def seconds(command, rounds):
    """CPU time of COMMAND and what it starts, in user mode."""
    before = os.times().children_user
    command = [str(word) for word in [*command, rounds]]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=guest.environment(), check=False)
    if done.returncode != 0 or done.stdout.count(b"\n") != 5:
        sys.exit(f"programs: {' '.join(command)}: {done.stdout.decode()}{done.stderr.decode()}")
    return os.times().children_user - before


def measure(arch, rounds, runs):
    """(seconds under the emulator alone, seconds on Quipu), medians."""
    executable = linux_program.compiled("benchmark", arch)
    commands = [[EMULATORS[arch], executable], [ROOT / "quipu", "exec", "-e", "none", executable]]
    took = [[], []]
    for _ in range(runs):
        for times, command in zip(took, commands):
            times.append(seconds(command, rounds) - seconds(command, 1))
    return [statistics.median(times) for times in took]


def spread(arch, beside):
    """Between most and least user instructions of ten runs; BESIDE: another takes turns with them."""
    counted = "pmc stat -e instructions:u exec benchmark 50"
    line = ("benchmark 2000 > /tmp/x & " if beside else "") + "; ".join([counted] * 10)
    text = program_script.run(line, programs=("benchmark",), arch=arch).text
    counts = [int(count) for count in re.findall(r"^ *(\d+) +instructions:u", text, re.M)]
    return max(counts) - min(counts) if len(counts) == 10 else "?"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=4000)
    chosen = parser.parse_args()
    for arch, emulator in EMULATORS.items():
        if why := linux_program.missing(arch) or guest.need(emulator):
            print(f"{arch}: {why}")
            continue
        alone, quipu = measure(arch, chosen.rounds, chosen.runs)
        print(f"{arch}: {alone:.2f} s under {emulator}, {quipu:.2f} s on Quipu: {quipu / alone:.2f} times")
        print(f"{arch}: instructions:u of ten runs differ by {spread(arch, False)}, beside another by {spread(arch, True)}")


if __name__ == "__main__":
    main()
