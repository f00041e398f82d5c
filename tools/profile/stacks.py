# SPDX-License-Identifier: BSD-2-Clause
"""Collapsed call chains: reads `a;b;c COUNT` lines (root first) out of a command's output, and makes a tree of them.

The guest prints them after everything else, behind a line that says `stacks:`; other lines are not ours.
"""

import dataclasses
import re

HEADING = "stacks:"
LINE = re.compile(r"(\S.*) ([0-9]+)")


class Malformed(Exception):
    """The output holds no stacks, or something that is none among them."""


@dataclasses.dataclass
class Frame:
    """A function at a place of the graph: [start, start + total) in samples, row 0 for the root."""

    name: str
    row: int = 0
    start: int = 0
    total: int = 0
    own: int = 0  # samples in the function itself, in none that it called
    children: dict = dataclasses.field(default_factory=dict)


def split(text):
    """(the lines that are not stacks, the stacks as (names, count))"""
    lines = text.splitlines()
    if HEADING not in lines:
        raise Malformed("the guest printed no stacks")
    # The last one: the profiled command may print anything.
    at = len(lines) - 1 - lines[::-1].index(HEADING)
    return lines[:at], [stack(line) for line in lines[at + 1 :]]


def stack(line):
    match = LINE.fullmatch(line)
    names = tuple(match.group(1).split(";")) if match else ()
    if not match or "" in names:
        raise Malformed(f"not a stack: {line!r}")
    return names, int(match.group(2))


def tree(stacks, root="all"):
    """Equal chains are added up. Raises Malformed if there is not one sample."""
    top = Frame(root)
    for names, count in stacks:
        if count == 0:
            continue
        frame = top
        frame.total += count
        for name in names:
            frame = frame.children.setdefault(name, Frame(name, frame.row + 1))
            frame.total += count
        frame.own += count
    if top.total == 0:
        raise Malformed("not one sample was taken")
    for frame in walk(top):
        start = frame.start
        for child in ordered(frame):
            child.start = start
            start += child.total
    return top


def ordered(frame):
    """By name, so that a picture does not depend on the order of lines."""
    return [frame.children[name] for name in sorted(frame.children)]


def walk(top):
    """Every frame, callers before what they called, from left to right."""
    left = [top]
    while left:
        frame = left.pop()
        yield frame
        left.extend(reversed(ordered(frame)))


def functions(stacks):
    """{name: (samples in it, samples in it or what it called)}; recursion counts once."""
    found = {}
    for names, count in stacks:
        for name in set(names):
            own, total = found.get(name, (0, 0))
            found[name] = own + (count if name == names[-1] else 0), total + count
    return found
