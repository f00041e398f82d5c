# SPDX-License-Identifier: BSD-2-Clause
"""What programs ask of the kernel costs no more instructions than it may (tools/bench/turns.py measures)."""

import sys

import linux_program
import pytest

import guest

sys.path.append(str(guest.ROOT / "tools" / "bench"))

# pylint: disable=wrong-import-position
import linked  # noqa: E402  (found through the line above)
import turns  # noqa: E402

pytestmark = pytest.mark.programs


@pytest.mark.parametrize("what,most", [("getpid", 150), ("fork", 60000)])
def test_within_the_goal(what, most, arch):
    program = linked.symbols(linux_program.compiled("measure", arch), arch)
    assert turns.turn(lambda *words: turns.quipu(arch, *words), what, program) <= most
