# SPDX-License-Identifier: BSD-2-Clause
"""Disks that fail, stall or disappear, and commands that ask for what there is not."""

import re

import pytest

import disk

MIB = 1 << 20


@pytest.fixture
def path(tmp_path):
    return disk.image(tmp_path, "disk", MIB, 4)


@pytest.fixture
def cd(tmp_path):
    return disk.image(tmp_path, "cd", MIB, 5)


BAD = [
    ("dd if=wd0 of=null bs=0", 2, 'dd: bad operand "bs=0"'),
    ("dd if=wd0 of=null bs=2M", 2, 'dd: bad operand "bs=2M"'),
    ("dd if=wd0 of=null bs=x", 2, 'dd: bad operand "bs=x"'),
    ("dd if=wd0 of=null jobs=0", 2, 'dd: bad operand "jobs=0"'),
    ("dd if=wd0 of=null jobs=65", 2, 'dd: bad operand "jobs=65"'),
    ("dd if=wd0 of=null colour=red", 2, 'dd: bad operand "colour=red"'),
    ("dd if=wd0", 2, "dd: of= is missing"),
    ("dd of=wd0", 2, "dd: if= is missing"),
    ("dd if=wd9 of=null", 1, "dd: no block device wd9"),
    ("dd if=wd0 of=zero", 1, "dd: no block device zero"),
    ("dd if=zero of=null", 1, "dd: neither end has a length: say count="),
    ("dd if=zero of=wd0 bs=1000 count=1", 1, "dd: bs=1000 is not a multiple of 512, the block size of wd0"),
    ("dd if=zero of=wd0 bs=512 seek=2049", 1, "dd: wd0: record 2049 is beyond its end (1048576 bytes)"),
    ("dd if=zero of=wd0 bs=64k seek=15 count=2", 1, "dd: wd0: has 65536 bytes there, 131072 are wanted"),
    ("dd if=wd0 of=null skip=18446744073709551615", 1, "is beyond its end"),
    ("dd if=wd0 of=null count=18446744073709551614", 1, "dd: wd0: has 1048576 bytes there"),
    ("dd if=cd0 of=wd0 bs=4k skip=2 seek=8", 1, "dd: wd0: has 1015808 bytes there, 1040384 are wanted"),
    ("dd if=zero of=cd0 bs=2k count=1", 1, "dd: cd0: the device is read-only"),
    ("sum wd0 0 2049", 1, "sum: wd0: has 2048 blocks, 2049 from 0 on are beyond its end"),
    ("sum wd0 2048 1", 1, "sum: wd0: has 2048 blocks, 1 from 2048 on are beyond its end"),
    ("sum wd0 1", 2, "usage: sum"),
    ("sum wd0 0 0", 2, 'sum: bad count "0"'),
    ("sum ram", 1, "sum: no block device ram"),
    ("hexdump -s 1048577 wd0", 1, "hexdump: wd0: has 1048576 bytes, the range is beyond its end"),
    ("hexdump -n x wd0", 2, 'hexdump: bad length "x"'),
    ("devctl create wd 1", 1, "devctl: devices of kind wd cannot be made"),
    ("devctl create md 0", 2, 'devctl: bad size "0"'),
    ("devctl create md 1000", 1, "devctl: out of memory"),
    ("devctl inject wd7 errors=1", 1, "devctl: no block device wd7"),
    ("devctl inject wd0 errors=-1", 2, 'devctl: bad operand "errors=-1"'),
    ("devctl inject wd0 timeout=0", 2, 'devctl: bad operand "timeout=0"'),
    ("devctl frobnicate", 2, "usage: devctl"),
    ("iotrace maybe", 2, "usage: iotrace"),
]


