# SPDX-License-Identifier: BSD-2-Clause
"""perfex(1): what it counts of programs whose events are known, and which events it refuses."""

import re

import linux_program
import perfex
import pytest
import r10k

import guest

pytestmark = pytest.mark.programs

LOADS = 1024  # of each turn of `walk`, two instructions at least
SLACK = 200000  # of instructions: what a C library's start takes, and what asks for counts
LOOP = 2 * 10000000  # of tests/programs/r10k_perfex.c


def test_instructions(arch):
    """Both counters agree to the instruction, and a program's turns are all there."""
    (few, many), _ = perfex.run(arch, "perfex -e 15 -e 17 walk 1000", "perfex -e instructions -e 17 walk 3000")
    assert few.count[15] == few.count[17] and many.count[15] == many.count[17]
    assert many.count[15] - few.count[15] >= 2000 * LOADS * 2
    assert not many.projected


def test_loads():
    """The difference between two programs is that of their loads; an SC that an interrupt fails has its LL loaded again."""
    why = linux_program.missing("mips")
    if why:
        pytest.skip(why)
    (few, many), _ = perfex.run("mips", "perfex -e 18 walk 1000", "perfex -e LOADS walk 3000")
    assert abs(many.count[18] - few.count[18] - 2000 * LOADS) <= 3


def test_names_of_the_revision():
    """What pmc list calls events 6 and 14 depends on the chip's revision; perfex and ecadmin take those names, and their own."""
    why = linux_program.missing("mips")
    if why:
        pytest.skip(why)
    rows = re.findall(r"^  (6|14) +0 +\S+ +(\S+)", guest.run("pmc list", "--arch", "mips").text, re.M)
    names = {int(number): name for number, name in rows}
    assert set(names) == {6, 14} and names[6].startswith("branches-")
    reports, _ = perfex.run("mips", *(f"perfex -e {name} walk 1" for name in (*names.values(), "branches", "coherency")))
    assert [set(report.count) for report in reports] == [{6}, {14}, {6}, {14}]
    result = guest.run(f"ecadmin -l -e {','.join(names.values())}; ecadmin -r", "--arch", "mips")
    assert [line.split()[0] for line in result.text.splitlines()] == ["6", "14"]


def test_wrong_use(arch):
    """Each with a line that says why, and status 2; 1 where a file is not there."""
    wrong = {
        "perfex -e 1 -e 2 ls": ("conflicting events 1 and 2", 2),
        "perfex -e 32 ls": ("no event 32", 2),
        "perfex -a -e 1 ls": ("usage: perfex", 2),
        "perfex -e 1 -e 17 -e 18 ls": ("usage: perfex", 2),
        "perfex -s -mp ls": ("usage: perfex", 2),
        "perfex -k -mp ls": ("usage: perfex", 2),
        "perfex -p0 ls": ("-p0: not a number of seconds", 2),
        "perfex": ("usage: perfex", 2),
        "perfex -y -c /none ls": ("/none: No such file or directory", 1),
        "perfex nothing-like-it": ("nothing-like-it: No such file or directory", 127),
        "perfex -o /none/x ls": ("/none/x: No such file or directory", 1),
    }
    for command, (text, status) in wrong.items():
        result = guest.run(command, "--arch", arch)
        assert text in result.text and result.status == status, (command, result.said)


# Misses of one multiplication of 128 rows, by hand (docs/TUTORIAL.md), and how much of that may differ.
ORDERS = {"kij": (128 * (4096 + 128 + 32), 0.01), "ijk": (128**3, 0.03), "jki": (2 * 128**3 + 128**2, 0.001)}


def test_orders_of_loops():
    """The primary cache tells three orders of the same multiplications apart as the textbook does, and perfex -a -y too."""
    why = linux_program.missing("mips")
    if why:
        pytest.skip(why)
    commands = [f"perfex -e 15 -e 25 matrix {order} 128 {times}" for order in ORDERS for times in (1, 3)]
    reports, _ = perfex.run("mips", *commands, options=["--deterministic"])
    text = (guest.ROOT / "docs" / "TUTORIAL.md").read_text()
    for order, one, three in zip(ORDERS, reports[::2], reports[1::2], strict=True):
        truth, error = ORDERS[order]
        misses = (three.count[25] - one.count[25]) / 2
        assert abs(misses - truth) <= error * truth, (order, misses)
        told = re.search(rf"^\| `{order}` \| [\d,]+ \| ([\d,]+) \| {truth:,}", text, re.M)
        assert abs(int(told[1].replace(",", "")) - misses) <= 0.01 * misses, (order, misses)


def test_events_that_the_processor_lacks():
    """Are refused by name, and nothing is run and nothing reported."""
    for option in "-e 25", "-e 15 -e L1-DCACHE-MISSES":
        result = guest.run(f"perfex {option} echo x", "--arch", "x86_64")
        assert result.status == 1, result.said
        assert result.said.endswith("perfex: event 25 (Primary data cache misses): not supported by this processor\n")
        assert "Summary" not in result.said and "\nx\n" not in result.said


def test_all(arch):
    """All events that there are take turns, are multiplied by their number on a counter, and say so."""
    (exact, every), result = perfex.run(arch, "perfex -e 15 -e 16 matrix ijk 128 20", "perfex -a matrix ijk 128 20", options=r10k.SLOW)
    assert set(every.count) == every.projected == (set(range(32)) if arch == "mips" else {0, 15, 16, 17, 24})
    for event in (0, 15, 16, 17):
        truth = exact.count[15 if event in (15, 17) else 16]
        assert abs(every.count[event] - truth) < truth / 8, (event, every.text)
    assert "too few" not in result.text


