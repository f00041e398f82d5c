# SPDX-License-Identifier: BSD-2-Clause
"""No two objects of a kernel have a function of one name: `tools/check/statics`, and what it says where they do."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def statics(*arguments):
    done = subprocess.run([ROOT / "tools" / "check" / "statics", *arguments], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_statics_of_the_kernel():
    subprocess.run(["make", "-s", "-C", ROOT, "all"], check=True)
    assert statics() == (0, "")


def test_a_double_is_named(tmp_path):
    """The objects of two sources of the tree, in each of which spin_run is made to be a function's name."""
    for source, name in (("shell/commands/spin", "spin_run"), ("shell/commands/sleep", "spin_run"), ("lib/sort", "sort")):
        target = tmp_path / "x86_64" / f"{source}.o"
        target.parent.mkdir(parents=True, exist_ok=True)
        code = f"{'' if name == 'sort' else 'static '}__attribute__((used)) void {name}(void) {{}}"
        subprocess.run(["gcc", "-c", "-x", "c", "-", "-o", target], input=code, text=True, check=True)
    (tmp_path / "mips").mkdir()
    assert statics(str(tmp_path)) == (1, "shell/commands/spin.c: spin_run\n")
