# SPDX-License-Identifier: BSD-2-Clause
"""Owners of counters: who is refused is told who has the counter; who loses one keeps what it counted."""

import re

import pytest


def refusals(text):
    """The complaints, the numbers of threads left out."""
    return [re.sub(r" of thread \d+", " of thread N", line) for line in re.findall(r"^.*\(EBUSY\)$", text, re.M)]


def soft(quipu):
    """An event that every machine has, on a counter that every machine has, without and with modes."""
    number = re.search(r"^soft: counters (\d+)-", quipu("pmc list").text, re.M).group(1)
    return f"clock-cycles@{number}", f"clock-cycles:uk@{number}", number


def test_each_refusal_names_who_has_it(quipu):
    event, modes, number = soft(quipu)
    text = quipu(
        f"pmc start {modes}; pmc stat -e {event} true; tprof monitor -e {event},1000000 true; pmc -C; "
        "tprof monitor -e cpu-clock sleep 0.4 & sleep 0.1; tprof monitor -e cpu-clock true; wait; "
        f"tprof monitor -e {event},1000000 sleep 0.4 & sleep 0.1; pmc start {modes}; pmc stat -e {event} true; wait; "
        f"pmc stat -e {event} sleep 0.4 & sleep 0.1; pmc start {modes}; tprof monitor -e {event},1000000 true; "
        f"pmc stat -x, -e {event} true; wait",
        "--deterministic",  # else a busy host's guest may come when the other has slept already
    ).text
    in_use = "every counter that can hold it is in use"
    assert refusals(text) == [
        f"pmc: {event}: {in_use}, by pmc start (EBUSY)",
        f"tprof: {event}: {in_use}, by pmc start (EBUSY)",
        "tprof: cpu-clock: samples are taken by tprof (EBUSY)",
        f"pmc: {modes}: {in_use}, by tprof (EBUSY)",
        f"pmc: {event}: {in_use}, by tprof (EBUSY)",
        f"pmc: {modes}: counter {number} is in use by pmc stat of thread N (EBUSY)",
        f"tprof: {event}: counter {number} is in use by pmc stat of thread N (EBUSY)",
    ], text
    assert re.search(rf"^[1-9]\d*,,{event},", text, re.M), text  # threads share


def test_several_holders_are_named_once_each(quipu):
    """Cycles are counted on both counters of an R10000; on Intel's four general ones, and the second fixed one."""
    last = int(re.search(r"counters 0-(\d+)", quipu("pmc list").text).group(1))
    everywhere = " ".join(f"cycles:uk@{n}" for n in range(1, last + 1) if n < 4 or n == 5)
    text = quipu(f"pmc start {everywhere}; tprof monitor -e cycles@0,1000000 pmc start cycles:uk").text
    assert refusals(text) == [
        "pmc: cycles:uk: every counter that can hold it is in use, by tprof and by pmc start (EBUSY)"
    ], text  # fmt: skip


@pytest.mark.parametrize("how", [[], ["--cpus", "4"]])
def test_who_loses_a_counter_keeps_what_it_counted(arch, quipu, how):
    if how and arch == "mips":
        pytest.skip("one CPU")
    spun = "pmc stat -x, -e instructions@0 spin 10"
    stat = "pmc stat -x, -e cycles@0,instructions selftest takeover-now"
    text = quipu(
        f"{spun}; pmc start instructions:uk@0; spin 10; selftest takeover-now; spin 10; pmc stop; {stat}; "
        "tprof monitor -e instructions@0,100000 selftest takeover-now; pmc stat -x, -e cycles@0 true",
        "--deterministic",
        *how,
    ).text
    assert refusals(text) == [
        "Counter #0 was taken away by mode (EBUSY)",
        "pmc: cycles@0: counter 0 was taken away by mode (EBUSY)",
        "tprof: instructions@0: counter 0 was taken away by mode (EBUSY)",
    ], text
    alone = int(re.search(r"^(\d+),,instructions@0,", text, re.M).group(1))
    row = re.search(r"^0((?:\s+\d+)+)\s+instructions:uk$", text, re.M).group(1).split()
    assert len(row) == (4 if how else 1)
    assert alone <= max(map(int, row)) < 1.7 * alone, text  # of one spin, not of both
    counted, share = re.search(r"^(\d+),,cycles@0,\d+,([\d.]+),", text, re.M).groups()
    assert int(counted) > 0 and 0 < float(share) < 100, text
    assert re.search(r"^[1-9]\d*,,cycles@0,\d+,100.00,", text, re.M), text  # and the next has it whole


def test_who_starts_a_lost_one_again_gets_its_new_count(quipu):
    """What was lost before is forgotten with it."""
    spun = "pmc stat -x, -e instructions@0 spin 10"
    text = quipu(
        f"{spun}; pmc start instructions:uk@0; spin 30; selftest takeover-now; pmc start instructions:uk@0; spin 10; pmc stop; "
        "pmc start instructions:uk@0; spin 30; selftest takeover-now; tprof monitor -e instructions@0,1000000 pmc start instructions:uk@0; pmc stop",
        "--deterministic",
    ).text
    alone = int(re.search(r"^(\d+),,instructions@0,", text, re.M).group(1))
    again, lost = map(int, re.findall(r"^0\s+(\d+)\s+instructions:uk$", text, re.M))
    assert alone <= again < 1.7 * alone, text
    assert 2.7 * alone < lost < 4 * alone, text  # refused, it is still what was lost
    assert text.count("Counter #0 stopped") == 1
    assert refusals(text) == [
        "pmc: instructions:uk@0: every counter that can hold it is in use, by tprof (EBUSY)",
        "Counter #0 was taken away by mode (EBUSY)",
    ], text
