# SPDX-License-Identifier: BSD-2-Clause
"""The Makefile's own checks as tests, so that pytest's closing line speaks for everything."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]


@pytest.mark.timeout(1800)  # they compile much; a busy host took longer than a test usually may
@pytest.mark.parametrize("goal", ["check", "unit"])
def test_make(goal):
    done = subprocess.run(
        ["make", "-C", ROOT, "--no-print-directory", goal],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"make {goal}:\n{done.stdout[-6000:]}"


def test_nothing_is_built_twice():
    done = subprocess.run(["make", "-q", "-C", ROOT, "all", "iso"], capture_output=True, check=False)
    assert done.returncode == 0, "make finds something to do right after everything was built"
