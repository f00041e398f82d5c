# SPDX-License-Identifier: BSD-2-Clause
"""What the plugin qpmu costs a guest that knows nothing of it: user CPU time of QEMU until Debian's Linux has started its first
program, over that without the plugin. `make bench-guests`; it wants a QEMU with the transparent mode, and apt for the kernels.

A PC's Linux uses a counter of its own from the start, for its watchdog, unless it is told not to. Medians, taken in turns.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parents[2] / place) for place in ("tools/run", "tests/qemu", "tests/guests")]

import linux_guest  # noqa: E402
import probe  # noqa: E402

WORDS = {"x86_64": ["", "nmi_watchdog=0"], "mipsel": ["rdinit=/init"]}


def user_seconds(command):
    before = os.times().children_user
    linux_guest.run(command)
    return os.times().children_user - before


def measure(machine, words, runs, folder):
    image, reason = linux_guest.kernel_of(machine)
    reason = reason or probe.transparent(linux_guest.MACHINES[machine][0])
    if reason:
        print(f"{machine}: not measured: {reason}")
        return
    archive = linux_guest.program(machine, "boot_guest", folder)
    command = linux_guest.command(machine, image, archive, words)
    without, idle = [], []
    for _ in range(runs):
        without.append(user_seconds(command))
        idle.append(user_seconds([*command, "-plugin", linux_guest.PLUGIN]))
    first, second = statistics.median(without), statistics.median(idle)
    print(f"{machine:8} {words:16} {first:6.2f} s {second:6.2f} s {second / first:5.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print(f"user CPU time of QEMU until Linux' first program, without qpmu and with it; the median of {options.runs}")
    with tempfile.TemporaryDirectory() as folder:
        for machine, each in WORDS.items():
            for words in each:
                (pathlib.Path(folder) / machine).mkdir(exist_ok=True)
                measure(machine, words, options.runs, pathlib.Path(folder) / machine)


if __name__ == "__main__":
    main()
