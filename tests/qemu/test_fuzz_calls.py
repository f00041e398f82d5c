# SPDX-License-Identifier: BSD-2-Clause
"""Random system calls from user mode for a minute on each machine (tools/fuzz/calls.py): the kernel stays alive, its
laws are kept, and memory is what it was."""

import subprocess
import sys

import linux_program
import pytest

import guest

SECONDS = 60


@pytest.mark.parametrize("arch,cpus", [("x86_64", 4), ("mips", 1)])
def test_random_calls(arch, cpus):
    why = linux_program.missing(arch)
    if why:
        pytest.skip(why)
    command = [sys.executable, guest.ROOT / "tools" / "fuzz" / "calls.py", "--arch", arch, "--cpus", cpus, "--seconds", SECONDS]
    done = subprocess.run(list(map(str, command)), capture_output=True, check=False, env=guest.environment(), timeout=SECONDS + 400)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-4000:] + done.stderr.decode(errors="replace")[-4000:]
