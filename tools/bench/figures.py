# SPDX-License-Identifier: BSD-2-Clause
"""The figures that `make bench` measures: what, against whom, and between which places in the kernel.

A place is a symbol of the kernel, with an optional "+offset" in bytes. The peers' numbers were measured in the
same way on the same QEMU.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    peers: dict
    goal: dict


@dataclasses.dataclass(frozen=True)
class Boot(Figure):
    """Instructions from the kernel's entry to the first time that the shell waits for input."""

    memory: dict


@dataclasses.dataclass(frozen=True)
class Span(Figure):
    """Instructions from one place to the next of some others, over many times; the least and the median are shown.

    `commands` makes it happen. `less` is what a span holds that is not the thing itself (the marker calls).
    """

    commands: str
    start: dict
    ends: dict
    less: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Text(Figure):
    """Bytes of machine code."""


def both(value):
    return {"x86_64": value, "mips": value}


BOOT_PEERS = {
    "x86_64": "Zephyr 168,000 / 695,000, Unikraft 4.6 M, LK 17.7 M, xv6 73 M",
    "mips": "Zephyr 25,200 / 68,700, LK 55,300",
}

FIGURES = [
    Boot("entry to prompt, 128 MiB", BOOT_PEERS, {"x86_64": 160000, "mips": 25000}, both(128)),
    Boot("entry to prompt, most memory", BOOT_PEERS, {}, {"x86_64": 4096, "mips": 2048}),
    Span(
        "one timer interrupt",
        {"x86_64": "Zephyr 158, LK 363, Unikraft 93", "mips": "LK 183, Zephyr 240"},
        {"x86_64": 120, "mips": 160},
        commands="bench timer",
        start=both("bench_timer_entry"),
        ends=both(["bench_timer_return"]),
    ),
    Span(
        "one evcnt_incr, static",
        {"x86_64": "LK 5, Zephyr 1", "mips": "LK 5, Zephyr 9"},
        {"x86_64": 1, "mips": 5},
        commands="bench evcnt",
        start=both("bench_evcnt_begin"),
        ends=both(["bench_evcnt_end"]),
        # The instruction at the end place is counted with the span.
        less=both(1),
    ),
    Span(
        "one thread switch",
        {"x86_64": "LK 122, Zephyr 171", "mips": "LK 64, Zephyr 252"},
        both(64),
        commands="bench switch",
        start=both("bench_switch_begin"),
        ends=both(["bench_switch_end"]),
        less=both(1),
    ),
    Text(
        "kernel text, bytes",
        {"x86_64": "xv6 31 k, Zephyr 124 k, Unikraft 238 k, LK 985 k", "mips": "Zephyr 81 k, LK 297 k"},
        both(150000),
    ),
]
