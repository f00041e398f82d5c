# SPDX-License-Identifier: BSD-2-Clause
"""Several CPUs against observers: a plugin at the vectors, QEMU's monitor, the clock, and losses that must be found."""

import re

import pytest

import gdb_remote
import guest
import vmstat_layout

pytestmark = pytest.mark.skipif(
    bool(guest.need("qemu-system-x86_64")), reason=guest.need("qemu-system-x86_64") or "-"
)
REPORT = "vmstat -e -v"
# vector: line
VECTORS = {
    52: "ioapic0 pin 4",
    224: "timer",
    225: "reschedule",
    226: "call",
    227: "TLB shootdown",
    240: "standstill",
}


@pytest.fixture
def arch():
    return "x86_64"


def hits(tmp_path, cpus, commands):
    """({vector: [times that each CPU entered it]} until the last report read its counts, what was printed)"""
    symbols, out = guest.symbols("x86_64", commands), tmp_path / "hits"
    entries = [symbols["vector_table"] + 16 * vector for vector in VECTORS]
    plugin = f"{guest.ROOT}/build/plugins/hits.so,out={out},cpus={cpus},mark={symbols['evcnt_export']:#x}"
    plugin += "".join(f",addr={entry:#x}" for entry in entries)
    result = guest.run(commands, "--cpus", cpus, "--deterministic", "--", "-plugin", plugin)
    assert result.status == 0, result.said
    rows = [line.split() for line in out.read_text().splitlines()]
    assert [int(row[0], 16) for row in rows] == entries
    return dict(zip(VECTORS, ([int(count) for count in row[2:]] for row in rows))), result.text


# Who calls others is not called, so two CPUs do.
WORK = (
    "selftest cpus; on 0 selftest cpus-shootdown cpus-calls; on 3 selftest cpus-shootdown cpus-calls; "
    "on 1 spin 200 & on 2,3 spin 300 & on 3 spin 100; wait; on 2 help; "
)


def test_plugin_sees_each_cpus_interrupts(tmp_path):
    """The entries into the vectors, watched from outside, are what each CPU says that it was interrupted. One that
    comes while the report is being made may already be in it."""
    seen, text = hits(tmp_path, 4, WORK + REPORT)
    totals = vmstat_layout.totals(text[text.rindex("event  ") :])
    for vector, line in VECTORS.items():
        for cpu in range(4):
            counted = totals[f"cpu{cpu} {line}"]
            assert 0 <= counted - seen[vector][cpu] <= 1, (line, cpu, counted, seen[vector])
        whole = totals[line if vector == 52 else f"cpu {line}"]
        assert 0 <= whole - sum(seen[vector]) <= 2, line
    assert min(seen[224]) >= 10 and min(seen[226]) >= 50 and min(seen[227]) >= 20
    assert sum(seen[225]) >= 10 and sum(seen[52]) >= 1 and sum(seen[240]) >= 6


SEEDS = {
    "quiet": "true",
    "jobs": "spin 200 & on 2 spin 100 & on 3 sleep 0.1 & jobs; wait",
    "tests": "selftest cpus evcnt wait softint",
    "moved": "intrctl affinity 'ioapic0 pin 4' 1; help; help; mpstat 0.1 3",
}


@pytest.mark.parametrize("cpus", [3, 4])
@pytest.mark.parametrize("work", SEEDS.values(), ids=SEEDS)
def test_deterministic(cpus, work):
    """The same bytes twice, with every counter and every CPU's nanoseconds in them."""
    arguments = (f"{work}; {REPORT}; mpstat -n; ps", "--cpus", cpus, "--deterministic")

    def once():
        result = guest.run(*arguments)
        assert result.status == 0, result.stderr
        return result.stdout

    guest.twice(once, cpus)


def shares(machine, line="ioapic0 pin 4"):
    totals = vmstat_layout.totals(machine.command("sleep 0.2; " + REPORT))
    return [totals[f"cpu{cpu} {line}"] for cpu in range(4)]


