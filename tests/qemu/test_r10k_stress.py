# SPDX-License-Identifier: BSD-2-Clause
"""r10k_counters(5) under stress: crowds that switch, kills, all events in turns, thresholds; by numbers known from elsewhere."""

import pytest
import r10k

import guest
import linux_program

pytestmark = pytest.mark.programs

BOARDS = [("x86_64", 1), ("x86_64", 4), ("mips", 1)]
ROTATIONS = 64


@pytest.mark.parametrize("arch,cpus", BOARDS)
def test_fifty_processes(arch, cpus):
    """Each with its own events, on CPUs that they lose and get at random: instructions in user mode are those of its loops."""
    result = r10k.run("r10k_crowd", arch, 50, 100, 4711, cpus=cpus)
    assert result.text == "right 50\n17 17 16 \n", result.stderr


@pytest.mark.parametrize("arch,cpus", BOARDS)
def test_kills(arch, cpus):
    """At random moments of begins, changes, releases, forks, and of system mode: the counters can be had right after each."""
    result = r10k.run("r10k_crowd", arch, "killed", 100, 1234, cpus=cpus)
    assert result.text == "had 100 own 1\n", result.stderr


@pytest.mark.parametrize("program", ["r10k_turns", "r10k_multiplex"])
def test_all_events_in_turns(arch, program):
    """16 events a side, or all there are, over 64 rotations: of a process, and of the system."""
    why = linux_program.missing(arch)
    if why:
        pytest.skip(why)
    script = f"{program} 16 {ROTATIONS}"
    result = guest.run(script, "--arch", arch, "--add", f"{r10k.built(program, arch)}=/bin/{program}", *r10k.SLOW)
    zero, one, first, second = map(int, result.text.split()[:4])
    assert (zero, one) == ((16, 16) if arch == "mips" else (2, 3)), result.said
    assert abs(first - 10000) <= 200 and abs(second - 10000) <= 200, result.text
    assert result.text.split()[4:] == ([] if program == "r10k_turns" else ["1", "1"])


@pytest.mark.parametrize("threshold,turns", [(1, 5000), (500, 1000000), (1000, 1000000), (65536, 10000000)])
@pytest.mark.parametrize("arch,cpus", BOARDS)
def test_thresholds_of_the_system(arch, cpus, threshold, turns):
    """Every CPU passes floor(its events / N), and the signals say how many there were in all."""
    result = r10k.run("r10k_overflow", arch, threshold, turns, "syssgi-alone", cpus=cpus)
    assert result.text == "1 1 1\n", result.stderr


@pytest.mark.parametrize("threshold", [500, 1000, 65536])
def test_thresholds_in_turns(arch, threshold):
    """The same of a process's event that has every second tick."""
    result = r10k.run("r10k_overflow", arch, threshold, 30000000, "turns")
    assert result.text == "1 1 1\n", result.stderr
