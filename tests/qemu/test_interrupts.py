# SPDX-License-Identifier: BSD-2-Clause
"""Interrupt and byte counts against observers outside the guest: what we sent, QEMU's `info irq`, a plugin."""

import re
import subprocess
import time

import pytest

import gdb_remote
import guest
import vmstat_layout

REPORT = "vmstat -e -v"
TREE = "vmstat -e -t -v"
# A pause lets the transmitter finish, so that a report speaks of whole lines.
SETTLED = "sleep 0.2; "
LINE = {"x86_64": ("ioapic0 pin 4", "ioapic", 4), "mips": ("i8259 irq 4", "isa-i8259", 4)}


def counts(machine, command=REPORT):
    return vmstat_layout.totals(machine.command(command))


@pytest.mark.parametrize("extra", [0, 1, 15, 16, 17, 1000])
def test_received_bytes(machine, extra):
    """Between two reports the counter moves by exactly what was typed."""
    first, sent = counts(machine), machine.sent
    machine.send(b"#" * extra + (b"\r" if extra else b""))
    machine.in_step()
    second = counts(machine)
    assert second["com0 rx bytes"] - first["com0 rx bytes"] == machine.sent - sent


def test_sent_bytes(machine):
    """... and by exactly what we received, from one command's echo to the next one's."""
    first = counts(machine, SETTLED + REPORT)
    begin = machine.echo_end
    assert first["com0 tx bytes"] == begin, "what was sent before there were interrupts is in it"
    assert first["com0 rx errors"] == first["com0 rx dropped"] == 0
    for _ in range(3):
        machine.command("help")
    second = counts(machine, SETTLED + REPORT)
    assert second["com0 tx bytes"] - first["com0 tx bytes"] == machine.echo_end - begin


def settled_raises(machine, arch):
    """QEMU's count of raises of the serial line, once it has stopped moving."""
    name, chip, number = LINE[arch]
    seen = []
    while seen[-4:-1] != seen[-3:] or len(seen) < 4:
        time.sleep(0.2)
        seen.append(machine.raised()[chip, number])
    return seen[-1]


def paced(machine, text):
    """Types byte by byte, each dealt with before the next: in a burst two raises may become one interrupt, and QEMU's
    I/O APIC takes a raise of a line that is up already for another edge. The echo alone does not say that the guest
    has served the interrupt behind it; a PC that halts has."""
    for byte in text:
        machine.send(bytes([byte]))
        machine.expect(re.escape(bytes([byte])))
        while machine.arch == "x86_64" and "HLT=1" not in machine.monitor("info registers"):
            pass


def both_counts(machine, arch):
    """The guest's count of the serial line and QEMU's, of one moment: the guest sleeps before its report, and we
    look while it sleeps. Where we came too late for that, once more."""
    for _ in range(10):
        paced(machine, b"sleep 4; " + REPORT.encode())
        machine.send(b"\r")
        machine.expect(rb"\r\n")
        raised = settled_raises(machine, arch)
        early = machine.nothing_came()
        report = machine.expect(rb"(event.*?)" + guest.NEW_PROMPT).group(1)
        if early:
            totals = vmstat_layout.totals(report.decode("ascii").replace("\r\n", "\n"))
            return totals[LINE[arch][0]], raised
    pytest.fail("the guest never slept while we looked")


def single_interrupts(machine, arch):
    """By how much the guest's count and QEMU's moved for bytes one by one, each answered before the next."""
    guest_before, monitor_before = both_counts(machine, arch)
    paced(machine, b"#" + b"x" * 40)
    machine.send(b"\r")
    machine.prompt()
    guest_after, monitor_after = both_counts(machine, arch)
    return guest_after - guest_before, monitor_after - monitor_before


def test_monitor_agrees_on_single_interrupts(machine, arch):
    """QEMU's count of raises moves exactly as the guest's does. On a busy host a byte's two raises may meet: QEMU counts
    the second although its line is up (see paced), so one of three rounds has to be without."""
    machine.in_step()
    rounds = []
    while len(rounds) < 3 and (not rounds or rounds[-1][0] != rounds[-1][1]):
        rounds.append(single_interrupts(machine, arch))
        assert rounds[-1][1] >= 80  # a byte in, a byte out
        assert rounds[-1][0] <= rounds[-1][1]
    assert rounds[-1][0] == rounds[-1][1], rounds


def test_handlers_share_their_line(machine):
    """In every report, loud or quiet, no child has more than its parent."""
    for loud in (b"", b"#" * 300 + b"\r", b"\t\x15" * 50):
        machine.send(loud)
        machine.in_step()
        for parent, children in vmstat_layout.families(machine.command(TREE)):
            assert sum(child.total for child in children) <= parent.total, parent


def test_handlers_share_their_line_under_load(machine):
    machine.send(b"vmstat -e -t -v 1 4\r" + b"#noise noise noise " * 300)
    machine.expect(rb"\r\n")
    text = machine.expect(rb"((?:event.*?\r\n\r\n){4})").group(1)
    for report in text.decode("ascii").replace("\r\n", "\n").split("\n\n")[:-1]:
        for parent, children in vmstat_layout.families(report + "\n\n"):
            assert sum(child.total for child in children) <= parent.total, parent


