# SPDX-License-Identifier: BSD-2-Clause
"""Virtio disks on both boards: data, queues and counts, as the host sees them; disks that fail."""

import random
import re
import zlib

import pytest

import guest
from disk import blockstats

MIB = 1 << 20
SIZE = 2 * MIB


def disk(path, size=SIZE, seed=None, drive="", device=""):
    """QEMU's arguments for a disk with an image at PATH: random from SEED, or empty."""
    path.write_bytes(random.Random(seed).randbytes(size) if seed is not None else bytes(size))
    name = path.stem
    return [
        "-drive",
        f"if=none,id={name},file={path},format=raw{drive}",
        "-device",
        f"virtio-blk-pci,disable-legacy=on,drive={name}{device}",
    ]


def crc(data):
    return f"{zlib.crc32(data):08x} {len(data)}"


def status_of(machine, command):
    printed = machine.command(command)
    return machine.status(), printed


def trace(machine):
    """[{column: text}] of `iotrace show`."""
    lines = machine.command("iotrace show").splitlines()
    names = lines[0].split()
    return [dict(zip(names, line.split())) for line in lines[1:]]


def count(machine, event):
    """The total of an event counter; 0 if it is not listed."""
    for line in machine.command("vmstat -e").splitlines():
        if line.startswith(event + " "):
            return int(line[len(event) :].split()[0])
    return 0


@pytest.mark.parametrize("cpus", [1, 4])
def test_data_both_ways(arch, boot, tmp_path, cpus):
    if arch == "mips" and cpus > 1:
        pytest.skip("one CPU")
    source, target = tmp_path / "source.img", tmp_path / "target.img"
    machine = boot(cpus=cpus, words="quiet", arguments=disk(source, seed=1) + disk(target))
    machine.prompt()
    data = source.read_bytes()
    assert status_of(machine, "sum vd0") == (0, crc(data) + " vd0\n")
    status, _ = status_of(machine, "dd if=vd0 of=vd1 bs=8k jobs=32 conv=fsync")
    assert status == 0
    assert target.read_bytes() == data
    assert status_of(machine, "sum vd1 100 1000") == (0, crc(data[51200 : 51200 + 512000]) + " vd1\n")
    # Not a byte beside what was meant.
    status, _ = status_of(machine, "dd if=vd0 of=vd1 bs=512 count=3 skip=5 seek=100 conv=fsync")
    assert status == 0
    expected = data[: 100 * 512] + data[5 * 512 : 8 * 512] + data[103 * 512 :]
    assert target.read_bytes() == expected
    assert source.read_bytes() == data
    assert count(machine, "vd0 strange answers") == count(machine, "vd1 strange answers") == 0


def test_notifications(boot, tmp_path):
    """At most one for each request, one at a time, and for the question for the serial number; seldom is the device still at
    the last one, and wants none."""
    machine = boot(words="quiet", arguments=disk(tmp_path / "disk.img", seed=2))
    machine.prompt()
    assert status_of(machine, "dd if=vd0 of=/dev/null bs=512 count=1")[0] == 0
    assert 1 <= count(machine, "vd0 notifications") <= 2
    assert status_of(machine, "dd if=vd0 of=/dev/null bs=4k count=100")[0] == 0
    assert 52 <= count(machine, "vd0 notifications") <= 102
    assert count(machine, "vd0 strange answers") == 0


