# SPDX-License-Identifier: BSD-2-Clause
"""pmc stat with more events than counters: what share of the time each of them has."""

import re

import pytest

from test_pmc import CONDITIONAL, fields


# Events that compete, and what each one's share of the time must be, in per cent.
TURNS = {
    "mips": {
        "cycles,instructions,branches-resolved,branch-misses": [50, 50, 50, 50],
        "cycles,instructions,branches-resolved,L1-icache-misses": [50, 50, 50, 50],
        "cycles,branches-resolved,L1-icache-misses,ecc-errors": [100, 100 / 3, 100 / 3, 100 / 3],
        "cycles,instructions,branches-resolved,L1-icache-misses,branch-misses,context-switches": [40, 40, 40, 40, 40, 100],
    },
    "x86_64": {
        "cycles,instructions,branches,branch-misses": [100, 100, 100, 100],
        "cycles,branches,branches:k,branches:u,branch-misses,cache-misses,interrupts": [100, 80, 80, 80, 80, 80, 100],
    },
}


def test_turns_are_fair(arch, quipu):
    """30 ticks: the first or the last turn may be short."""
    lists = {f"cycles,{CONDITIONAL[arch]}": [100, 100]} | TURNS[arch]
    result = quipu("; ".join(f"pmc stat -x, -e {events} spin 300" for events in lists), "--deterministic")
    rows = [line.split(",") for line in result.text.splitlines() if line.count(",") >= 6]
    together = {row[2]: int(row[0]) for row in rows[:2]}
    for events, shares in lists.items():
        listed, rows = rows[: len(shares)], rows[len(shares) :]
        assert [row[2] for row in listed] == events.split(",")
        for row, share in zip(listed, shares):
            assert float(row[4]) == pytest.approx(share, abs=4), (events, row)
            if row[2] in together:  # scaled to what it would have been
                assert int(row[0]) == pytest.approx(together[row[2]], rel=0.05), (events, row)


def test_no_turn_within_a_tick(arch, quipu):
    if arch != "mips":
        pytest.skip("a PC has enough counters")
    result = quipu("pmc stat -e cycles,instructions,branches-resolved,branch-misses true; "
                   "pmc stat -x, -e cycles,instructions,branches-resolved,branch-misses true", "--deterministic")  # fmt: skip
    for event in ("branches-resolved", "branch-misses"):
        assert re.search(rf"^ +<not counted>      {event} +\(0\.00%\)$", result.text, re.M)
        assert f"<not counted>,,{event},0,0.00,," in result.text
    rows = fields(result.text)
    assert int(rows["cycles"][0]) > 0 and rows["cycles"][4] == rows["instructions"][4] == "100.00"
