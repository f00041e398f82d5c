# SPDX-License-Identifier: BSD-2-Clause
"""ecstats(1): counts against loops whose instructions are known, rates against a machine whose speed is known."""

import re

import perfex
import pytest
import r10k

import guest
import linux_program

pytestmark = pytest.mark.programs

ROW = re.compile(r"^ ?(\d+) [^.\n]+\.+ +(\d+(?:\.\d\d)?|-)( \*)?$", re.M)
SPEED = 500e6  # instructions a second of a CPU of a deterministic run: tools/run/qemu.py
TURN = 2  # instructions of tests/programs/loop.h
CLEAR = "\033[H\033[J"


def samples(text):
    """Of each that was printed {event: what it has}."""
    return [{int(row[0]): row[1] for row in ROW.findall(part)} for part in text.split("Events ")[1:]]


def run(arch, script, *options):
    return guest.run(script, "--arch", arch, "--deterministic", *options, *perfex.under(arch))


@pytest.mark.parametrize("cpus", [1, 4])
def test_counts(arch, cpus):
    """Two loops differ by their turns: on both counters, and on whichever CPU they ran."""
    if arch == "mips" and cpus > 1:
        pytest.skip("a Malta has one CPU")
    few, many = 1000000, 41000000
    script = f"ecadmin -e 15,17; ecstats -a -s 1; r10k_perfex loop {few}; ecstats -a -s 1; r10k_perfex loop {many}; ecstats -a -s 1"
    before, one, two = samples(run(arch, script, "--cpus", cpus).text)
    truth = TURN * (many - few)
    for event in (15, 17):
        counted = int(two[event]) - 2 * int(one[event]) + int(before[event])
        assert abs(counted - truth) < truth / 50, (before, one, two)


def test_rates(arch):
    """What a busy CPU of known speed executes in a second, in both samples; an idle one much less."""
    script = "ecadmin -e 15,16; ecstats -s 1 0.2; r10k_perfex loop 200000000 & ecstats -r -s 2 0.1; ecadmin -r"
    result = run(arch, script)
    idle, first, second = samples(result.text)
    assert float(idle[15]) < SPEED / 10
    for each in first, second:
        assert abs(float(each[15]) - SPEED) < SPEED / 20, result.text
        assert abs(float(each[16]) - SPEED) < SPEED / 20, result.text
    seconds = [float(each) for each in re.findall(r"of (\S+) s$", result.text, re.M)]
    assert seconds == pytest.approx([0.2, 0.1, 0.1], abs=0.03)


def test_scaled(arch):
    """Events that take turns are multiplied by their number, and marked."""
    script = "ecadmin -e 15,0,16; r10k_perfex loop 200000000 & ecstats -s 2 0.2"
    result = run(arch, script)
    rows = {int(event): (value, mark) for event, value, mark in ROW.findall(result.text)}
    assert [bool(rows[event][1]) for event in (0, 15, 16)] == [True, True, False]
    for event in 0, 15, 16:
        assert abs(float(rows[event][0]) - SPEED) < SPEED / 10, result.text


def test_disabled(arch):
    """-f has all events, and a dash for those that are not enabled; -e, the default, not."""
    both, some = samples(run(arch, "ecadmin -e 15; ecstats -f -s 1 0.1; ecstats -f -e -a -s 1").text)
    assert set(both) == set(range(32)) and {event for event, value in both.items() if value != "-"} == {15}
    assert set(some) == {15}


def test_other_events(arch):
    """No rate is made of what was counted of others; a sample of an interval like that is not one of -s."""
    script = "ecadmin -e 15; ecstats -s 2 0.5 & sleep 0.7; ecadmin -d 15 -e 0; sleep 2"
    text = run(arch, script).text
    assert [set(each) for each in samples(text)] == [{15}, {0}]
    assert text.count("Other events are enabled from now on\n") == 1


def test_system_mode_ends(arch):
    """Nothing is counted, before or any more: a line, and status 1."""
    nothing = "ecstats: counters of the system: nothing is counted in system mode; see ecadmin(1)\n"
    result = run(arch, "ecstats -s 1 2>&1; echo status $?; ecadmin -e 15; ecstats 0.5 & sleep 0.7; ecadmin -r; sleep 1")
    assert result.text.startswith(f"{nothing}status 1\n")
    assert [set(each) for each in samples(result.text)] == [{15}] and nothing in result.said


def test_wrong_use(arch):
    wrong = {
        "ecstats 0": "ecstats: 0: not a number of seconds, 0.01 or more\n",
        "ecstats 1s": "ecstats: 1s: not a number of seconds, 0.01 or more\n",
        "ecstats -s 0": "ecstats: -s 0: not a number of samples\n",
        "ecstats 1 2": "usage: ecstats",
        "ecstats -x": "usage: ecstats",
    }
    for command, text in wrong.items():
        result = guest.run(command, "--arch", arch)
        assert text in result.said and result.status == 2, (command, result.said)
    result = guest.run("ecstats -C 1 >/tmp/x", "--arch", arch)
    assert "ecstats: terminal: " in result.said and result.status == 1


def test_screen(boot, arch, tmp_path):
    """-C: a screen of its own, whose keys do what the options do; then the terminal is as it was."""
    built = guest.ROOT / "build" / arch / "user" / "perfex"
    executables = {"ecadmin": built, "ecstats": built, "r10k_perfex": r10k.built("r10k_perfex", arch)}
    machine = linux_program.start(boot, tmp_path, executables)
    machine.command("ecadmin -e 15")
    for end in b"q", b"\3":
        machine.send(b"ecstats -C 0.2\r")
        machine.expect(re.escape(f"{CLEAR}Events per second").encode())
        machine.send(b"a")
        machine.expect(re.escape(f"{CLEAR}Events since").encode() + rb"[^-]*\n15 \w+ \w+\.+ +\d+\r\n\r\n")
        machine.send(b"f")
        machine.expect(rb"\n 0 Cycles\.+ +-\r\n")
        machine.send(b"er")
        machine.expect(re.escape(f"{CLEAR}Events per second").encode() + rb"[^-]*\n15 \w+ \w+\.+ +[\d.]+\r\n\r\n")
        machine.send(end)
        machine.prompt()
        assert machine.command("echo typed") == "typed\n"
