# SPDX-License-Identifier: BSD-2-Clause
"""A device that is there is told of by what is asked first: nothing else has to ask for it before."""

import re

import disk
import guest
import pytest

CARDS = {"virtio": "vioif0", "pcnet": "pcnet0"}


@pytest.fixture
def first(arch, tmp_path):
    """What a command says on a machine that has just started, with a disk of 3000 blocks and a card of QEMU's."""
    image = disk.image(tmp_path, "disk", 3000 * 512, 1)

    def run(command, card="virtio"):
        result = guest.run(command, "--arch", arch, "--disk", image, f"--net={card}")
        assert result.status == 0, result.said
        return result.text

    return run


def test_dmesg(first):
    text = first("dmesg")
    assert re.search(r"^\[.*\] wd0: QEMU HARDDISK, disk at ide0 master$", text, re.M), text
    assert re.search(r"^\[.*\] vioif0: 52:54:00:12:34:56$", text, re.M), text


@pytest.mark.parametrize("card", CARDS)
def test_hinv(first, card):
    """IRIX' classes, disk and network, with what QEMU's devices call themselves; what is made of memory is no hardware."""
    command = "; ".join(["devctl create md 1", *(f"hinv -c {name}; echo =" for name in ("disk", "network"))])
    disks, network = first(command, card).removeprefix("md0\n").split("=\n")[:2]
    assert disks.splitlines() == [
        "Disk drive: wd0, QEMU HARDDISK, 3000 blocks of 512 bytes",
        "CD-ROM drive: cd0, QEMU DVD-ROM",
    ]
    assert network == f"Ethernet: {CARDS[card]}, 52:54:00:12:34:56\n"


@pytest.mark.parametrize("command", ["hinv", "cat /proc/inventory", "/bin/hinv"])
def test_all_of_hinv(first, command):
    text = first(command)
    assert "wd0, QEMU HARDDISK" in text and "vioif0, 52:54:00:12:34:56" in text


@pytest.mark.parametrize("option", ["-i", "-e"])
def test_vmstat(first, option):
    """The lines and counters of devices, those too that are 0."""
    rows = re.findall(r"^(\S+) +(\S.*?) {2,}\d+", first(f"vmstat {option} -v"), re.M)
    assert ("ide0", "intr") in rows and ("vioif0", "intr") in rows and ("vioif0", "soft intr") in rows
