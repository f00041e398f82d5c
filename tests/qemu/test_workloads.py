# SPDX-License-Identifier: BSD-2-Clause
"""user/workloads: each causes the events that it says, counted from outside, as the difference of two sizes."""

import re
import subprocess

import linux_program
import pytest

import guest

pytestmark = pytest.mark.programs

# By how much the printing of two numbers may differ, in instructions.
DIGITS = 2000
SOURCE = guest.ROOT / "user" / "workloads" / "workload.c"


@pytest.fixture
def program(arch, tmp_path):
    out = tmp_path / "workload"
    command = [linux_program.COMPILERS[arch], "-static", "-O2", "-pthread", "-o", str(out), str(SOURCE)]
    subprocess.run(command, check=True)
    return out


@pytest.fixture
def machine(boot, program, tmp_path):
    running = linux_program.start(boot, tmp_path, {"workload": program})
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


def counts(program, events, *words, options=()):
    """What `exec -e EVENTS` says of each."""
    command = [guest.ROOT / "quipu", "exec", *options, "-e", events, program, *words]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, env=guest.environment(), timeout=guest.PATIENCE * 2, check=False
    )
    assert done.returncode == 0, done.stderr
    result = guest.Result(done.stdout, done.stderr, 0)
    return [linux_program.counted(result, event) for event in events.split(",")]


@pytest.mark.parametrize("name,most", [("walk", 8 * 1024), ("fp", 16)])
def test_instructions(program, name, most):
    """Each turn has the same instructions, and few more than the words or operations that it is about."""
    few, more = (counts(program, "instructions:u", name, n)[0] for n in (2000, 6000))
    turn = round((more - few) / 4000)
    assert 2 <= turn <= most and abs(more - few - 4000 * turn) < DIGITS


@pytest.fixture
def malta(arch):
    if arch != "mips":
        pytest.skip("the PC's PMU has no such events")


@pytest.mark.parametrize("name,event,each", [("walk", "loads:u", 1024), ("fp", "fp-instructions:u", 2), ("atomic", "sc:u", 4)])
def test_kinds_of_instructions(malta, program, name, event, each):
    """Loads, floating point and store conditionals of a turn, to the one. An SC that failed is made once more."""
    events = [event] if name != "atomic" else [event, "sc-failed:u"]
    few, more = (counts(program, ",".join(events), name, n, options=["--deterministic"]) for n in (2000, 6000))
    assert more[0] - sum(more[1:]) - few[0] + sum(few[1:]) == 4000 * each


VECTORS = [0xFFFFFFFF80000000, 0xFFFFFFFF80000080]  # where a Malta goes when its TLB has no entry
PAIRS, ENTRIES = 256, 128  # 512 pages are as many entries; QEMU keeps what was replaced, up to so many in all


def test_refills(malta, boot, program, tmp_path):
    """A pass over 512 pages misses at least those that QEMU's TLB has no room for; the count is that of a plugin which
    watches the vectors, but for what the rest of the run takes."""

    def refills(n):
        """(by the count, by the plugin)."""
        seen = tmp_path / f"hits-{n}"
        plugin = f"{guest.ROOT}/build/plugins/hits.so,out={seen}," + ",".join(f"addr={each}" for each in VECTORS)
        running = linux_program.start(boot, tmp_path, {"workload": program}, ["-plugin", plugin])
        text = running.command(f"pmc stat -e tlb-refill-exceptions exec workload tlb {n}")
        running.send(b"poweroff\r")
        running.wait_end()
        count = int(re.search(r"([\d,]+) +tlb-refill-exceptions", text)[1].replace(",", ""))
        return count, sum(int(line.split()[1]) for line in seen.read_text().splitlines())

    few, more = refills(20), refills(520)
    moved, outside = more[0] - few[0], more[1] - few[1]
    assert (PAIRS - ENTRIES) * 500 <= moved <= (PAIRS + 1) * 500
    assert abs(moved - outside) <= 100 and 0 <= few[1] - few[0] < 1000, (few, more)
