# SPDX-License-Identifier: BSD-2-Clause
"""docs/COUNTERS.md is what the kernels say of themselves."""

import subprocess
import sys

import guest
import pytest


@pytest.mark.skipif(bool(guest.need("qemu-system-mips64") or guest.need("qemu-system-x86_64")), reason="needs both machines")
def test_counters_are_documented():
    done = subprocess.run(
        [sys.executable, guest.ROOT / "tools" / "counters" / "generate.py", "--check"],
        capture_output=True,
        text=True,
        env=guest.environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