def test_quiet_line_is_the_sum_of_its_handlers(machine, arch):
    """Every delivery is a handler's or a spurious one, and nobody types now."""
    name = LINE[arch][0]
    machine.in_step()
    found = [f for f in vmstat_layout.families(machine.command(SETTLED + TREE)) if f[0].name == name]
    assert len(found) == 1
    parent, children = found[0]
    assert parent.total == sum(child.total for child in children)


# What comes in at the place bench_timer_entry: on the PC the timer alone, on Malta the one vector of all interrupts.
ENTERED_BY = {"x86_64": ["cpu0 timer"], "mips": ["cpu0 timer", "cpu0 int 2"]}


def entries(arch, tmp_path, work):
    """(executions of the vector's address, what the counters said) of a machine that did some work and reported."""
    out = tmp_path / "hits"
    plugin = guest.ROOT / "build" / "plugins" / "hits.so"
    entry = guest.symbols(arch)["bench_timer_entry"]
    result = guest.run(
        f"{work}; {REPORT}",
        *("--arch", arch, "--deterministic", "--", "-plugin", f"{plugin},out={out},addr={entry:#x}"),
    )
    totals = vmstat_layout.totals(result.text)
    return int(out.read_text().split()[1]), sum(totals[name] for name in ENTERED_BY[arch])


def test_plugin_sees_as_many_entries(arch, tmp_path):
    """The vector's address, watched from outside, is executed as often as the counters say. What comes after the
    report, mostly its own printing, is taken out by a second run that reports and does nothing else; the two may
    differ by a batch of output and a tick."""
    seen_idle, counted_idle = entries(arch, tmp_path, "true")
    seen, counted = entries(arch, tmp_path, "spin 1700; sleep 1")
    assert counted - counted_idle >= 160
    assert abs((seen - seen_idle) - (counted - counted_idle)) <= 3


def test_an_idle_cpu_does_not_tick(arch, tmp_path):
    """Seen from outside: a second of work has its hundred ticks, an idle second one, and one for the look at the loads."""
    seen_idle, _ = entries(arch, tmp_path, "true")
    seen, _ = entries(arch, tmp_path, "sleep 10")
    assert 10 <= seen - seen_idle <= 30
    seen, _ = entries(arch, tmp_path, "sleep 3; spin 500; sleep 3; spin 500")
    assert 100 <= seen - seen_idle <= 125


def test_spurious_interrupts_are_not_ended(tmp_path):
    """A LAPIC is told of the end of each interrupt that it has delivered, and of no spurious one: one more would end
    what another device has under way. How often it is told is seen from outside."""
    command = f"selftest spurious-provoked; {REPORT}"
    out, symbols = tmp_path / "hits", guest.symbols("x86_64", command)
    plugin = f"{guest.ROOT}/build/plugins/hits.so,out={out},mark={symbols['evcnt_export']:#x},addr={symbols['lapic_acknowledge']:#x}"
    result = guest.run(command, "--deterministic", "--", "-plugin", plugin)
    assert result.status == 0, result.said
    totals = vmstat_layout.totals(result.text[result.text.index("event ") :])
    assert totals["lapic0 spurious vector"] >= 100 and totals["cpu0 stray vector"] >= 100
    ended = totals["cpu0 timer"] + sum(totals[name] for name in totals if re.fullmatch(r"ioapic0 pin \d+", name))
    assert 0 <= ended - int(out.read_text().split()[1]) <= 2


def test_spurious_interrupts_of_the_i8259(quipu, arch):
    """Both kinds, with the pair as the PC's only controller and behind Malta's pin."""
    more = ["--append", "apic=off"] if arch == "x86_64" else []
    result = quipu(f"selftest spurious-provoked; {REPORT}", *more)
    totals = vmstat_layout.totals(result.text[result.text.index("event ") :])
    for line in ("i8259 irq 7", "i8259 irq 15") if arch == "x86_64" else ("cpu0 int 2",):
        assert totals[f"{line} spurious"] >= 100 and totals[line] >= totals[f"{line} spurious"], line
    # The line is served as before.
    assert result.status == 0 and totals["com0 intr"] > 0