def test_too_few_ticks(arch):
    """A command that ends before each event had a turn is told of."""
    (report,), result = perfex.run(arch, "perfex -a echo", options=["--deterministic"])
    assert "too few for all of" in result.text and report.projected


def test_environment(arch):
    """T5_EVENT0 and T5_EVENT1; what the command line says comes first."""
    commands = ["15 17 perfex ls", "15 '' perfex ls", "15 17 perfex -e 16 ls"]
    reports, _ = perfex.run(arch, *(f"r10k_perfex env {each}" for each in commands), options=perfex.under(arch))
    assert [set(report.count) for report in reports] == [{15, 17}, {15}, {16}]
    assert reports[0].count[15] == reports[0].count[17] > 0


def test_output(arch):
    """-o: nothing of it is printed elsewhere."""
    result = guest.run("perfex -o /tmp/counts -e 15 true; echo between; cat /tmp/counts", "--arch", arch)
    before, after = result.text.split("between")
    assert "Summary" not in before and "Graduated instructions" in after


def test_kernel(arch):
    """-k: what the kernel does, too; the calls' kernel instructions are many times the program's."""
    (user, both), _ = perfex.run(arch, "perfex -e 15 calls 100000", "perfex -k -e 15 calls 100000")
    assert both.count[15] > user.count[15] + 100000 * 50


REFILL = 41  # instructions of a TLB refill for a user's address: user/perfex/costs.mips


def refills(reports):
    """(instructions in exceptions beyond those of refills, refills) of the one of REPORTS that the clock interrupted least;
    the first of them is without exceptions."""
    user, *both = reports
    return min((each.count[15] - user.count[15] - REFILL * each.count[23], each.count[23]) for each in both)


def test_exceptions():
    """-x on a Malta: a TLB refill's instructions, as the table of costs says, are counted only with it."""
    why = linux_program.missing("mips")
    if why:
        pytest.skip(why)
    commands = [f"perfex {x}-e 15 -e 23 tlb {n}" for n in (500, 1500) for x in ("", "-x ", "-x ", "-x ")]
    reports, _ = perfex.run("mips", *commands, options=["--deterministic"])
    few, many = refills(reports[:4]), refills(reports[4:])
    count = many[1] - few[1]
    assert count > 1000 * 100 and abs(many[0] - few[0]) < count / 2, (few, many)


def test_refills_as_the_kernel_counts_them():
    """Also those of the program's own code, right behind another's: 1 in 64 was told as the kernel's. What else the kernel
    counts is perfex's and vmstat's."""
    why = linux_program.missing("mips")
    if why:
        pytest.skip(why)
    commands = [f"perfex {x}-e 23 tlb 500; vmstat -e" for x in ("", "-x ", "", "-x ")]
    reports, result = perfex.run("mips", *commands, options=["--deterministic"])
    kernel = [0] + [int(count) for count in re.findall(r"^cpu0 TLB refill user +(\d+)", result.text, re.M)]
    assert len(kernel) == 1 + len(reports)
    others = [after - before - report.count[23] for before, after, report in zip(kernel, kernel[1:], reports)]
    assert all(report.count[23] > 100 * 1000 for report in reports)
    assert all(0 <= each < 1000 for each in others), (others, kernel)


def test_signals(arch):
    """-s: what is between SIGUSR1 and SIGUSR2 is counted, twice, and nothing else."""
    (report,), _ = perfex.run(arch, "perfex -s -e 15 r10k_perfex signals", options=perfex.under(arch))
    assert 2 * LOOP <= report.count[15] < 3 * LOOP


def test_periods(arch):
    """-p: reports that grow, one each period, up to what the summary says."""
    (report,), result = perfex.run(arch, "perfex -p0.2 -e 15 -e 16 spin 900")
    so_far = [int(count) for count in re.findall(r"^15 .* (\d+)$", result.text, re.M)]
    assert re.findall(r"After (\S+) s of spin 900", result.text)[:3] == ["0.20", "0.40", "0.60"]
    assert len(so_far) >= 4 and so_far == sorted(so_far) and so_far[-1] == report.count[15]


def test_processes(arch):
    """-mp: each process's own count beside the sum of all."""
    _, result = perfex.run(arch, "perfex -mp -e 15 r10k_perfex family", options=perfex.under(arch))
    whole, *each = [int(count) for count in re.findall(r"^15 .* (\d+)$", result.text, re.M)]
    assert result.text.count("(r10k_perfex), as last seen") == len(each) == 3
    _, one, two = each
    assert LOOP <= one < LOOP + SLACK and 2 * LOOP <= two < 2 * LOOP + SLACK
    assert 3 * LOOP <= whole < 3 * LOOP + SLACK


def test_counters_taken_away(arch):
    """What was counted until then, as such, with a line on standard error, and a status that is not 0; of a child's, too."""
    script = "perfex -e 15 r10k_perfex taken; echo status $?; perfex -e 15 r10k_perfex loop 1000; echo status $?"
    result = guest.run(script, "--arch", arch, *perfex.under(arch))
    taken, whole, _ = result.text.split("status ")
    assert "Summary until the counters were taken away for execution of r10k_perfex taken" in taken
    assert LOOP <= perfex.Report(taken).count[15] < LOOP + SLACK
    assert "perfex: r10k_perfex: the counters were taken for the whole system meanwhile; counts are not whole\n" in taken
    assert whole.startswith("1\n") and "Summary for execution of" in whole and result.text.endswith("status 0\n")


def test_system_changed(arch):
    """-k: other events than those asked for are counted since; or nothing is."""
    for command in "ecadmin -d 15 -e 0", "ecadmin -r":
        result = guest.run(f"perfex -k -e 15 {command}", "--arch", arch)
        assert "Summary until the counters were taken away for execution of" in result.said
        assert "perfex: ecadmin: the counters were taken" in result.said and result.status == 1