def test_queue_and_qemus_counts(boot, tmp_path):
    # The host's disk is slow enough for requests to meet.
    arguments = disk(tmp_path / "slow.img", seed=2, drive=",throttling.iops-total=400")
    machine = boot(words="quiet", arguments=arguments)
    machine.prompt()
    machine.command("sum vd0 0 8")
    machine.command("iotrace on")
    before = blockstats(machine, "slow")
    assert status_of(machine, "dd if=vd0 of=null bs=4k count=120 jobs=32")[0] == 0
    assert status_of(machine, "dd if=pattern:1 of=vd0 bs=2k count=40 jobs=16 conv=fsync")[0] == 0
    after = blockstats(machine, "slow")
    entries = trace(machine)
    assert max(int(e["run"]) for e in entries) >= 16
    for kind, name, amount, size in (("read", "rd", 120, 4096), ("write", "wr", 40, 2048)):
        ours = [int(e["bytes"]) for e in entries if e["kind"] == kind]
        assert (len(ours), sum(ours)) == (amount, amount * size)
        assert after[f"{name}_operations"] - before[f"{name}_operations"] == len(ours)
        assert after[f"{name}_bytes"] - before[f"{name}_bytes"] == sum(ours)
    flushes = [e for e in entries if e["kind"] == "flush"]
    assert after["flush_operations"] - before["flush_operations"] == len(flushes) == 1


def test_full_queue_and_resets(boot, tmp_path):
    machine = boot(words="quiet", arguments=disk(tmp_path / "disk.img"), test=True)
    machine.prompt()
    status, printed = status_of(machine, "selftest virtio-queue virtio-reset virtio-free pci-parts pci-bars pci-memory")
    assert status == 0, printed
    assert "virtio-queue ok 64 at a time" in printed
    assert "virtio-reset ok 5 requests" in printed


def test_device_that_hangs(boot, tmp_path):
    """The host holds requests back for so long that the disk is reset with many of them in its queue.

    QEMU would make one request of neighbours that it finds together in the queue, and let it through.
    """
    image = tmp_path / "slow.img"
    arguments = disk(image, seed=3, drive=",throttling.iops-total=1", device=",request-merging=off")
    machine = boot(words="quiet", arguments=arguments)
    machine.prompt()
    machine.command("devctl inject vd0 timeout=500")
    status, printed = status_of(machine, "dd if=vd0 of=null bs=4k count=24 jobs=24")
    # A reset makes QEMU finish what it held back, and a request may be answered at that very moment.
    assert (status != 0) == ("the device does not answer" in printed), printed
    assert count(machine, "vd0 resets") >= 1, (status, printed, machine.command("vmstat -e"))
    assert count(machine, "vd0 retries") >= 16
    assert count(machine, "vd0 strange answers") == 0
    machine.monitor("block_set_io_throttle slow 0 0 0 0 0 0")
    data = image.read_bytes()
    assert status_of(machine, "dd if=vd0 of=null bs=4k jobs=32")[0] == 0
    assert status_of(machine, "sum vd0") == (0, crc(data) + " vd0\n")


def test_drive_that_disappears(boot, tmp_path):
    if guest.qemu_release() >= (8, 1):  # seen with 10.0 and 11.1; 8.1 brought zoned devices
        pytest.skip("this QEMU reads through the pointer to the drive that is gone when a guest asks for its size")
    other = tmp_path / "other.img"
    machine = boot(words="quiet", arguments=disk(tmp_path / "lost.img", seed=4) + disk(other, seed=5))
    machine.prompt()
    assert status_of(machine, "sum vd0")[0] == 0
    assert re.findall(r"^(vd\d) .* (ready|no medium) +virtio disk$", machine.command("devctl list"), re.M) == [("vd0", "ready"), ("vd1", "ready")]
    machine.monitor("drive_del lost")
    assert re.findall(r"^(vd\d) .* (ready|no medium) +virtio disk$", machine.command("devctl list"), re.M) == [("vd0", "no medium"), ("vd1", "ready")]
    for command in ("sum vd0", "dd if=vd0 of=null bs=4k count=8 jobs=4", "dd if=zero of=vd0 count=8"):
        status, printed = status_of(machine, command)
        assert status != 0
        assert "I/O error" in printed
    assert count(machine, "vd0 errors") >= 3
    assert status_of(machine, "sum vd1") == (0, crc(other.read_bytes()) + " vd1\n")


