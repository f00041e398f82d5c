# SPDX-License-Identifier: BSD-2-Clause
"""kern.devstat.*: FreeBSD's records as its programs take them apart, against the kstats of the same disks."""

import dataclasses
import re
import struct

import pytest

import disk

MIB = 1 << 20
# struct devstat of FreeBSD's <sys/devicestat.h>, version 6, with 64-bit pointers: 288 bytes. A bintime is two words.
LAYOUT = "IiIIqQQI16si4Q4Q8Q2Q2QI4x3QIII4xQI4x"
NO_DATA, READ, WRITE, FREE = range(4)
NO_ORDERED_TAGS = 2


@dataclasses.dataclass
class Record:
    name: str
    outstanding: int
    ended: int
    bytes: tuple
    operations: tuple
    duration: list  # ns
    busy: int  # ns
    busy_from: int
    block_size: int
    tags: tuple
    flags: int
    type: int
    priority: int


def nanoseconds(sec, frac):
    return sec * 10**9 + (frac * 10**9 >> 64)


def take_apart(data, order):
    """(generation, {name: Record}) of kern.devstat.all."""
    size = struct.calcsize(order + LAYOUT)
    assert size == 288 and len(data) % size == 8
    found = {}
    for at in range(8, len(data), size):
        f = struct.unpack_from(order + LAYOUT, data, at)
        (sequence0, allocated, started, ended), (links, _, name, unit) = f[:4], f[6:10]
        assert sequence0 == f[-1] and allocated == 1 and links == f[-2] == 0
        times = [nanoseconds(*f[i : i + 2]) for i in range(18, 30, 2)]
        name = name.rstrip(b"\0").decode() + str(unit)
        found[name] = Record(
            name, (started - ended) % 2**32, ended, f[10:14], f[14:18], times[:4], times[4], nanoseconds(*f[4:6]),
            f[30], f[31:34], *f[34:37],
        )  # fmt: skip
    return struct.unpack_from(order + "q", data)[0], found


def dumps(text, arch):
    """Each dump of kern.devstat.all in TEXT."""
    found = re.findall(r"Format:S,devstat Length:(\d+) Dump:0x([0-9a-f]*)", text)
    assert all(int(length) * 2 == len(dump) for length, dump in found)
    return [take_apart(bytes.fromhex(dump), "<" if arch == "x86_64" else ">") for _, dump in found]


def virtio(path):
    return ["-drive", f"if=none,id=v,file={path},format=raw", "-device", "virtio-blk-pci,drive=v"]


@pytest.fixture
def image(tmp_path):
    return disk.image(tmp_path, "disk", 4 * MIB, 1)


def test_freebsds_record(arch, quipu, image, tmp_path):
    """Version 6 is FreeBSD's number, so the bytes are FreeBSD's; what they say is what the kstats say."""
    other = disk.image(tmp_path, "other", MIB, 2)
    text = quipu(
        "devctl create md 2; dd if=wd0 of=md0 bs=4k count=512 jobs=4; dd if=pattern:1 of=wd0 bs=8k count=9 conv=fsync; "
        "dd if=vd0 of=null bs=4k jobs=8; sysctl -x kern.devstat.all; kstat -p -c disk; "
        "sysctl -n kern.devstat.version kern.devstat.numdevs kern.devstat.quipu.version",
        "--disk", image, "--", *virtio(other),
    ).text  # fmt: skip
    generation, records = dumps(text, arch)[0]
    assert text.splitlines()[-3:] == ["6", str(len(records)), "1"] and generation == len(records)
    for name in ("wd0", "md0", "vd0"):
        record, kstat = records[name], disk.io(text, name)
        assert record.outstanding == 0 and record.ended == sum(record.operations)
        assert record.operations[READ:FREE] == (kstat["reads"], kstat["writes"])
        assert record.bytes == (0, kstat["nread"], kstat["nwritten"], 0)
        assert record.duration[READ] + record.duration[WRITE] == kstat["wlentime"] + kstat["rlentime"]
        assert max(kstat["wtime"], kstat["rtime"]) <= record.busy <= kstat["wtime"] + kstat["rtime"] + record.duration[NO_DATA]
        assert record.busy <= sum(record.duration)
        assert record.block_size == 512 and record.priority == 0x110
    assert list(records)[-2:] == ["cd0", "console0"] if arch == "x86_64" else list(records)[-1] == "console0"
    assert (records["wd0"].type, records["vd0"].type) == (0x20, 0x30)
    assert records["wd0"].operations == (1, 512, 9, 0) and records["vd0"].operations[READ] == 256


