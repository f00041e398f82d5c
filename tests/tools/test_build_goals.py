# SPDX-License-Identifier: BSD-2-Clause
"""tools/launcher/make.sh asks make only where something in the tree came, went or changed since make had nothing to do."""

import pathlib
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOALS = ("build/x86_64/quipu", "user-x86_64")
# Has nothing to do, and says that it was asked.
MAKE = '#!/bin/sh\necho "$*" >>"$(dirname "$0")/asked"\n'


class Tree:
    def __init__(self, folder):
        self.root, self._bin = folder / "a [tree]", folder / "bin"
        for name in ("lib/sort.h", "lib/sort.c", "build/x86_64/quipu", "build/x86_64/lib/sort.o"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(name)
        self._bin.mkdir()
        (self._bin / "make").write_text(MAKE)
        (self._bin / "make").chmod(0o755)

    def asks(self, *goals):
        """Whether `build_goals GOALS` asks make."""
        asked = self._bin / "asked"
        asked.write_text("")
        script = f'set -u; opt_verbose=; . "{ROOT}/tools/launcher/make.sh"; PATH={self._bin}:$PATH; build_goals "$@"'
        command = ["sh", "-c", f'root="{self.root}"; {script}', "sh", *(goals or GOALS)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        time.sleep(0.02)  # a file's time goes by the kernel's ticks
        return asked.read_text() != ""


@pytest.fixture
def tree(tmp_path):
    made = Tree(tmp_path)
    assert made.asks() and not made.asks()
    return made


def test_each_list_of_goals_by_itself(tree):
    assert tree.asks("PROFILE=core", "build/core/x86_64/quipu")
    assert tree.asks("PROFILE=core", "build/core/mips/quipu")
    assert not tree.asks()


CHANGES = {
    "changed": lambda root: (root / "lib/sort.h").write_text("other"),
    "touched": lambda root: (root / "lib/sort.c").touch(),
    "new": lambda root: (root / "lib/other.h").write_text(""),
    "gone": lambda root: (root / "lib/sort.h").unlink(),
    "renamed": lambda root: (root / "lib/sort.h").rename(root / "lib/sorts.h"),
    "folder": lambda root: (root / "net").mkdir(),
    "goal gone": lambda root: (root / "build/x86_64/quipu").unlink(),
    "object gone": lambda root: (root / "build/x86_64/lib/sort.o").unlink(),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changes_is_seen(tree, what):
    CHANGES[what](tree.root)
    assert tree.asks()


def test_nothing_else_is(tree):
    """What a run writes itself is no change."""
    (tree.root / "build/.log").write_text("")
    assert tree.asks() and not tree.asks()
    (tree.root / "build/.log").write_text("more")
    (tree.root / ".git").mkdir()
    assert tree.asks() and not tree.asks()
    (tree.root / ".git/index").write_text("")
    assert not tree.asks()
