# SPDX-License-Identifier: BSD-2-Clause
"""Samples of perf_event_open(2): as many as periods have passed, where and when they did, in a ring that the program maps;
who waits is woken, and sent a signal for each."""

import re

import linux_program
import pytest

pytestmark = pytest.mark.programs

# What tests/programs/perf_samples.c is to print, whichever machine: each number is its own sum of what it took.
EXPECTED = """period 10007: 1 wrong 0 lost 0 first 1
again: 1
period 100003: 1 wrong 0 lost 0 first 1
again: 1
places: 1
full: 1
lost: 1 1
gone: 1
no ring: 1 10
ring: 0
two: 0
three: 1 1
once: 0
owner 0 0 0
is 1 1
signals 1 2 1
owner 0 0 0
refreshed 5 40 value 1 samples 5
owner 0 0 0
three 3 42 value 1 samples 3
alone 1 0
period 0 1
changed 1
map EINVAL EINVAL EINVAL 0
refresh EINVAL
long EINVAL
output EINVAL EINVAL 0
owner ESRCH
"""


@pytest.mark.parametrize("cpus", [1, 4])
def test_program_takes_samples_of_itself(arch, cpus):
    if arch == "mips" and cpus > 1:
        pytest.skip("the board has one CPU")
    result = linux_program.run("perf_samples", arch, cpus=cpus)
    assert (result.text, result.status) == (EXPECTED, 0)


def test_nothing_is_left(arch, boot, tmp_path):
    """Rings and events go with the program, also where it just ends."""
    running = linux_program.start(boot, tmp_path, {"perf_samples": linux_program.compiled("perf_samples", arch)})

    def memory():
        running.command("sleep 0.2")
        text = running.command("mem; kstat -p unix:0:system_pages:freemem unix:0:fs:open_files")
        free = int(re.search(r"freemem\t(\d+)", text)[1])
        objects = {size: int(count) for size, count in re.findall(r"^ +(\d+|larger) +(\d+) +\d+ +\d+", text, re.M)}
        return free, objects, re.search(r"open_files\t(\d+)", text)[1]

    for _ in range(2):
        running.command("perf_samples")
        memory()  # kstats come with the first look
    before = memory()
    for _ in range(4):
        running.command("perf_samples")
    after = memory()
    assert before[0] - after[0] <= 2 and after[2] == before[2]
    # A call that is made for the first time, as futex where a thread has to be waited for, has a counter from then on.
    more = {size: count - before[1].get(size, 0) for size, count in after[1].items()}
    assert all(count <= 2 for count in more.values()), more
