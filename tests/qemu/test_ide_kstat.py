# SPDX-License-Identifier: BSD-2-Clause
"""The kstats that IDE channels keep with kstat's own calls, against those of their drives, QEMU's counts and each other."""

import re

import pytest

import disk

MIB = 1 << 20


@pytest.fixture
def image(tmp_path):
    return disk.image(tmp_path, "disk", 2 * MIB, 1)


def check_one_at_a_time(channel, drives, now):
    """At rest: a channel has one command at a time, from which nothing is missing; it lies within its request's service."""
    assert channel["rcnt"] == channel["wcnt"] == 0
    assert channel["rtime"] == channel["rlentime"] > 0 and channel["wtime"] == channel["wlentime"] > 0
    assert channel["wlentime"] + channel["rlentime"] <= sum(drive["rlentime"] for drive in drives)
    assert channel["wtime"] + channel["rtime"] < now
    assert channel["wlastupdate"] <= channel["rlastupdate"] <= max(drive["rlastupdate"] for drive in drives)


@pytest.mark.parametrize("cpus", [1, 4])
def test_a_channel_is_the_sum_of_its_drives(arch, quipu, image, tmp_path, cpus):
    if arch == "mips" and cpus > 1:
        pytest.skip("a Malta has one CPU")
    other, cd = disk.image(tmp_path, "other", MIB, 2), disk.image(tmp_path, "cd", MIB, 3)
    text = quipu(
        "dd if=wd0 of=null bs=4k jobs=4 & dd if=wd1 of=null bs=8k jobs=3 & sum cd0; wait; "
        "dd if=pattern:1 of=wd1 bs=16k jobs=2 conv=fsync; kstat -p ide; kstat -p -c disk",
        "--disk", image, "--cdrom", cd, "--cpus", cpus, "--", *disk.ide(other, 1),
    ).text  # fmt: skip
    first, second = disk.io(text, "wd0"), disk.io(text, "wd1")
    for name, drives in (("ide0", [first, second]), ("ide1", [disk.io(text, "cd0")])):
        channel = disk.io(text, name)
        for statistic in ("reads", "writes", "nread", "nwritten"):
            assert channel[statistic] == sum(drive[statistic] for drive in drives)
        check_one_at_a_time(channel, drives, channel["snaptime"])
    channel = disk.io(text, "ide0")
    assert (channel["reads"], channel["nread"]) == (512 + 128, 3 * MIB)
    assert (channel["writes"], channel["nwritten"]) == (64, MIB)


def test_commands_that_got_lost(quipu, image):
    """Two ends that the block layer is made to miss are two commands more; a command that a reset forgot is none."""
    text = quipu(
        "devctl inject wd0 lost=2 timeout=300; dd if=wd0 of=null bs=4k count=100 jobs=4; kstat -p ide:0; kstat -p wd:0", "--disk", image
    ).text
    channel, drive = disk.io(text, "ide0"), disk.io(text)
    assert (drive["reads"], channel["reads"], channel["nread"]) == (100, 102, 102 * 4096)
    check_one_at_a_time(channel, [drive], channel["snaptime"])


def test_the_host_counts_the_same(boot, image):
    machine = boot(arguments=disk.ide(image, 0, id="probe"))
    machine.prompt()
    machine.command("sum wd0 0 1")
    before, ours = disk.blockstats(machine, "probe"), disk.io(machine.command("kstat -p ide:0"), "ide0")
    machine.command("dd if=wd0 of=null bs=4k count=77 jobs=4")
    machine.command("dd if=pattern:1 of=wd0 bs=8k count=20 seek=7 jobs=2 conv=fsync")
    after, now = disk.blockstats(machine, "probe"), disk.io(machine.command("kstat -p ide:0"), "ide0")
    theirs, ours = disk.moved(after, before), disk.moved(now, ours)
    assert (theirs["rd_bytes"], theirs["rd_operations"]) == (ours["nread"], ours["reads"]) == (77 * 4096, 77)
    assert (theirs["wr_bytes"], theirs["wr_operations"]) == (ours["nwritten"], ours["writes"]) == (20 * 8192, 20)
    assert theirs["flush_operations"] == 1


