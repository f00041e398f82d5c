# SPDX-License-Identifier: BSD-2-Clause
"""The guest's time against that of QEMU's instruction clock. A Malta's Count has 32 bits, and is at its beginning again
after 26 s."""

import re

import guest


def seconds_between(text):
    """How many seconds passed between one date and the next, of three."""
    times = [int(m[0]) * 60 + int(m[1]) for m in re.findall(r" \d\d:(\d\d):(\d\d) UTC", text)]
    assert len(times) == 3, text
    return [(b - a) % 3600 for a, b in zip(times, times[1:])]


def test_time_goes_on_when_the_count_wraps(arch):
    """Nothing else happens meanwhile but ticks."""
    text = guest.run("date; sleep 60; date; sleep 60; date", "--arch", arch, "--no-pmu", "--deterministic").text
    assert seconds_between(text) == [60, 60], text


def test_time_goes_on_where_a_thread_never_sleeps(arch):
    """No CPU rests; an instruction takes 1 us."""
    slow = ["--", "-icount", "shift=10,sleep=off"]
    text = guest.run("date; spin 60000; date; spin 60000; date", "--arch", arch, "--no-pmu", *slow).text
    assert seconds_between(text) == [60, 60], text