def test_tags(arch, quipu, image, tmp_path):
    """IDE and memory have no tags and say so; each request to a virtio disk has a simple one."""
    other = disk.image(tmp_path, "other", MIB, 2)
    text = quipu(
        "devctl create md 1; dd if=vd0 of=md0 bs=4k jobs=8 conv=fsync; dd if=md0 of=wd0 bs=4k conv=fsync; "
        "dd if=wd0 of=vd0 bs=4k count=99 conv=fsync; sysctl -x kern.devstat.all",
        "--disk", image, "--", *virtio(other),
    ).text  # fmt: skip
    records = dumps(text, arch)[0][1]
    for name, record in records.items():
        assert record.flags & NO_ORDERED_TAGS == (0 if name == "vd0" else NO_ORDERED_TAGS), name
        assert record.tags == ((sum(record.operations), 0, 0) if name == "vd0" else (0, 0, 0))
    assert records["vd0"].tags[0] == 256 + 99 + 1 and records["wd0"].operations == (1, 99, 256, 0)


def test_flushes_are_no_transfers(quipu, arch, image):
    """A flush of 60 ms: time and an operation to FreeBSD, nothing to a kstat, which has no place for its number."""
    text = quipu(
        "dd if=wd0 of=null bs=4k count=5; kstat -p wd:0:wd0; sysctl -x kern.devstat.all; "
        "devctl inject wd0 delay=60; dd if=wd0 of=wd0 bs=512 count=1 conv=fsync; "
        "kstat -p wd:0:wd0; sysctl -x kern.devstat.all",
        "--disk", image,
    ).text  # fmt: skip
    first, second = text.split("1+0 records in")
    before, after = disk.io(first), disk.io(second)
    change = disk.moved(after, before)
    (_, old), (_, new) = dumps(text, arch)
    old, new = old["wd0"], new["wd0"]
    assert (change["reads"], change["writes"]) == (1, 1)
    assert new.operations[NO_DATA] - old.operations[NO_DATA] == 1
    flush = new.duration[NO_DATA] - old.duration[NO_DATA]
    transfers = sum(new.duration[READ:FREE]) - sum(old.duration[READ:FREE])
    assert flush >= 60_000_000 and transfers >= 120_000_000
    assert change["rlentime"] + change["wlentime"] == transfers
    assert change["rtime"] <= transfers and new.busy - old.busy >= flush + change["rtime"]


def test_outstanding(arch, quipu, image):
    """Four at a disk that takes one at a time: four are outstanding, in FreeBSD's record and in its tables.

    No request can end before two seconds of the machine's own time have gone by.
    """
    text = quipu(
        "devctl inject wd0 delay=2000; dd if=wd0 of=null bs=4k count=4 jobs=4 & sleep 0.2; sysctl -x kern.devstat.all; "
        "kstat -p wd:0:wd0; gstat -b -I 100ms -f wd0; iostat -F -x wd0; wait; sysctl -x kern.devstat.all; iostat -F -x wd0; "
        "kstat -p wd:0:wd0",
        "--disk", image, "--deterministic",
    ).text  # fmt: skip
    now, then = (records["wd0"] for _, records in dumps(text, arch))
    kstat = disk.io(text)
    assert (now.outstanding, now.ended, now.busy) == (4, 0, 0) and now.busy_from > 0
    assert re.findall(r":wcnt\t(\d+)|:rcnt\t(\d+)", text)[:2] == [("", "1"), ("3", "")]
    assert re.search(r"^ +4 .* 100\.0\| wd0$", text, re.M), text
    first, second = re.findall(r"^wd0((?: +\S+){9}) +(\d+) $", text, re.M)
    assert first[0].split()[-1] == "4" and second[0].split()[-1] == "0"
    # The first waited for none, the fourth for three.
    assert (then.outstanding, then.ended) == (0, 4) and then.duration[READ] >= (1 + 2 + 3 + 4) * 2_000_000_000
    assert int(second[0].split()[4]) == round(then.duration[READ] / 4 / 1e6)
    assert then.duration[READ] == kstat["wlentime"] + kstat["rlentime"] and kstat["rlentime"] == kstat["rtime"] <= then.busy


def test_generation_is_not_the_number(quipu):
    """A device that has come and gone."""
    lines = quipu("sysctl -n kern.devstat.generation kern.devstat.numdevs; selftest devstat-reader; sysctl -n kern.devstat.generation kern.devstat.numdevs").lines()
    (generation, number), (generation_then, number_then) = map(int, lines[:2]), map(int, lines[-2:])
    assert (generation_then, number_then) == (generation + 2, number)
