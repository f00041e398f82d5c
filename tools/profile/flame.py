# SPDX-License-Identifier: BSD-2-Clause
"""Draws a flame graph: one SVG file that needs nothing else, and is the same for the same stacks.

The boxes lie in an inner picture whose unit is one sample across and one row down, so their widths are whole numbers
of samples. flame.js zooms by choosing another part of that picture; it lays the labels out anew.
"""

import pathlib
import zlib
from xml.sax.saxutils import escape

import stacks

WIDTH = 1200
ROW = 18
TOP = 44
BOTTOM = 26
LETTER = 6.7  # pixels
SCRIPT = pathlib.Path(__file__).with_name("flame.js")

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" id="flame" width="{width}" height="{height}" viewBox="0 0 {width} {height}"
 font-family="monospace" font-size="11" data-samples="{samples}" data-width="{width}" data-letter="{letter}">
<style>
.box {{ stroke: #fff; stroke-width: 0.5; vector-effect: non-scaling-stroke; cursor: pointer }}
.box:hover {{ stroke: #000 }}
.label {{ pointer-events: none }}
.button {{ cursor: pointer; fill: #0645ad }}
</style>
<rect width="100%" height="100%" fill="#f8f8f4"/>
<text x="600" y="18" text-anchor="middle" font-size="15">{title}</text>
<text id="whole" class="button" x="6" y="36">whole</text>
<text id="search" class="button" x="56" y="36">search</text>
<text id="note" x="110" y="36">{note}</text>
"""


def text(value):
    """As XML can hold it: markup escaped, control characters shown as question marks."""
    return escape("".join(c if c.isprintable() else "?" for c in value), {'"': "&quot;"})


def percent(part, whole):
    """With two decimals, rounded to the nearest, halves up; in integers."""
    hundredths = (part * 20000 + whole) // (2 * whole)
    return f"{hundredths // 100}.{hundredths % 100:02}%"


def samples(count):
    return f"{count:,} sample" + ("" if count == 1 else "s")


def colour(name):
    """Warm, and always the same for a name."""
    number = zlib.crc32(name.encode())
    return f"#{205 + number % 50:02x}{80 + number // 50 % 120:02x}{20 + number // 6000 % 50:02x}"


def label(name, part, whole):
    """What fits into the box: the name, its beginning, or nothing."""
    letters = int((part * WIDTH / whole - 6) / LETTER)
    if letters >= len(name):
        return name
    return name[: letters - 2] + ".." if letters >= 4 else ""


def draw(top, title):
    """The SVG file's text. `top` is what stacks.tree gives."""
    frames = list(stacks.walk(top))
    rows = 1 + max(frame.row for frame in frames)
    height = TOP + rows * ROW + BOTTOM
    head = {"width": WIDTH, "height": height, "samples": top.total, "letter": LETTER}
    pieces = [HEAD.format(**head, title=text(title), note=samples(top.total))]
    pieces.append(
        f'<svg id="boxes" x="0" y="{TOP}" width="{WIDTH}" height="{rows * ROW}" '
        f'viewBox="0 0 {top.total} {rows}" preserveAspectRatio="none">\n'
    )
    pieces.extend(box(frame, rows, top.total) for frame in frames)
    pieces.append("</svg>\n")
    pieces.extend(caption(frame, rows, top.total) for frame in frames)
    pieces.append(f"<script><![CDATA[\n{SCRIPT.read_text()}]]></script>\n</svg>\n")
    return "".join(pieces)


def box(frame, rows, whole):
    """Roots at the bottom."""
    hover = f"{text(frame.name)}: {samples(frame.total)}, {percent(frame.total, whole)}"
    return (
        f'<rect class="box" x="{frame.start}" y="{rows - 1 - frame.row}" width="{frame.total}" height="1" '
        f'fill="{colour(frame.name)}" data-name="{text(frame.name)}"><title>{hover}</title></rect>\n'
    )


def caption(frame, rows, whole):
    x = frame.start * WIDTH / whole + 3
    y = TOP + (rows - 1 - frame.row) * ROW + 13
    return f'<text class="label" x="{x:.2f}" y="{y}">{text(label(frame.name, frame.total, whole))}</text>\n'
