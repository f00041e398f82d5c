# SPDX-License-Identifier: BSD-2-Clause
"""Programs that count themselves by r10k_counters(5): compiled with its headers, run on Quipu."""

import functools
import os
import subprocess

import guest
import linux_program


# For the launcher: 16 ns an instruction, so a tick is 625,000, however busy the host is.
SLOW = ["--", "-icount", "shift=4,sleep=off"]


@functools.cache
def built(name, arch):
    made = guest.ROOT / "build" / arch / "user"
    libraries = [made / "libperfex.a", made / "libquipu.a"]
    guest.make(*(library.relative_to(guest.ROOT) for library in libraries))
    out = made / "programs" / name
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_suffix(f".{os.getpid()}")
    command = [linux_program.COMPILERS[arch], "-static", "-O2", "-pthread", "-Wall", "-Werror", "-Wno-unused-function"]
    command += ["-I", guest.ROOT / "user" / "include", "-o", part, linux_program.SOURCES / f"{name}.c", *libraries]
    subprocess.run(command, check=True)
    part.rename(out)
    return out


def run(name, arch, *arguments, **options):
    return linux_program.run(built(name, arch), arch, *arguments, **options)
