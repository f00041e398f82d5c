# SPDX-License-Identifier: BSD-2-Clause
"""vmstat's tables: the layout to the column, and the arithmetic within a report."""

import re

import pytest

import vmstat_layout


def test_interrupts(quipu):
    result = quipu("sleep 1; vmstat -i")
    rows = vmstat_layout.parse(result.text, "interrupt")
    assert result.status == 0, result.said
    assert rows[-1].name == "Total" and "cpu0 timer" in [row.name for row in rows]
    assert all(row.total > 0 for row in rows), "without -v, what never came is left out"
    assert "com0 intr" in [row.name for row in rows]


def test_total_counts_nothing_twice(quipu):
    """The sum of the rows whose parent is not listed: a handler's row under its line's adds nothing."""
    text = quipu("sleep 1; vmstat -i; vmstat -e -t", "--deterministic").text
    table, tree = text[: text.index("event")], text[text.index("event") :]
    rows = vmstat_layout.parse(table, "interrupt")
    children = {row.name for _, family in vmstat_layout.families(tree) for row in family}
    assert rows[-1].total == sum(row.total for row in rows[:-1] if row.name not in children)
    assert rows[-1].total < sum(row.total for row in rows[:-1])


def test_events(quipu):
    rows = vmstat_layout.parse(quipu("sleep 1; vmstat -e").text, "event")
    assert {row.type for row in rows} <= {"intr", "misc", "trap"}
    assert all(row.total > 0 for row in rows) and "Total" not in [row.name for row in rows]
    every = vmstat_layout.parse(quipu("vmstat -e -v").text, "event")
    assert {"intr", "misc", "trap"} <= {row.type for row in every}
    assert any(row.total == 0 for row in every)


def test_rate_is_truncated(quipu):
    text = quipu("sleep 3; vmstat -e; uptime", "--deterministic").text
    seconds = 3
    for row in vmstat_layout.parse(text[: text.rindex("\n\n") + 2], "event"):
        assert row.rate == row.total // seconds, row


@pytest.mark.parametrize("how", ["1 3", "-w 1 -c 3", "-c 3 -w 1", "-c 3"])
def test_intervals(quipu, how):
    text = quipu(f"vmstat -i {how}").text
    reports = [report + "\n\n" for report in text.split("\n\n") if report]
    assert len(reports) == 3 and text.endswith("\n\n")
    tables = [vmstat_layout.totals(report, "interrupt") for report in reports]
    for earlier, later in zip(tables, tables[1:]):
        assert later["Total"] > earlier["Total"]
        assert all(later[name] >= total for name, total in earlier.items())


@pytest.mark.parametrize("bad", ["-q", "-i -q", "x", "-c", "-c x", "1 2 3", "-w 0"])
def test_bad_usage(quipu, bad):
    result = quipu(f"vmstat {bad}")
    assert result.status == 2
    assert "vmstat" in result.text


def test_names_of_the_issue(quipu, arch):
    names = list(vmstat_layout.totals(quipu("vmstat -e -v").text))
    line = "ioapic0 pin 4" if arch == "x86_64" else "i8259 irq 4"
    for name in ["cpu0 timer", "com0 intr", "com0 rx bytes", "com0 tx bytes", line]:
        assert name in names


def test_pages_of_programs_and_files(quipu, arch):
    """What vmstat calls active and cached is what `mem -v` says that processes, their common memory and files have, while one runs."""
    text = quipu("echo x > /tmp/a; sleep 2 | cat & sleep 0.5; vmstat -s; mem -v", "--arch", arch, "--deterministic").text
    sums = {name: int(value) for value, name in re.findall(r"^ *(\d+) (\w[\w ]+)$", text, re.M)}
    owners = {name: int(pages) for name, pages in re.findall(r"^(\w[\w ]*?) +(\d+) +[+-]?\d+$", text, re.M)}
    assert owners["processes"] > 0 and sums["pages active"] == owners["processes"] + owners.get("memory objects", 0)
    assert sums["cached file pages"] == owners["files"] > 0
