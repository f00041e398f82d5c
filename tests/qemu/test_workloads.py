# SPDX-License-Identifier: BSD-2-Clause
"""user/workloads: each causes the events that it says, counted from outside, as the difference of two sizes."""

import re
import subprocess
import sys

import linux_program
import pytest

import guest

sys.path.insert(0, str(guest.ROOT / "tools" / "run"))

import archive  # pylint: disable=wrong-import-position

# By how much the printing of two numbers may differ, in instructions.
DIGITS = 2000
SOURCE = guest.ROOT / "user" / "workloads" / "workload.c"


@pytest.fixture(params=linux_program.ARCHES)
def arch(request):
    why = linux_program.missing("x86_64") or linux_program.missing(request.param)
    if why:
        pytest.skip(why)
    return request.param


@pytest.fixture
def program(arch, tmp_path):
    out = tmp_path / "workload"
    command = [linux_program.COMPILERS[arch], "-static", "-O2", "-pthread", "-o", str(out), str(SOURCE)]
    subprocess.run(command, check=True)
    return out


@pytest.fixture
def machine(boot, arch, program, tmp_path):
    module = tmp_path / "archive"
    module.write_bytes(archive.pack([archive.File("bin/workload", program.read_bytes())]))
    running = boot(arguments=["-initrd", str(module)])
    running.prompt()
    running.command("workload calls 1")
    return running


def counter(machine, name):
    found = re.search(rf"^{name} +(\d+)", machine.command("vmstat -e"), re.M)
    return int(found[1]) if found else 0


def caused(machine, name, words):
    """How much more of the counter NAME a run of WORDS makes."""
    before = counter(machine, name)
    assert re.search(r"\d", machine.command(words))
    return counter(machine, name) - before


def test_events(machine):
    """One call a turn, one wait for each process that a tree has more, one new page for each that is touched."""
    assert caused(machine, "syscall getppid", "workload calls 1010") == 1010
    few = caused(machine, "syscall wait4", "workload tree 2")
    assert caused(machine, "syscall wait4", "workload tree 7") - few == 5
    few = caused(machine, "uvm flt_przero", "workload faults 10")
    assert caused(machine, "uvm flt_przero", "workload faults 90") - few == 80


def test_words(machine):
    """What is known beforehand is printed."""
    assert "loads 5120" in machine.command("workload walk 5")
    assert "clones 4 sum 4000" in machine.command("workload atomic 1000")
    assert "touches 1024 faults 512" in machine.command("workload tlb 2")
    assert "cpu-ms 20" in machine.command("workload spin 20")


def instructions(program, *words):
    command = [guest.ROOT / "quipu", "exec", "-e", "instructions:u", program, *words]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, env=guest.environment(), timeout=guest.PATIENCE * 2, check=False
    )
    assert done.returncode == 0, done.stderr
    return linux_program.counted(guest.Result(done.stdout, done.stderr, 0), "instructions:u")


@pytest.mark.parametrize("name,most", [("walk", 8 * 1024), ("fp", 10)])
def test_instructions(program, name, most):
    """Each turn has the same instructions, and few more than the words or operations that it is about."""
    turn, rest = divmod(instructions(program, name, 6000) - instructions(program, name, 2000), 4000)
    assert 2 <= turn <= most and rest < DIGITS
