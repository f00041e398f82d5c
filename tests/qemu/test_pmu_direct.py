# SPDX-License-Identifier: BSD-2-Clause
"""Quipu's own PMU drivers as on hardware (the boot word pmu=direct): qpmu answers the instructions themselves, and nobody works
with it. What is counted and sampled is as with its page; an R10000's overflows share the timer's pin."""

import re

import program_script
import pytest
import qemu
import test_perf_event
import test_perf_samples

import guest
import probe

pytestmark = pytest.mark.programs

NAMES = {"x86_64": "pmu: intel version 2, 4 general and 3 fixed counters of 48 bits", "mips": "pmu: R10000"}
PROGRAMS = {"perf_samples": test_perf_samples.EXPECTED, "perf_self": test_perf_event.EXPECTED}
ONLY_MALTA = "a third in the group: EINVAL\n"  # which has two counters
WAYS = {"plain": (), "deterministic": ("--deterministic",)}
PERIOD = 1000


def need(arch):
    if reason := probe.transparent(qemu.MACHINES[arch][0]):
        pytest.skip(reason)


def direct(commands, *more, arch):
    need(arch)
    result = guest.run(commands, "--append", "pmu=direct", "--arch", arch, *more)
    assert result.status == 0, result.said
    return result.text


def events(text):
    """{name: count} of vmstat -e."""
    return {name: int(count) for name, count in re.findall(r"^(\S.*?) +(\d+) +\d+ (?:misc|trap|intr)$", text, re.M)}


def test_overflows_wait_where_all_is_masked(arch):
    """The pin that they share with the timer stays up until a counter is served: it was taken again and again, for ever."""
    text = direct("selftest pmu-interrupt", "--timeout", "60", arch=arch)
    assert text.endswith("2 passed, 0 failed\n"), text


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("cpus", (1, 4))
def test_programs_find_the_same(arch, cpus, name, way):
    need(arch)
    if arch == "mips" and cpus > 1:
        pytest.skip("the board has one CPU")
    result = program_script.run(name, "--append", "pmu=direct", "--cpus", cpus, *WAYS[way], arch=arch, programs=(name,))
    assert (result.text.replace(ONLY_MALTA, ""), result.status) == (PROGRAMS[name], 0), result.said


@pytest.mark.parametrize("way", WAYS)
def test_each_period_is_a_sample(arch, way, tmp_path):
    """The kernel's with it, and so the handler's; and each interrupt is of the clock or of the counters."""
    total = tmp_path / "total"
    commands = f"tprof monitor -e instructions,{PERIOD} workload spin; vmstat -e; echo ===; sleep 1; vmstat -e; dmesg"
    text = direct(commands, *WAYS[way], "--pmu", f"total={total}", arch=arch)
    assert any(line.endswith(NAMES[arch]) for line in text.splitlines())
    samples, lost = (int(re.search(rf"^\t{word} (\d+)", text, re.M)[1]) for word in ("sample", "lost"))
    (instructions,) = (int(line.split()[1]) for line in total.read_text(encoding="utf-8").splitlines())
    # The spin is most of what the machine does, and the tick's samples are the clock's at least.
    assert instructions / 20 < (samples + lost) * PERIOD < instructions
    seen, later = map(events, text.split("==="))
    # A PC's handler is longer than the period, and what overflows meanwhile waits for the tick. Later nothing counts.
    assert 100 < seen["pmu intr"] == later["pmu intr"]
    if arch == "mips":
        both = seen.get("cpu0 timer multiple service", 0)
        assert seen["cpu0 timer"] == seen["clock intr"] + seen["pmu intr"] - both
        assert seen["clock intr"] < seen["pmu intr"] / 10


@pytest.mark.parametrize("event", ("instructions,100", "instructions,700", "cycles,1500"))
def test_short_periods_leave_time(arch, event):
    """The handler's own instructions overflow the counter again: the program still ends, and what passed is counted."""
    text = direct(f"tprof monitor -e {event} workload spin; vmstat -e", arch=arch)
    assert int(re.search(r"^\tlost (\d+)", text, re.M)[1]) > 0
    assert "spin: cpu-ms" in text
    if arch == "mips" and event != "cycles,1500":  # after a quiet tick it interrupts again
        assert events(text)["pmu intr"] > 500


def test_without_the_timers_pin():
    """Ticks find what has passed; nothing interrupts that nobody serves."""
    text = direct("tprof monitor -e instructions,100000 workload spin; vmstat -e", "--pmu", "pin=4", arch="mips")
    assert int(re.search(r"^\tsample (\d+)", text, re.M)[1]) > 3
    seen = events(text)
    assert "pmu intr" not in seen and seen["cpu0 timer"] == seen["clock intr"]


def test_other_counters_are_not_taken_for_an_r10000s():
    """Release 2's have other numbers for their events: live but wrong."""
    text = direct("dmesg; pmc stat -e instructions true", "--pmu", "mips=r2", arch="mips")
    assert "pmu: R10000" not in text
    assert re.search(r"<not supported> +instructions", text)
