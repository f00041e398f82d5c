# SPDX-License-Identifier: BSD-2-Clause
"""One minute of the soak, on both machines at once; `make soak MINUTES=` is more of the same."""

import subprocess
import sys

import pytest

import guest


@pytest.mark.timeout(450)
def test_one_minute():
    """Random jobs, moves and tests: no panic, no hang, no wrong number. What fails names its seed and round."""
    command = [sys.executable, guest.ROOT / "tools" / "soak" / "soak.py", "--minutes", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stdout
