# SPDX-License-Identifier: BSD-2-Clause
"""Kinds of errors of disks, against the number of errors that QEMU was told to inject (blkdebug): each once."""

import json
import re

import pytest

MIB = 1 << 20
EIO, ENOMEDIUM = 5, 123
KINDS = ["Soft Errors", "Hard Errors", "Transport Errors", "Media Error", "Device Not Ready", "No Device", "Recoverable", "Illegal Request"]
EVENTS = {"errors": "Hard Errors", "media errors": "Media Error", "not ready": "Device Not Ready", "no device": "No Device"}
EVENTS |= {"recovered errors": "Recoverable", "illegal requests": "Illegal Request"}
# What each kind of device has a word for.
KNOWN = {"wd": set(KINDS) - {"Recoverable"}, "cd": set(KINDS), "vd": {*KINDS[:3], "No Device", "Illegal Request"}, "md": {*KINDS[:3], "No Device"}}


def faulty(folder, name, device, errors):
    """QEMU's arguments for a device with an image of a MiB; ERRORS: {sector: (read or write, errno)}, each for one request."""
    path = folder / name
    path.write_bytes(bytes(range(256)) * (MIB // 256))
    rules = [{"event": "none", "iotype": way, "sector": sector, "errno": errno, "once": True} for sector, (way, errno) in errors.items()]
    blockdev = {"driver": "raw", "node-name": name, "file": {"driver": "blkdebug", "image": {"driver": "file", "filename": str(path)}, "inject-error": rules}}
    if device.startswith("ide-cd"):
        blockdev |= {"read-only": True}
        blockdev["file"] |= {"read-only": True}
        blockdev["file"]["image"] |= {"read-only": True}
    return ["-blockdev", json.dumps(blockdev), "-device", f"{device},drive={name},rerror=report,werror=report"]


def kinds(text, name):
    """{kind: number} of a device, from `kstat -p`; `iostat -E` and the event counters say the same."""
    counts = {kind: int(number) for kind, number in re.findall(rf"^{name[:2]}err:\d+:{name},err:([^\t]+)\t(\d+)$", text, re.M) if kind in KINDS}
    record = re.search(rf"^{name} +Soft Errors: .*?\n\n", text, re.M | re.S)[0]
    assert {kind: int(number) for kind, number in re.findall(rf"({'|'.join(KINDS)}): (\d+)", record)} == counts
    events = {event: int(number) for event, number in re.findall(rf"^{name} ([a-z ]+?) +(\d+) ", text, re.M) if event in EVENTS}
    assert events == {event: counts[kind] for event, kind in EVENTS.items() if kind in counts}
    return counts


@pytest.fixture
def devices(tmp_path):
    read, write = ("read", EIO), ("write", EIO)
    return [
        "--",
        *faulty(tmp_path, "hard", "ide-hd,bus=ide.0,unit=0", {900: read, 901: read, 907: read, 1200: write, 1207: write}),
        *faulty(tmp_path, "shiny", "ide-cd,bus=ide.1,unit=0", {800: read, 1000: ("read", ENOMEDIUM), 1004: read, 1200: ("read", ENOMEDIUM), 1400: read}),
        *faulty(tmp_path, "paper", "virtio-blk-pci,disable-legacy=on", {900: read, 901: read, 910: write}),
    ]


def test_injected_errors_by_kind(quipu, devices):
    """Each command meets the next error, until there is none. QEMU's IDE disk says of any that it has given up, its CD-ROM
    drive has a sense key, its virtio disk says that there was an error."""
    tries = (
        ["sum wd0 896 16"] * 4 + ["dd if=zero of=wd0 bs=8k seek=75 count=1"] * 3 + ["sum cd0 128 256"] * 6
        + ["sum vd0 896 16"] * 3 + ["dd if=zero of=vd0 bs=512 seek=910 count=1"] * 2
    )  # fmt: skip
    asked = "; ".join(f"{command} >/dev/null 2>/dev/null; echo status $?" for command in tries)
    result = quipu(f"devctl create md 1; {asked}; kstat -p '/err$/'; iostat -E; vmstat -ev", *devices)
    statuses = [int(status) for status in re.findall(r"^status (\d+)$", result.text, re.M)]
    assert statuses == [1, 1, 1, 0] + [1, 1, 0] + [1] * 5 + [0] + [1, 1, 0] + [1, 0], result.text
    found = {name: kinds(result.text, name) for name in ("wd0", "cd0", "vd0", "md0")}
    assert {name: set(counts) for name, counts in found.items()} == {f"{kind}0": known for kind, known in KNOWN.items()}
    told = {name: {kind: number for kind, number in counts.items() if number > 0} for name, counts in found.items()}
    assert told == {
        "wd0": {"Hard Errors": 5},
        "cd0": {"Hard Errors": 5, "Illegal Request": 3, "Device Not Ready": 2},
        "vd0": {"Hard Errors": 3},
        "md0": {},
    }
    assert "Predictive" not in result.text
