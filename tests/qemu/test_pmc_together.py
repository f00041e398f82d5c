# SPDX-License-Identifier: BSD-2-Clause
"""Counters that begin and end together, self-tests that keep off those in use, samples of the kernel's own events."""

import re

import pytest

from test_pmc import fields, sampled


@pytest.mark.parametrize("events", ["cycles,instructions", "instructions,cycles"])
@pytest.mark.parametrize("more", [[], ["--cpus", "4"]])
def test_events_begin_and_end_together(arch, quipu, events, more):
    """No instruction takes less than a cycle, and few take more."""
    if more and arch == "mips":
        pytest.skip("one CPU")
    for command in ("true", "selftest thread-order"):
        rows = fields(quipu(f"pmc stat -x, -e {events} {command}", "--deterministic", *more).text)
        assert 0.8 < int(rows["instructions"][0]) / int(rows["cycles"][0]) <= 1


def test_intervals_begin_and_end_together(quipu):
    text = quipu("pmc stat -I 20 -x, -e instructions,cycles spin 70", "--deterministic").text
    ratios = [float(line.split(",")[6]) for line in text.splitlines() if ",instructions," in line and "not" not in line]
    assert len(ratios) >= 3 and all(0.5 < ratio <= 1 for ratio in ratios), text


def test_equal_events_count_the_same(arch, quipu):
    """Where the hardware has one switch for all counters; else the first to begin is the last to end."""
    events = "cycles,cycles,cycles,cycles" if arch == "x86_64" else "cycles,cycles"
    for command in ("-I 20 -x, -e {} spin 50", "-x, -e {} true", "-x, -e {} selftest thread-turns"):
        text = quipu("pmc stat " + command.format(events), "--deterministic").text
        found = [line.split(",") for line in text.splitlines() if ",cycles," in line]
        counts = [int(row[row.index("cycles") - 2]) for row in found if "<not counted>" not in row]
        each = events.count(",") + 1
        assert counts and len(counts) % each == 0, text
        for i in range(0, len(counts), each):
            group = counts[i : i + each]
            # Each time its threads leave and come some ten instructions.
            assert max(group) - min(group) <= (0 if arch == "x86_64" else max(20, min(group) // 100_000)), text


@pytest.mark.parametrize("how", [[], ["--deterministic"], ["--cpus", "4"]])
def test_every_counter_through_every_switch(arch, quipu, how):
    """The self-tests know each instruction of what their threads count, on each counter alone and on all together."""
    if "--cpus" in how and arch == "mips":
        pytest.skip("one CPU")
    result = quipu("selftest pmc-switch", *how)
    kinds = ["", "-yield", "-block", "-preempt", "-end", "-migrate"]
    expected = {f"pmc-switch{kind}": "ok" for kind in kinds}
    if "--cpus" not in how:
        expected["pmc-switch-migrate"] = "skipped"
    assert verdicts(result.text) == expected, result.said


@pytest.mark.parametrize("events", ["cycles:k,cycles", "cycles,cycles:k"])
def test_some_modes_are_not_more_than_all(arch, quipu, events):
    rows = fields(quipu(f"pmc stat -x, -e {events} true", "--deterministic").text)
    assert 100 < int(rows["cycles:k"][0]) <= int(rows["cycles"][0])


def test_counters_of_the_system_begin_and_end_together(quipu):
    text = quipu("pmc start instructions:uk cycles:uk; spin 5; pmc stop", "--deterministic").text
    counts = [int(value) for value in re.findall(r"^\d\s+(\d+)\s+\w+:uk$", text, re.M)]
    assert len(counts) == 2 and 1000 < counts[0] <= counts[1], text


def test_two_of_the_system_are_one_count(arch, quipu):
    """Of one event. A PC stops both with one write; a Malta writes one control register after the other, five instructions."""
    more = ["--cpus", "4"] if arch == "x86_64" else []
    text = quipu("pmc start instructions:uk@0 instructions:uk@1; spin 5; pmc stop", *more).text
    first, second = (list(map(int, row.split())) for row in re.findall(r"^\d\s+([\d\s]+)\tinstructions:uk$", text, re.M))
    assert len(first) == len(second) == (4 if more else 1) and max(first) > 1000, text
    assert all(abs(one - other) <= (0 if more else 5) for one, other in zip(first, second)), text


def verdicts(text):
    return dict(re.findall(r"^((?:pmu|pmc|profile)-\S+) (ok|FAILED|skipped counters in use|skipped)", text, re.M))


@pytest.mark.parametrize("commands", [
    "pmc stat -x, -e cycles,instructions,context-switches selftest {}",
    "pmc start cycles:uk instructions:uk context-switches:uk; selftest {}; kstat -p pmc:0:/counter/:value; pmc stop",
    "pmc stat -x, -e cycles,instructions,context-switches spin 500 & sleep 0.1; selftest {}; wait",
])  # fmt: skip
def test_self_tests_keep_off_counters_in_use(quipu, commands):
    text = quipu(commands.format("pmu pmc profile-overflow"), "--deterministic").text
    found = verdicts(text)
    assert len(found) >= 20 and set(found.values()) == {"skipped counters in use"}, text
    rows = fields(text)
    counts = [int(rows[name][0]) for name in ("cycles", "instructions", "context-switches")] if rows else [
        int(value) for value in re.findall(r"^pmc:0:counter\d+:value\t(\d+)$", text, re.M)
    ]  # fmt: skip
    assert len(counts) == 3 and 0 < counts[1] <= counts[0] + 200 and counts[2] < 10000, text
    assert counts[0] < 10**10


def test_counters_are_the_self_test_s_while_it_runs(quipu):
    text = quipu("selftest pmu-set & sleep 0.01; pmc stat -e cycles true; pmc start cycles:k; wait; "
                 "pmc stat -x, -e cycles true", "--deterministic").text  # fmt: skip
    assert set(verdicts(text).values()) == {"ok"}
    assert len(re.findall(r"^pmc: cycles\S*: .*\(EBUSY\)$", text, re.M)) == 2, text
    assert int(fields(text)["cycles"][0]) > 100


# What the command does in its loop.
SPIN = {"spin_run", "clock_now", "thread_interrupted", "shell_interrupted", "thread_current"}


@pytest.mark.parametrize("how", [["--deterministic"], ["--no-pmu", "--deterministic"]])
@pytest.mark.parametrize("event", ["clock-cycles,1000000", "interrupts,1"])
def test_kernels_own_events_are_sampled_where_the_interrupt_came(quipu, event, how):
    functions, figures = sampled(quipu(f"tprof monitor -e {event} spin 200", *how).text)
    # Which of them depends on how many instructions one turn takes: where interrupts meet it comes back, so few are met.
    met = SPIN & set(functions)
    assert figures["sample"] >= 10 and len(met) >= 2, functions
    assert sum(functions[name] for name in met) >= 0.9 * figures["sample"], functions
