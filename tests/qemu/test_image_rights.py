# SPDX-License-Identifier: BSD-2-Clause
"""The pages of the kernel's image on a PC, as the tables are that QEMU walks: each part has the rights that it needs and no more."""

import re

import pytest

import guest

PAGE = 4096
# A line of `info tlb`: an address, where it leads, and XGPDACTUW: X is that nothing is executed there, W that it may be written.
LINE = re.compile(r"^([0-9a-f]{16}): [0-9a-f]{16} (\S{9})\r?$", re.M)


@pytest.mark.parametrize("arch", ["x86_64"], indirect=True)
def test_each_part_has_its_rights(boot):
    machine = boot()
    machine.prompt()
    pages = {int(address, 16): flags for address, flags in LINE.findall(machine.monitor("info tlb"))}
    symbols = guest.symbols("x86_64")
    places = [symbols[f"kernel_{name}"] for name in ("start", "rodata_start", "writable_start", "data_end", "end")]
    found = []
    for begin, end in zip(places, places[1:]):
        flags = [pages[at] for at in range(begin, end, PAGE)]
        found.append({"r" + "w" * (each[-1] == "W") + "x" * (each[0] != "X") for each in flags})
    assert found == [{"rx"}, {"r"}, {"rw"}, {"r"}]
    assert places[-1] not in pages and places[0] - PAGE not in pages
