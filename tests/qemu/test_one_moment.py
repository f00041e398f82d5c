# SPDX-License-Identifier: BSD-2-Clause
"""Tables are read before they are printed, children before parents: in none does a part exceed the whole, although
printing a table moves the serial line's counts."""

import re

import guest
import pytest

TABLES = "intrctl list; intrctl list; intrstat -as; intrstat -s; intrstat -a; intrstat -c; intrstat -c 0.1 2"


def counts(table):
    """[(line, count)] of a table of `intrctl list`, `intrstat` or `intrstat -c` on one CPU."""
    rows = re.finditer(r"^ *((?:cpu|i8259)\S* [^|\n]*?\S)(?: \| +| {2,})(\d+)\b", table, re.M)
    return [(row[1], int(row[2])) for row in rows]


def test_lines_behind_a_line():
    """Malta's pin 2 is the way to all lines of the i8259s."""
    text = guest.run(TABLES, "--arch", "mips", "--deterministic").text
    tables = re.split(r"^(?:interrupt id|line +count|\n? +device \|)", text, flags=re.M)[1:]
    assert len(tables) == 8
    for number, table in enumerate(tables):
        rows = counts(table)
        whole = dict(rows)["cpu0 int 2"]
        assert whole > 0 or number >= 6
        parts = sum(count for line, count in rows if line.startswith("i8259 irq"))
        # Of an interval both ends are read so: a part may have what the whole has in the next, or the one before.
        assert parts <= whole + (2 if number >= 6 else 0), table


@pytest.mark.parametrize("cpus", [1, 4])
def test_histograms_are_parts_of_their_lines(arch, cpus):
    if cpus > 1 and arch == "mips":
        pytest.skip("Malta has one CPU")
    text = guest.run("spin 200; intrstat; intrstat; intrstat", "--arch", arch, "--cpus", cpus).text
    seen = 0
    for match in re.finditer(r"^\w+ [^\n]*?\S +(\d+) +\d+ +\d+ +\d+(?: +[-\d]+){3}\n((?:  .*\n)*)", text, re.M):
        served = sum(int(count) for count in re.findall(r"^ +\d+ - +\d+ ns +(\d+)", match[2], re.M))
        assert served <= int(match[1]), match[0]
        seen += served > 0
    assert seen >= 6


def test_cpus_are_read_together():
    """Each CPU's line of `mpstat -n` ends with the CPU's age, so it says when the line was read: crtime is when the CPU
    began. Printing a line takes far longer than reading all CPUs; in a deterministic run both are instructions."""
    text = guest.run("kstat -p '::sys:crtime'; sleep 1; mpstat -n", "--cpus", 4, "--deterministic").text
    born = {int(cpu): round(float(time) * 1e9) for cpu, time in re.findall(r"^cpu:(\d):sys:crtime\t(\S+)$", text, re.M)}
    ages = {int(row.split()[0]): int(row.split()[5]) for row in text[text.index("CPU ") :].splitlines()[1:]}
    assert set(born) == set(ages) == set(range(4))
    read = [born[cpu] + ages[cpu] for cpu in (1, 2, 3)]  # CPU 0 is older than the clock
    assert max(read) - min(read) < 5_000, read


def test_protocols_are_parts_of_each_other():
    """What icmp received, ip received before; one CPU sends pings to itself while the other prints."""
    script = "on 1 ping -q -c 1000000 -i 0.00001 127.0.0.1 & sleep 0.01; " + "on 0 netstat -s; sleep 0.02; " * 40 + "stop 1; wait"
    names = ["packets received", "packets for this host", "messages received", "echo requests received", "echo replies received"]
    seen = set()
    for report in guest.run(script, "--cpus", 2).text.split("\nip:\n")[1:]:
        ip, ours, icmp, requests, replies = (int(re.search(rf"^\t(\d+) {name}$", report, re.M)[1]) for name in names)
        assert requests + replies <= icmp <= ours <= ip, report
        seen.add(ip)
    assert len(seen) > 5, "the tables are of different moments"