def test_affinity_moves_a_line(boot):
    """From the command on only that CPU's share grows, and QEMU's I/O APIC has it as the pin's destination."""
    machine = boot(cpus=4)
    machine.prompt()
    machine.command("hinv")  # the console has what devices say when they are found
    for cpu in (2, 3, 0):
        assert machine.command(f"intrctl affinity 'ioapic0 pin 4' {cpu}") == ""
        route = re.search(r"^ *pin 4 .*? dest=(\d+) ", machine.monitor("info pic"), re.M)
        assert int(route.group(1)) == cpu
        before = shares(machine)
        for _ in range(3):
            machine.command("echo typed bytes")
        after = shares(machine)
        moved = [b - a for a, b in zip(before, after)]
        assert moved[cpu] >= 60 and sum(moved) == moved[cpu], (cpu, moved)


STACK = re.compile(r"^cpu(\d), thread \d+ \((.*?)\)\n(?:stack trace:\n)?((?:  [0-9a-f]{16} [\w.]+\+0x[0-9a-f]+\n)+)", re.M)


def stacks(report):
    """[(CPU, thread, trace)] of a panic's report"""
    return [(int(cpu), thread, trace) for cpu, thread, trace in STACK.findall(report)]


@pytest.mark.parametrize("more", [[], ["--deterministic"]], ids=["free", "icount"])
def test_panic_shows_every_cpu(more):
    result = guest.run("on 2 panic 'some words'", "--cpus", 4, *more)
    report = result.stderr.decode("ascii")
    assert result.status == 70 and "panic: some words" in report
    found = stacks(report)
    assert [cpu for cpu, _, _ in found] == [2, 0, 1, 3], report
    assert found[0][1] == "shell" and "shell_run_line" in found[0][2]
    if more:  # else it depends on the host where in its idle thread or an interrupt each is
        assert all(thread.startswith("idle") and "cpu_wait" in trace for _, thread, trace in found[1:]), report


def test_panic_names_a_cpu_that_does_not_answer(boot, tmp_path):
    """QEMU goes on without one of the CPUs, as its debugger may ask: an idle one, that nobody waits for."""
    machine = boot(cpus=4, arguments=["-gdb", f"unix:{tmp_path}/gdb,server=on,wait=off"])
    machine.prompt()
    machine.command("devctl list")  # which the devices have come for, on all CPUs
    machine.command("sleep 0.3")
    busy = int(re.search(r"^ +\d+ R +\d+ +(\d) .* shell\r?$", machine.command("ps"), re.M).group(1))
    lost = 3 if busy != 3 else 2
    debugger = gdb_remote.Debugger(tmp_path / "gdb")
    machine.monitor(f"cpu {lost}")
    while "HLT=1" not in machine.monitor("info registers"):  # a slow host may have it in a lock even now
        debugger.go_on()
        debugger.stop()
    debugger.go_on(";".join(f"c:p1.{cpu + 1}" for cpu in range(4) if cpu != lost))
    machine.send(b"panic 'some words'\r")
    report = machine.expect(rb"panic: some words(.*)The machine has stopped").group(1).decode().replace("\r", "")
    assert re.findall(r"^cpu(\d), thread .* does not answer$", report, re.M) == [str(lost)]
    assert {cpu for cpu, _, _ in stacks(report)} == {0, 1, 2, 3} - {lost}, report
    assert "last log lines:" in report


def leave_rest(machine, debugger, wakes):
    """The second CPU stands where it has been woken for a thread; the debugger has stopped the machine before."""
    debugger.go_on_to(wakes)
    machine.send(b"on 1 true &\r")
    while True:
        if not debugger.has_stopped(3):  # it was awake for something else, and had no rest to leave
            machine.send(b"on 1 true &\r")
        elif (cpu := debugger.is_at(wakes)) == 2:
            return
        else:
            debugger.step(cpu)
            debugger.go_on_to(wakes)


def threads_told(machine):
    """What `ps` says, or None if it says nothing for a while."""
    machine.quiet()
    machine.send(b"ps\r")
    try:
        return machine.expect(rb"ps\r\n(.*)quipu> ", 10)[1].decode()
    except AssertionError:
        return None


