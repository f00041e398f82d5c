# SPDX-License-Identifier: BSD-2-Clause
"""Takes vmstat's tables apart and insists that every column is exactly where it belongs."""

import dataclasses
import re


@dataclasses.dataclass
class Row:
    name: str
    total: int
    rate: int
    type: str | None
    depth: int


def _width(least, values):
    return max([least, *(len(str(value)) for value in values)])


def parse(report, title):
    """The rows of one report (a Total included); `title` is "interrupt" or "event"."""
    lines = report.splitlines()
    assert lines and lines[0].startswith(title), lines[:1]
    assert lines[-1] == "", "a report ends with an empty line"
    typed = title == "event"
    rows = [_row(line, typed) for line in lines[1:-1]]
    names = _width(len(title), [" " * 2 * row.depth + row.name for row in rows])
    totals = _width(5, [row.total for row in rows])
    rates = _width(4, [row.rate for row in rows])
    tail = " type" if typed else ""
    assert lines[0] == f"{title:<{names}}  {'total':>{totals}} {'rate':>{rates}}{tail}"
    for line, row in zip(lines[1:-1], rows):
        name = "  " * row.depth + row.name
        tail = f" {row.type}" if typed else ""
        assert line == f"{name:<{names}}  {row.total:>{totals}} {row.rate:>{rates}}{tail}"
    return rows


def _row(line, typed):
    pattern = r"( *)(.*\S) +(\d+) +(\d+)" + (r" (intr|misc|trap|\?)" if typed else r"()")
    match = re.fullmatch(pattern, line)
    assert match, f"not a row: {line!r}"
    indent, name, total, rate, kind = match.groups()
    assert len(indent) % 2 == 0, line
    return Row(name, int(total), int(rate), kind or None, len(indent) // 2)


def totals(report, title="event"):
    """{name: total}; where a name comes twice, the first."""
    found = {}
    for row in parse(report, title):
        found.setdefault(row.name, row.total)
    return found


def families(report):
    """[(parent row, [child rows])] of a tree (`vmstat -e -t`)."""
    stack, found = [], {}
    for row in parse(report, "event"):
        del stack[row.depth :]
        assert len(stack) == row.depth, f"{row.name} hangs in the air"
        if stack:
            found.setdefault(id(stack[-1]), (stack[-1], []))[1].append(row)
        stack.append(row)
    return list(found.values())