def test_bad_input(quipu, path, cd):
    """One clear line, the status, and nothing written. All in one boot."""
    before = path.read_bytes()
    commands = "; ".join(f"{command}; echo status $?" for command, _, _ in BAD)
    lines = iter(quipu(commands, "--disk", path, "--cdrom", cd).lines())
    for command, status, said in BAD:
        printed = []
        for line in lines:
            if line.startswith("status "):
                break
            printed.append(line)
        assert line == f"status {status}", (command, printed)
        assert said in printed[0], command
        assert len(printed) == 1 or (status == 2 and len(printed) == 2), (command, printed)
    assert path.read_bytes() == before


def test_injected_errors(quipu, path):
    before = path.read_bytes()
    result = quipu(
        "devctl inject wd0 errors=2; sum wd0 0 8; echo $?; dd if=zero of=wd0 bs=4k count=3 seek=3; echo $?; "
        "kstat -p wd:0; vmstat -e; sum wd0 0 8; echo $?",
        "--disk", path,
    )  # fmt: skip
    lines = result.lines()
    assert lines[:2] == ["sum: wd0: at byte 0: I/O error", "1"]
    assert lines[2:5] == ["dd: wd0: write of 8 blocks at 24: I/O error", "1+0 records in", "0+0 records out"]
    assert lines[6] == "1" and lines[-1] == "0"
    assert re.search(r"^wd0 errors +2 ", result.text, re.M)
    stats = disk.io(result.text)
    assert (stats["reads"], stats["nread"], stats["writes"], stats["nwritten"]) == (1, 0, 1, 0)
    assert path.read_bytes() == before


def test_injected_delay(quipu, path):
    """Three requests, one after the other, 50 ms each: service time, not waiting."""
    result = quipu("devctl inject wd0 delay=50; dd if=wd0 of=null bs=4k count=3; kstat -p wd:0", "--disk", path)
    stats = disk.io(result.text)
    assert 150_000_000 <= stats["rtime"] == stats["rlentime"]
    assert stats["wtime"] < 10_000_000


@pytest.mark.parametrize("cpus", ["1", "4"])
def test_lost_requests_are_retried(arch, quipu, path, cpus):
    if arch == "mips" and cpus != "1":
        pytest.skip("a Malta has one CPU")
    result = quipu(
        "sum wd0; devctl inject wd0 lost=2 timeout=1000; dd if=pattern:9 of=wd0 bs=4k jobs=4; echo $?; vmstat -e",
        "--disk", path, "--cpus", cpus,
    )  # fmt: skip
    assert "256+0 records out" in result.lines() and "0" in result.lines()
    for name in ("timeouts", "retries", "resets"):
        assert re.search(rf"^wd0 {name} +2 ", result.text, re.M)
    assert not re.search(r"^wd0 errors +[1-9]", result.text, re.M)
    assert path.read_bytes() == disk.pattern(9, MIB)


def test_a_disk_that_does_not_answer(quipu, path):
    result = quipu(
        "devctl inject wd0 lost=100 timeout=50; sum wd0; echo $?; devctl inject wd0 lost=0 timeout=5000; "
        "sum wd0 0 1; echo $?; "
        "vmstat -e",
        "--disk", path,
    )  # fmt: skip
    lines = result.lines()
    assert lines[:2] == ["sum: wd0: at byte 0: the device does not answer", "1"] and lines[3] == "0"
    assert re.search(r"^wd0 timeouts +3 ", result.text, re.M) and re.search(r"^wd0 retries +2 ", result.text, re.M)


def test_drive_that_disappears(boot, path):
    """An error status, counts of what was moved, and a living shell."""
    machine = boot(arguments=disk.ide(path, 0, id="spare"))
    machine.prompt()
    machine.command("sum wd0 0 64")
    assert re.search(r"^wd0 .* ready +QEMU HARDDISK$", machine.command("devctl list"), re.M)
    machine.monitor("drive_del spare")
    assert re.search(r"^wd0 .* failing +QEMU HARDDISK$", machine.command("devctl list"), re.M)
    assert "I/O error" in machine.command("sum wd0 0 64")
    assert machine.status() == 1
    assert "I/O error" in machine.command("dd if=zero of=wd0 bs=4k count=2")
    assert machine.status() == 1
    stats = disk.io(machine.command("kstat -p wd:0"))
    assert (stats["reads"], stats["nread"], stats["writes"], stats["nwritten"]) == (2, 32768, 1, 0)
    assert (stats["rcnt"], stats["wcnt"]) == (0, 0)
    assert machine.command("echo alive") == "alive\n"


