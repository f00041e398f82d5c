# SPDX-License-Identifier: BSD-2-Clause
"""The guest's time against that of QEMU's instruction clock."""

import re

import guest


def test_time_goes_on_when_the_count_wraps(arch):
    """A Malta's Count has 32 bits, and is at its beginning again after 26 s; nothing else happens meanwhile but ticks."""
    text = guest.run("date; sleep 60; date; sleep 60; date", "--arch", arch, "--no-pmu", "--deterministic").text
    times = [int(m[0]) * 60 + int(m[1]) for m in re.findall(r" \d\d:(\d\d):(\d\d) UTC", text)]
    assert len(times) == 3 and [b - a for a, b in zip(times, times[1:])] == [60, 60], text