def stamps(arch):
    """The addresses where interrupt_dispatch reads the cycle counter: first, and last in each of its two ways."""
    prefix, pattern = ("mips64-linux-gnuabi64-", r"mfc0\s+\w+,(c0_count|\$9)") if arch == "mips" else ("", r"rdtsc")
    listing = subprocess.run(
        [prefix + "objdump", "-d", "--disassemble=interrupt_dispatch", guest.ROOT / "build" / arch / "quipu.elf"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    found = [int(line.split(":")[0], 16) for line in listing.splitlines() if re.search(pattern, line)]
    assert len(found) == 3, listing
    return found[0], found[1:]


def test_what_cpu_time_leaves_out(arch, tmp_path):
    """The instructions of a timer interrupt before the first timestamp and from the last one on belong to what was
    interrupted. How many they are stands in the documentation; another compiler may make a few more or less."""
    first, ends = stamps(arch)
    symbols, out = guest.symbols(arch), tmp_path / "spans"
    entry, end = symbols["bench_timer_entry"], symbols["bench_timer_return"]
    plugin = f"{guest.ROOT}/build/plugins/count.so,out={out}"
    plugin += "".join(f",start={a:#x},end={b:#x}" for a, b in ((entry, end), (entry, first), *((last, end) for last in ends)))
    more = ("--deterministic", "--no-pmu", "--", "-plugin", plugin)
    assert guest.run("bench timer", "--arch", arch, *more).status == 0
    spans = [[int(number) for number in line.split()[3:6]] for line in out.read_text().splitlines()]
    whole, before, after = (median for _, _, median in [*spans[:2], max(spans[2:])])  # the timer's way is taken most often
    text = (guest.ROOT / "docs" / "life" / "THREAD.md").read_text()
    board = "Malta" if arch == "mips" else "PC"
    told = re.search(rf"^\| {board} +\| (\d+) +\| (\d+) +\| (\d+) +\|$", text, re.M)
    measured = (whole, before - 1, after - 1)  # both ends were counted; a stamp is on neither side
    assert all(abs(int(a) - b) <= 8 for a, b in zip(told.groups(), measured, strict=True)), measured


def test_intrstat_agrees_with_vmstat(quipu):
    text = quipu("sleep 1; intrstat -s; vmstat -e -v", "--deterministic").text
    split = text.index("event")
    totals = vmstat_layout.totals(text[split:])
    for line in (row for row in text[:split].splitlines()[1:] if "before there was a clock" not in row):
        name, count = line[:20].strip(), int(line[20:].split()[0])
        # The table's own bytes move the serial line, and time the clock, until the second table is made.
        assert count <= totals[name] <= count + 60, line


# Where the 8254 interrupts, and whether the clock uses that line later.
CALIBRATED = [
    pytest.param(["--arch", "x86_64"], "ioapic0 pin 2", False, id="x86_64"),
    pytest.param(["--arch", "x86_64", "--append", "apic=off"], "i8259 irq 0", True, id="x86_64-i8259"),
    pytest.param(["--arch", "mips"], "i8259 irq 0", False, id="mips"),
]


@pytest.mark.parametrize("how, line, shared", CALIBRATED)
def test_served_before_there_was_time(how, line, shared):
    """What came before the clock was calibrated is counted, and in no column of times: it did not take 0 ns. How much
    that was, the handler of the calibration tells."""
    script = "sleep 0.5; kstat -q; intrstat; echo ===; kstat -p -s /_le_/; echo ===; vmstat -e"
    table, stats, events = guest.run(script, *how, "--deterministic").text.split("===\n")
    early = vmstat_layout.totals(events)["pit0 intr"]
    assert early >= 2
    row = re.search(rf"^{line} +(\d+) +\d+ +\d+ +\d+ +(\S+) +(\S+) +(\S+)\n((?:  .*\n)*)", table, re.M)
    served = sum(int(count) for count in re.findall(r"^ +\d+ - +\d+ ns +(\d+)", row[5], re.M))
    assert int(row[1]) == served + early
    assert (served > 0) == shared and (row.group(2, 3, 4) == ("-", "-", "-")) != shared
    assert not re.search(r"^ +0 - +0 ns", table, re.M)
    assert re.search(rf"^{line}: {early} of these came before there was a clock, and are in no column of times$", table, re.M)
    assert table.count("before there was a clock") == 1
    name = line.split(" ", 1)[1].replace(" ", "")
    buckets = re.findall(rf"^\w+:0:{name}_service:(\d\d)_le_\d+\t(\d+)$", stats, re.M)
    assert "00" not in dict(buckets) and served <= sum(int(count) for _, count in buckets) <= served + (3 if shared else 0)


# GDB's numbers of the registers of QEMU's targets: the stack pointer, the program counter; their byte order.
REGISTERS = {"x86_64": (7, 16, "little"), "mips": (29, 37, "big")}


def test_the_stack_pointer_is_one_at_every_instruction(boot, arch, tmp_path):
    """Where a thread leaves for user mode, interrupts come at any instruction, and put a frame below sp."""
    begin, end = (guest.symbols(arch, "selftest")[name] for name in ("user_start", "user_begin"))
    sp, pc, order = REGISTERS[arch]
    machine = boot(test=True, arguments=["-gdb", f"unix:{tmp_path}/gdb,server=on,wait=off", "-S"])
    debugger = gdb_remote.Debugger(tmp_path / "gdb")
    debugger.go_on_to(begin)
    machine.prompt()
    machine.send(b"selftest pmu-user\r")
    debugger.is_at(begin)
    first, seen = debugger.register(sp, order), 0
    while debugger.register(pc, order) != end:
        assert 0 <= first - debugger.register(sp, order) <= 2048, seen
        debugger.step(1)
        seen += 1
    assert seen > 20
