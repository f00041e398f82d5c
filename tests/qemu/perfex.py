# SPDX-License-Identifier: BSD-2-Clause
"""What perfex(1) and its like print, read back."""

import re

import guest
import r10k

ROW = re.compile(r"^ ?(\d+) [^.\n]+\.+ +(\d+)( \*| {0,2})((?: +\d+\.\d+)*)$", re.M)


class Report:
    """Of each event what was counted, its times if there are any, whether it is projected; statistics by name."""

    def __init__(self, text):
        self.text = text
        rows = ROW.findall(text)
        self.count = {int(event): int(count) for event, count, _, _ in rows}
        self.order = [int(event) for event, _, _, _ in rows]
        self.projected = {int(event) for event, _, mark, _ in rows if "*" in mark}
        self.times = {int(event): tuple(map(float, times.split())) for event, _, _, times in rows if times}
        statistics = text.partition("\nStatistics\n")[2]
        self.statistics = {name: float(value) for name, value in re.findall(r"^(.+?)\.+ +(-?[\d.]+)$", statistics, re.M)}


def run(arch, *commands, options=()):
    """The summary that each command's perfex printed, and all that was printed."""
    result = guest.run("; ".join(commands), "--arch", arch, *options)
    reports = [Report(text) for text in result.text.split("Summary for execution of")[1:]]
    return reports, result


def under(arch):
    """Options that bring tests/programs/r10k_perfex.c along."""
    return ["--add", f"{r10k.built('r10k_perfex', arch)}=/bin/r10k_perfex"]