def test_times_are_told_while_another_cpu_wakes(boot, tmp_path):
    """A CPU that leaves its rest may be kept there, by a host or by QEMU's turns: what its idle thread has had is known before."""
    machine = boot(cpus=2, arguments=["-gdb", f"unix:{tmp_path}/gdb,server=on,wait=off"])
    machine.prompt()
    machine.command("devctl list")
    machine.command("sleep 1.5")  # no CPU ticks
    debugger = gdb_remote.Debugger(tmp_path / "gdb")
    wakes = guest.symbols("x86_64")["clock_end_rest"]
    leave_rest(machine, debugger, wakes)
    debugger.go_on("c:p1.1")
    while (text := threads_told(machine)) is None:
        debugger.stop()
        registers = machine.monitor("info registers -a")
        assert re.search(r"CPU#0.*?HLT=(\d)", registers, re.S)[1] == "1", "CPU 0 does not come to its end"
        debugger.go_on()  # it has nothing to do: the shell itself has been woken on the one that stands
        machine.in_step()
        machine.command("sleep 1.5")
        debugger.stop()
        leave_rest(machine, debugger, wakes)
        debugger.go_on("c:p1.1")
    assert len(re.findall(r"^ +\d+ \w+ .* idle( 1)?\r?$", text, re.M)) == 2


def test_times_add_up():
    """User, system, interrupt and idle are all of each CPU's time, and that is the clock's but for the start."""
    work = "selftest cpus; on 1 spin 200 & on 3 spin 100; wait; on 0 mpstat -n; mpstat -n 0.5 2; dmesg"
    result = guest.run(work, "--cpus", 4, "--deterministic")
    assert result.status == 0, result.said
    tables = result.text.split("CPU ")[1:]
    rows = [[list(map(int, row.split())) for row in table.splitlines()[1:5]] for table in tables]
    for table in rows:
        assert [row[0] for row in table] == [0, 1, 2, 3]
        for _, user, system, interrupt, idle, elapsed in table:
            assert user + system + interrupt + idle == elapsed
    for cpu in range(4):
        assert abs(rows[2][cpu][5] - 500_000_000) < 1_000_000  # the guest's clock: it slept so long between them
        assert rows[2][cpu][4] > 490_000_000  # and all were idle
    assert rows[0][1][2] >= 200_000_000 and rows[0][3][2] >= 100_000_000
    # They started one after the other, the last when the log says how many there are.
    starts = [rows[0][0][5] - row[5] for row in rows[0]]
    assert starts == sorted(starts) and starts[3] < 100_000_000


@pytest.mark.timeout(guest.WITH_ALL_TESTS)
def test_sixteen_cpus_run_the_tests():
    result = guest.run_all_tests("--cpus", 16, "--memory", 256)
    assert result.status == 0, result.said
    assert re.fullmatch(r"\d+ passed, 0 failed(, \d+ skipped)?", result.lines()[-1])


def test_full_crowd():
    """8 CPUs, 4 threads on each, 10,000,000 times each, with timers and calls, while others list: nothing is lost."""
    result = guest.run("selftest full-crowd full-listed", "--cpus", 8, "--timeout", 170)
    assert result.status == 0, result.said
    for line in result.lines()[:2]:
        raised, timers, calls = map(int, re.match(r"full-\w+ ok (\d+) raised, (\d+) by timers, (\d+) by calls", line).groups())
        assert raised >= 8 * 4 * 10_000_000 + timers + calls and timers >= 400 and calls >= 24


@pytest.mark.parametrize("cpus", [2, 4])
def test_planted_crowd_loses(cpus):
    result = guest.run("selftest evcnt-crowd planted-crowd", "--cpus", cpus)
    assert result.status == 0, result.said
    lost, total = map(int, re.search(r"^planted-crowd ok lost (\d+) of (\d+)$", result.text, re.M).groups())
    assert 0 < lost < total