def test_a_command_under_way(boot, image):
    """The host holds the second read back: what is read meanwhile grows with the clock, to the nanosecond."""
    machine = boot(words="quiet", arguments=disk.ide(image, 0, id="slow", **{"throttling.iops-total": 1}))
    machine.prompt()
    machine.command("devctl inject wd0 timeout=3600000")
    machine.command("sum wd0 0 1")
    machine.monitor("block_set_io_throttle slow 0 1 0 0 0 0")  # a byte a second
    machine.command("dd if=wd0 of=null bs=4k count=2 &")
    readings = []
    for _ in range(100):
        readings = [disk.io(machine.command("kstat -p ide:0:ide0"), "ide0") for _ in range(2)]
        if all(reading["rcnt"] for reading in readings) and readings[0]["reads"] == readings[1]["reads"]:
            break
    first, second = readings
    assert first["rcnt"] == second["rcnt"] == 1 and first["reads"] == second["reads"]
    assert second["rtime"] - first["rtime"] == second["rlentime"] - first["rlentime"] == second["snaptime"] - first["snaptime"] > 0
    assert (second["rlastupdate"], second["wcnt"]) == (second["snaptime"], 0) and second["wtime"] == first["wtime"]
    machine.monitor("block_set_io_throttle slow 0 0 0 0 0 0")
    machine.command("wait")
    last = disk.io(machine.command("kstat -p ide:0:ide0"), "ide0")
    assert (last["rcnt"], last["reads"]) == (0, 1 + 2)


def test_owners(quipu, tmp_path):
    """A channel belonged to who looked for drives, then to who asked for the medium, each time a little."""
    cd = disk.image(tmp_path, "cd", MIB, 3)
    text = quipu("kstat -p ide; sum cd0; sum cd0 0 1; kstat -p ide", "--cdrom", cd).text
    first, _, second = text.partition(" cd0\n")
    before, after = disk.io(first, "ide1,owned"), disk.io(second, "ide1,owned")
    took = before["stop_time"] - before["start_time"]
    assert before["num_events"] == 1 and before["elapsed_time"] == before["min_time"] == before["max_time"] == took > 0
    assert after["num_events"] == 3
    last = after["stop_time"] - after["start_time"]
    assert before["stop_time"] < after["start_time"] < after["stop_time"] < after["snaptime"]
    both = after["elapsed_time"] - before["elapsed_time"]
    assert 0 < last < both and after["min_time"] == min(took, last, both - last)
    assert after["max_time"] == max(took, last, both - last)


RESET_NS = 3_000_000  # a reset of the channel sleeps as long, at least


def test_commands_taken_back(boot, image):
    """A read that the host holds back until the channel is reset waits while it is, each time that it is tried."""
    machine = boot(words="quiet", arguments=disk.ide(image, 0, id="slow", **{"throttling.iops-total": 1000}))
    machine.prompt()
    machine.command("sum wd0 0 1")
    first = disk.io(machine.command("kstat -p ide:0"), "ide0")
    machine.monitor("block_set_io_throttle slow 0 1 0 0 0 0")  # a byte a second
    machine.command("devctl inject wd0 timeout=200")
    machine.command("dd if=wd0 of=null bs=4k count=2")
    machine.monitor("block_set_io_throttle slow 0 0 0 0 0 0")
    machine.command("devctl inject wd0 timeout=5000; sum wd0 0 1")
    assert machine.status() == 0
    resets = int(re.search(r"^wd0 resets +(\d+) ", machine.command("vmstat -e"), re.M).group(1))
    text = machine.command("kstat -p ide:0; kstat -p wd:0:wd0")
    now, owned = disk.io(text, "ide0"), disk.io(text, "ide0,owned")
    check_one_at_a_time(now, [disk.io(text)], now["snaptime"])
    assert resets >= 1 and now["wtime"] - first["wtime"] >= resets * RESET_NS
    assert now["wtime"] - first["wtime"] < owned["elapsed_time"] + first["wtime"] * 100
