# SPDX-License-Identifier: BSD-2-Clause
"""No two objects of a kernel have a function of one name, and each function has its file's: `tools/check/statics`, and
what it says where they do not."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def statics(*arguments):
    done = subprocess.run([ROOT / "tools" / "check" / "statics", *arguments], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("goal,build", [("all", "build"), ("checked", "build/checked"), ("core", "build/core")])
def test_statics_of_the_kernel(goal, build):
    subprocess.run(["make", "-s", "-C", ROOT, goal], check=True)
    assert statics(ROOT / build) == (0, "")


def test_a_double_is_named(tmp_path):
    """The objects of two sources of the tree, in each of which spin_run is made to be a function's name."""
    for source, name in (("shell/commands/spin", "spin_run"), ("shell/commands/sleep", "spin_run"), ("lib/sort", "sort")):
        target = tmp_path / "x86_64" / f"{source}.o"
        target.parent.mkdir(parents=True, exist_ok=True)
        code = f"{'' if name == 'sort' else 'static '}__attribute__((used)) void {name}(void) {{}}"
        subprocess.run(["gcc", "-c", "-x", "c", "-", "-o", target], input=code, text=True, check=True)
    (tmp_path / "mips").mkdir()
    assert statics(str(tmp_path)) == (1, "shell/commands/spin.c: spin_run\n")


def test_one_without_its_files_noun_is_named(tmp_path):
    """Of any shape; one that a macro names, a prototype, a noun in the plural and tests are not."""
    source = tmp_path / "kernel" / "many_tables.c"
    source.parent.mkdir()
    source.write_text("static int table_find(int n)\n{\n}\n"
                      "static __attribute__((noinline)) void find(int a,\n                 int b)\n{\n}\n"
                      "static struct row *__attribute__((cold)) next_row(void)\n{\n}\n"
                      "static const char *tables_name(void)\n{\n}\nstatic int later(int n);\nstatic MAKE(x)\n{\n}\n"
                      "INLINE bool many_are(void)\n{\n}\nINLINE bool are(void)\n{\n}\n")  # fmt: skip
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "some.c").write_text("static int other(void)\n{\n}\n")
    (tmp_path / "build").mkdir()
    status, said = statics(str(tmp_path / "build"), str(tmp_path))
    assert status == 1 and said.splitlines() == [f"kernel/many_tables.c: {name}" for name in ("are", "find", "next_row")]