def test_drive_that_disappears_under_way(boot, tmp_path):
    """With a full queue: each request ends once, and no bytes are counted that were not moved."""
    arguments = disk(tmp_path / "lost.img", seed=4, drive=",throttling.iops-total=50")
    machine = boot(words="quiet", arguments=arguments)
    machine.prompt()
    machine.command("iotrace on")
    machine.send(b"dd if=vd0 of=null bs=4k jobs=32\r")
    machine.expect(rb"\r\n")
    machine.monitor("drive_del lost")
    assert "I/O error" in machine.expect(rb"(.*?)quipu> ").group(1).decode()
    assert machine.status() == 1
    entries = trace(machine)
    failed = [entry for entry in entries if entry["error"] != "0"]
    stats = dict(re.findall(r"vd0:(\w+)\t(\S+)", machine.command("kstat -p vd:0:vd0")))
    assert count(machine, "vd0 errors") == len(failed) > 0
    assert (stats["rcnt"], stats["wcnt"], int(stats["reads"])) == ("0", "0", len(entries))
    assert int(stats["nread"]) == sum(int(entry["bytes"]) for entry in entries)
    assert count(machine, "vd0 strange answers") == 0


def test_asked_to_leave(boot, tmp_path):
    """device_del asks through ACPI, which nobody here answers: the disk stays, and whoever uses it notices nothing."""
    image = tmp_path / "stays.img"
    machine = boot(words="quiet", arguments=disk(image, seed=9, device=",id=card"))
    machine.prompt()
    machine.send(b"dd if=vd0 of=null bs=512 jobs=16\r")
    machine.expect(rb"\r\n")
    machine.monitor("device_del card")
    machine.prompt()
    assert machine.status() == 0
    assert 'id "card"' in machine.monitor("info pci")
    assert status_of(machine, "sum vd0") == (0, crc(image.read_bytes()) + " vd0\n")
    assert count(machine, "vd0 errors") == 0


def test_kinds_of_disks(boot, tmp_path):
    locked, large, short = tmp_path / "locked.img", tmp_path / "large.img", tmp_path / "short.img"
    arguments = disk(locked, seed=6)
    arguments[1] += ",readonly=on"
    arguments += disk(large, seed=7, device=",logical_block_size=4096,physical_block_size=4096")
    arguments += disk(short, seed=8, device=",queue-size=16,id=short")
    arguments[-1] = arguments[-1].replace("disable-legacy=on", "disable-legacy=off")
    machine = boot(words="quiet", arguments=arguments)
    machine.prompt()
    rows = {line.split()[0]: line.split()[1:5] for line in machine.command("devctl list").splitlines()[1:]}
    assert rows["vd0"] == [str(SIZE // 512), "512", "64", "read-only"]
    assert rows["vd1"] == [str(SIZE // 4096), "4096", "64", "ready"]
    # Updates of QEMU before 11.1 offer 1,024 whatever they are asked for; a request takes three.
    status = machine.monitor("info virtio-queue-status /machine/peripheral/short/virtio-backend 0")
    offered = int(re.search(r"num_default: +(\d+)", status)[1])
    assert offered in (16, 1024)
    assert rows["vd2"] == [str(SIZE // 512), "512", str(min(offered // 3, 64)), "ready"]
    before = locked.read_bytes()
    assert status_of(machine, "dd if=vd1 of=vd0 bs=4k count=1")[0] != 0
    assert locked.read_bytes() == before
    assert status_of(machine, "sum vd1 3 17") == (0, crc(large.read_bytes()[3 * 4096 : 20 * 4096]) + " vd1\n")
    assert status_of(machine, "dd if=vd0 of=vd2 bs=4k jobs=32 conv=fsync")[0] == 0
    assert short.read_bytes() == before
    assert status_of(machine, "dd if=vd2 of=vd1 bs=4k count=9 seek=30 conv=fsync")[0] == 0
    assert large.read_bytes()[30 * 4096 : 39 * 4096] == before[: 9 * 4096]
