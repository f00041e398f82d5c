# SPDX-License-Identifier: BSD-2-Clause
"""Programs that count themselves by r10k_counters(5): compiled with its headers, run on Quipu."""

import guest
import linux_program

# For the launcher: 16 ns an instruction, so a tick is 625,000, however busy the host is.
SLOW = ["--", "-icount", "shift=4,sleep=off"]


def built(name, arch):
    return linux_program.counting(name, arch, "libperfex.a", "-Wno-unused-function")


def run(name, arch, *arguments, **options):
    return linux_program.run(built(name, arch), arch, *arguments, **options)
