# SPDX-License-Identifier: BSD-2-Clause
"""What the plugin qpmu costs: user CPU time of QEMU over that of the same work without it. `make bench-qpmu`; `make bench`
does it too, with runs so short that the ratios are only roughly right. Where this QEMU has the transparent mode, by a guest
that knows nothing of the plugin as well.

The work is a guest of its own (tests/qemu/qpmu/work.h): sorting, hashing, copying, always the same. Medians, taken in
turns, so that a busy host spoils all alike.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parents[2] / place) for place in ("tools/run", "tests/qemu")]

import probe  # noqa: E402
import test_qpmu  # noqa: E402

# What WORK means in the guests. The PC has no counter for misses of the primary data cache.
CASES = ["without the plugin", "nobody counting", "cycles+instructions", "instructions+L1D misses", "all models"]
CASES.append("a sample each 100,000")
GOALS = ["", "1.1", "1.4", "2.5", "5", "1.6"]
# What the goals are about; less is a rough look.
RUNS, SECONDS = 7, 10


def user_seconds(command):
    before = os.times().children_user
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    answered = "magic 1" if "-plugin" in command else "magic 0"
    if not done.stdout.startswith(answered) or not done.stdout.endswith("end 0\n"):
        sys.exit(f"qpmu_overhead: the guest was to say {answered}, work and end 0: {done.stdout}{done.stderr}")
    return os.times().children_user - before


def guests(arch, guest, folder, rounds):
    source = test_qpmu.SOURCES / f"{guest}.c"
    for case in range(1, len(CASES)):
        yield test_qpmu.build(arch, source, folder / f"{guest}-{case}", f"-DWORK={case}", f"-DROUNDS={rounds}")


def measure(arch, guest, folder, options):
    first = next(guests(arch, guest, folder, 300))
    took = user_seconds(test_qpmu.command(arch, first, plugin=""))
    kernels = list(guests(arch, guest, folder, max(300, int(300 * options.seconds / took))))
    times = [[] for _ in CASES]
    for _ in range(options.runs):
        times[0].append(user_seconds(test_qpmu.command(arch, kernels[0], plugin="")))
        for case, kernel in enumerate(kernels, 1):
            times[case].append(user_seconds(test_qpmu.command(arch, kernel)))
    return [statistics.median(each) for each in times]


def report(title, arch, medians):
    print(f"{title}:")
    for name, goal, median in zip(CASES, GOALS, medians):
        if arch == "x86_64" and "L1D" in name:
            continue
        ratio = f"{median / medians[0]:5.2f}" + (f"  (goal {goal})" if goal else "")
        print(f"  {name:26} {median:7.2f} s {ratio}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args()
    rough = options.runs < RUNS or options.seconds < SECONDS
    print(
        f"user CPU time of QEMU with qpmu over without, runs: {options.runs} of {options.seconds:g} s, the median"
        + (f"; ROUGH: the goals are for {RUNS} of {SECONDS} s, `make bench-qpmu`" if rough else ""),
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="quipu-bench-") as folder:
        for arch in ("mips", "x86_64"):
            report(f"{arch}, a guest that asks for it", arch, measure(arch, arch, pathlib.Path(folder), options))
        for arch in ("mips", "x86_64"):
            if not probe.transparent(test_qpmu.BOARDS[arch][0]):
                medians = measure(arch, f"{arch}_work", pathlib.Path(folder), options)
                report(f"{arch}, a guest that knows nothing of it", arch, medians)


if __name__ == "__main__":
    main()