def test_drive_that_disappears_under_way(boot, path):
    """While requests wait and run: each ends once, is counted once, and no bytes are counted that were not moved."""
    arguments = disk.ide(path, 0, id="spare", **{"throttling.iops-total": 100})
    machine = boot(words="quiet", arguments=arguments)
    machine.prompt()
    machine.command("iotrace on")
    for count in range(8):
        machine.command(f"dd if=wd0 of=null bs=4k count=100 skip={count} &")
    machine.monitor("drive_del spare")
    machine.command("wait; sum wd0 0 1")
    assert machine.status() == 1
    requests = disk.trace(machine.command("iotrace show"))
    stats = disk.io(machine.command("kstat -p wd:0"))
    failed = [request for request in requests if request.error]
    assert len(failed) == 9 and all(request.bytes == 0 for request in failed)
    assert (stats["rcnt"], stats["wcnt"], stats["reads"]) == (0, 0, len(requests))
    assert stats["nread"] == sum(request.bytes for request in requests)
    assert re.search(r"^wd0 errors +9 ", machine.command("vmstat -e"), re.M)
    assert machine.command("echo alive") == "alive\n"


def test_cd_without_a_medium(boot, cd):
    machine = boot(arguments=["-drive", "if=ide,index=2,media=cdrom,id=tray"])
    machine.prompt()
    assert re.search(r"^cd0 +0 +2048 +1 no medium +QEMU DVD-ROM$", machine.command("devctl list"), re.M)
    assert machine.command("sum cd0") == "sum: cd0: no medium\n"
    machine.monitor(f"change tray {cd} raw")
    assert re.fullmatch(r"[0-9a-f]{8} 1048576 cd0\n", machine.command("sum cd0"))
    machine.monitor("eject -f tray")
    assert machine.command("sum cd0") == "sum: cd0: no medium\n"


def test_interrupted_dd(boot, path):
    machine = boot(arguments=disk.ide(path, 0))
    machine.prompt()
    machine.command("devctl inject wd0 delay=30")
    machine.send(b"dd if=wd0 of=null bs=512\r")
    machine.expect(rb"of 1048576 bytes, \d+ s, \d+ kB/s")
    machine.send(b"\x03")
    machine.prompt()
    assert machine.status() == 130


def test_timeouts_are_watchdog_interrupts(quipu, tmp_path):
    """What the timer found late counts for the line of the disk; service times have a bucket each, and all of them."""
    image = tmp_path / "disk.img"
    image.write_bytes(bytes(1 << 20))
    text = quipu(
        "devctl inject wd0 lost=2 timeout=1000; dd if=wd0 of=null bs=4k jobs=8 count=16;"
        "kstat -p '::/pin14|irq14/:watchdog'; kstat -p 'wd:0:wd0_service:/_le_/'",
        *("--disk", str(image)),
    ).text
    assert re.search(r":watchdog\t2\n", text), text
    assert sum(map(int, re.findall(r"_le_\d+\t(\d+)", text))) == 16, text


def test_ram_disk_under_reset(quipu, arch):
    """Resets while requests are being copied leave the disk's lists whole: requests that get lost later still end."""
    rounds = "dd if=md0 of=null bs=128k jobs=16; " * 20
    cpus = ("--cpus", "4") if arch == "x86_64" else ()
    text = quipu(
        "devctl create md 16; devctl inject md0 timeout=0.0001; " + rounds + "devctl inject md0 timeout=100 lost=3;"
        "dd if=md0 of=null bs=128k count=9; echo alive",
        *cpus,
    ).text
    assert text.endswith("alive\n")
