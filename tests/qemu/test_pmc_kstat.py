# SPDX-License-Identifier: BSD-2-Clause
"""What threads count, as kstats: beside what `pmc stat` says in the end."""

import re

import pytest

from test_pmc import CONDITIONAL, fields


def threads(text):
    """{(thread, statistic): value} of the lines of pmc:ID:thread"""
    rows = re.findall(r"^pmc:(\d+):thread:(\S+)\t(\S+)$", text, re.M)
    return {(int(thread), name): value for thread, name, value in rows}


def test_kstats_of_the_thread_itself(arch, quipu):
    """Read by who counts, so it can say less than the end, and more than nothing. Modes are behind a point."""
    branches = CONDITIONAL[arch]
    text = quipu(f"kstat -p pmc::thread; pmc stat -x, -e instructions,{branches}:k,task-clock kstat -p pmc::thread", "--deterministic").text
    kstats, rows = threads(text), fields(text)
    assert len({thread for thread, _ in kstats}) == 1
    kstats = {name: value for (_, name), value in kstats.items()}
    assert kstats.pop("class") == "pmc" and float(kstats.pop("crtime")) <= float(kstats.pop("snaptime"))
    parts = [f"{event}{part}" for event in ("instructions", f"{branches}.k") for part in ("", "_children", "_enabled", "_running")]
    assert sorted(kstats) == sorted([*parts, "task-clock"])
    assert 1000 < int(kstats["instructions"]) < int(rows["instructions"][0])
    assert 100 < int(kstats[f"{branches}.k"]) < int(rows[f"{branches}:k"][0])
    assert kstats["task-clock"] == kstats["instructions_enabled"] == kstats[f"{branches}.k_running"]
    assert kstats["instructions_children"] == "0"


@pytest.mark.parametrize("cpus", [1, 4])
def test_kstats_of_a_thread_that_runs(arch, quipu, cpus):
    """It grows from look to look up to what `pmc stat` says, and is gone with the thread."""
    if arch == "mips" and cpus > 1:
        pytest.skip("one CPU")
    look = "kstat -p pmc::thread"
    text = quipu(f"kstat -q; pmc stat -x, -e instructions,context-switches spin 1000000 & sleep 1; {look}; sleep 0.7; {look}; stop 1; wait; {look}; echo none $?",
                 "--cpus", str(cpus)).text  # fmt: skip
    counts = [int(value) for value in re.findall(r"^pmc:\d+:thread:instructions\t(\d+)$", text, re.M)]
    assert len(counts) == 2 and 0 < counts[0] < counts[1] < int(fields(text)["instructions"][0])
    assert text.endswith("none 1\n")


def test_kstats_of_events_that_take_turns(arch, quipu):
    branches = CONDITIONAL[arch]
    events = ",".join([branches] * 8)
    text = quipu(f"pmc stat -x, -e {events} spin 300 & sleep 0.15; kstat -p pmc::thread; wait", "--deterministic").text
    kstats = {name: value for (_, name), value in threads(text).items()}
    final = [int(row.split(",")[0]) for row in text.splitlines() if row.count(",") == 6]
    names = [branches] + [f"{branches}.{n}" for n in range(2, 9)]
    assert len(final) == 8
    running = [int(kstats[f"{name}_running"]) for name in names]
    enabled = int(kstats[f"{branches}_enabled"])
    assert sum(running) + len(names) >= enabled > max(running[4:]) > 0  # each is rounded down
    assert 0 < sum(int(kstats[name]) for name in names) < sum(final)
