# SPDX-License-Identifier: BSD-2-Clause
"""libperfex(3): counts of a loop whose instructions are known, what it prints, and what it refuses."""

import perfex
import pytest
import r10k

import guest
import linux_program

pytestmark = pytest.mark.programs

TURNS = 1000000
TURN = 2  # instructions of tests/programs/loop.h
SLACK = 1000  # of the two calls
COSTS = "clock 100\n15 2 1 4\n16 1 1 1\n"

WRONG = """same counter EINVAL
no event EINVAL EINVAL
not started EINVAL
start 0
others EINVAL
these 0
again EINVAL
print EINVAL
no table 0
no costs EINVAL
"""

LOST = """start 0
system positive
start EBUSY
read EBUSY
until then 1 1
anew 0 0
"""


def counts(text):
    return [tuple(map(int, line.split())) for line in text.splitlines()]


@pytest.mark.parametrize("events", [(15, 17), (17, 15)])
def test_counts(arch, events):
    """From 0 at each start, nothing after a read, in the order of the arguments; with `./quipu exec FILE.c`."""
    program = linux_program.SOURCES / "r10k_libperfex.c"
    result = guest.launch("exec", "--arch", arch, "-e", "none", program, *events, TURNS)
    both = counts(result.text)
    assert len(both) == 2 and result.status == 0, result.said
    for count in sum(both, ()):
        assert TURN * TURNS <= count < TURN * TURNS + SLACK, result.text


def test_counted_by_somebody_else(arch):
    """What `./quipu exec -e` counts does not count itself."""
    result = linux_program.run(r10k.built("r10k_libperfex", arch), arch, 15, 17, 1, options=["-e", "instructions:u"])
    assert "counters: Device or resource busy" in result.said and result.status == 1


def test_printed(arch, tmp_path):
    """Names, counts, and times by a table of costs, as perfex prints them."""
    table = tmp_path / "costs"
    table.write_text(COSTS)
    options = ["-e", "none", "--add", f"{table}=/etc/costs"]
    result = linux_program.run(r10k.built("r10k_libperfex", arch), arch, 15, 16, TURNS, "/etc/costs", options=options)
    instructions, cycles = counts(result.text)[1]
    printed, costs = (perfex.Report(text) for text in result.stderr.decode().replace("\r", "").split("Typical"))
    assert printed.count == costs.count == {15: instructions, 16: cycles}, result.said
    assert not printed.times and not costs.projected
    seconds = instructions / 100e6
    assert costs.times[15] == pytest.approx((2 * seconds, seconds, 4 * seconds), abs=1e-6)
    assert costs.statistics["Graduated instructions/cycle"] == pytest.approx(instructions / cycles, abs=1e-6)


def test_environment(arch):
    """T5_EVENT0 and T5_EVENT1 come before the arguments, in all calls."""
    script = "r10k_perfex env 17 0 r10k_libperfex 0 16 1000000 /etc/perfex.costs; r10k_perfex env x '' r10k_libperfex 15 16 1"
    added = ["--add", f"{r10k.built('r10k_libperfex', arch)}=/bin/r10k_libperfex", *perfex.under(arch)]
    result = guest.run(script, "--arch", arch, *added)
    assert set(perfex.Report(result.text).count) == {0, 17}, result.said
    assert "libperfex: T5_EVENT0: no event x\n" in result.said and result.status == 1


def test_wrong_use(arch):
    result = r10k.run("r10k_libperfex", arch, "wrong")
    assert result.text == WRONG, result.said
    for line in ("conflicting events 1 and 2: one counter has both", "no event -1", "no event 32"):
        assert f"libperfex: {line}" in result.said
    assert "/none: No such file or directory" in result.said and "/proc/version:1: no such event" in result.said


def test_lost(arch):
    """Counters that are taken for system mode: a read says so, and what was counted until then; then anew."""
    result = r10k.run("r10k_libperfex", arch, "lost")
    assert result.text == LOST, result.said
