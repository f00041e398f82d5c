# SPDX-License-Identifier: BSD-2-Clause
"""The kstat of a line, against the interrupts that a self-test made on it."""

import re


def test_second_devices_and_spurious_ones(quipu):
    """Of 14 deliveries to two devices 2 were served by both and 4 by none; one more came when a device had left."""
    text = quipu("selftest interrupt-shared; kstat -p selftest:0:line0 selftest:0:line0_service").text
    values = {name: int(value) for name, value in re.findall(r"^selftest:0:line0:(\w+)\t(\d+)$", text, re.M)}
    assert values["multiple_service"] == 2 and values["spurious"] == 4
    assert sum(map(int, re.findall(r"line0_service:\d+_le_\d+\t(\d+)", text))) == 15
