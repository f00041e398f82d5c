# SPDX-License-Identifier: BSD-2-Clause
"""IDE disks, CD-ROMs and RAM disks: data against the host's files, counts against the trace and QEMU's own."""

import re
import zlib

import pytest

import disk

MIB = 1 << 20
SECTOR = 512


def crc(data):
    return f"{zlib.crc32(data):08x}"


@pytest.fixture
def files(tmp_path):
    return disk.image(tmp_path, "disk", 4 * MIB, 1), disk.image(tmp_path, "cd", MIB, 2)


def test_read_64_sectors(quipu, files):
    result = quipu("sum wd0 0 64; kstat -p wd:0; dd if=wd0 of=null bs=512 count=64; kstat -p wd:0", "--disk", files[0])
    assert result.lines()[0] == f"{crc(files[0].read_bytes()[:64 * SECTOR])} {64 * SECTOR} wd0"
    first, second = result.text.split("64+0 records in")
    first, second = disk.io(first), disk.io(second)
    assert (first["reads"], first["nread"], first["writes"], first["nwritten"]) == (1, 64 * SECTOR, 0, 0)
    assert (second["reads"], second["nread"]) == (65, 2 * 64 * SECTOR)
    assert second["rcnt"] == second["wcnt"] == 0


def test_data_is_what_the_host_wrote(quipu, files):
    path, cd = files
    result = quipu("sum wd0; sum cd0; hexdump -s 1000 -n 100 wd0; sum wd0 77 1234", "--disk", path, "--cdrom", cd)
    data = path.read_bytes()
    lines = result.lines()
    assert result.status == 0, result.said
    assert lines[0] == f"{crc(data)} {4 * MIB} wd0"
    assert lines[1] == f"{crc(cd.read_bytes())} {MIB} cd0"
    assert lines[-1] == f"{crc(data[77 * SECTOR:(77 + 1234) * SECTOR])} {1234 * SECTOR} wd0"
    shown = bytes.fromhex("".join(line[10:59] for line in lines[2:9]))
    assert shown == data[1000:1100]
    assert lines[2].startswith("000003e8  ") and lines[9] == "0000044c"


def test_a_ram_disk_keeps_what_it_was_given(quipu, files):
    """In transfers that end anywhere in its pieces; the bytes that its driver moved are those that the block layer counts."""
    path, _ = files
    copy = "devctl create md 4; dd if=wd0 of=md0 bs=12k"
    result = quipu(f"{copy}; sum md0; sum md0 77 1234; laws disk-bytes", "--disk", path)
    data = path.read_bytes()
    lines = result.lines()
    assert f"{crc(data)} {4 * MIB} md0" in lines, result.said
    assert f"{crc(data[77 * SECTOR:(77 + 1234) * SECTOR])} {1234 * SECTOR} md0" in lines
    moved = 2 * 4 * MIB + 1234 * SECTOR
    assert re.search(rf"^md0 +{moved} = +{moved}  ok$", result.text, re.M), result.text


def test_hexdump_layout(quipu, tmp_path):
    path = tmp_path / "small"
    path.write_bytes(bytes(range(64)) + bytes(80) + b"Quipu|~\x7f" + bytes(SECTOR - 153))
    result = quipu("hexdump wd0; hexdump -v -s 64 -n 40 wd0", "--disk", path)
    assert result.lines() == [
        "00000000  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  |................|",
        "00000010  10 11 12 13 14 15 16 17  18 19 1a 1b 1c 1d 1e 1f  |................|",
        "00000020  20 21 22 23 24 25 26 27  28 29 2a 2b 2c 2d 2e 2f  | !\"#$%&'()*+,-./|",
        "00000030  30 31 32 33 34 35 36 37  38 39 3a 3b 3c 3d 3e 3f  |0123456789:;<=>?|",
        "00000040  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|",
        "*",
        "00000090  51 75 69 70 75 7c 7e 7f  00 00 00 00 00 00 00 00  |Quipu|~.........|",
        "000000a0  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|",
        "*",
        "00000200",
        "00000040  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|",
        "00000050  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|",
        "00000060  00 00 00 00 00 00 00 00                           |........|",
        "00000068",
    ]


def test_written_data_is_checked_by_the_host(quipu, files):
    path = files[0]
    wanted = bytearray(path.read_bytes())
    wanted[2 * 65536 : 2 * 65536 + 5 * 65536] = disk.pattern(5, 5 * 65536)
    wanted[3 * MIB :] = bytes(MIB)
    result = quipu(
        "dd if=pattern:5 of=wd0 bs=64k count=5 jobs=3 seek=2 conv=fsync; dd if=zero of=wd0 bs=1M seek=3; "
        "devctl create md 4; dd if=wd0 of=md0 bs=4k jobs=7; sum md0",
        "--disk", path,
    )  # fmt: skip
    assert result.status == 0, result.said
    assert path.read_bytes() == wanted
    assert result.lines()[-1] == f"{crc(wanted)} {4 * MIB} md0"
    assert result.lines()[:2] == ["5+0 records in", "5+0 records out"]
    assert re.fullmatch(r"327680 bytes, \d+\.\d{6} s, \d+ kB/s", result.lines()[2])


def test_two_drives_of_one_channel(quipu, files, tmp_path):
    """Both at once: neither waits for ever, nothing goes to the wrong one."""
    other = disk.image(tmp_path, "other", 2 * MIB, 3)
    result = quipu(
        "dd if=wd0 of=null bs=4k jobs=4 & dd if=wd1 of=null bs=4k jobs=4; wait; sum wd0; sum wd1; kstat -p wd",
        "--disk", files[0], "--", *disk.ide(other, 1),
    )  # fmt: skip
    assert f"{crc(files[0].read_bytes())} {4 * MIB} wd0" in result.lines()
    assert f"{crc(other.read_bytes())} {2 * MIB} wd1" in result.lines()
    assert disk.io(result.text, "wd0")["nread"] == 8 * MIB
    assert disk.io(result.text, "wd1")["nread"] == 4 * MIB


@pytest.mark.parametrize("jobs", [1, 8])
@pytest.mark.parametrize("cpus", [1, 4])
def test_trace_gives_the_same_integrals(arch, quipu, files, jobs, cpus):
    if arch == "mips" and cpus > 1:
        pytest.skip("a Malta has one CPU")
    result = quipu(
        f"sum wd0 0 1; kstat -p wd:0; devctl inject wd0 delay={5 if jobs > 1 else 0}; iotrace on; "  # so that others wait
        f"dd if=wd0 of=null bs=16k jobs={jobs}; iotrace off; kstat -p wd:0; iotrace show",
        "--disk", files[0], "--cpus", cpus,
    )  # fmt: skip
    first, rest = result.text.split("256+0 records in")
    change = disk.moved(disk.io(rest), disk.io(first))
    requests = disk.trace(rest)
    assert len(requests) == 256 == change["reads"]
    assert sum(r.bytes for r in requests) == change["nread"] == 4 * MIB
    assert disk.integrals([(r.submitted, r.started) for r in requests]) == (change["wtime"], change["wlentime"])
    assert disk.integrals([(r.started, r.ended) for r in requests]) == (change["rtime"], change["rlentime"])
    # The lengths of the queues as they were told, against those that the times say.
    for r in requests:
        # Submissions of one moment are told apart by their numbers.
        ahead = [q for q in requests if q.number <= r.number and q.started > r.submitted]
        assert r.waiting >= len(ahead) and r.running == 1
    assert max(r.waiting for r in requests) == jobs if jobs == 1 else max(r.waiting for r in requests) > 1


def test_monitor_agrees(boot, files):
    """QEMU's bytes and operations move by as much as ours."""
    machine = boot(arguments=disk.ide(files[0], 0, id="probe"))
    machine.prompt()
    machine.command("sum wd0 0 1")
    before, ours = disk.blockstats(machine, "probe"), disk.io(machine.command("kstat -p wd:0"))
    machine.command("dd if=wd0 of=null bs=4k jobs=4")
    machine.command("dd if=pattern:1 of=wd0 bs=8k count=20 seek=7 jobs=2 conv=fsync")
    after, now = disk.blockstats(machine, "probe"), disk.io(machine.command("kstat -p wd:0"))
    theirs, ours = disk.moved(after, before), disk.moved(now, ours)
    assert (theirs["rd_bytes"], theirs["rd_operations"]) == (ours["nread"], ours["reads"]) == (4 * MIB, 1024)
    assert (theirs["wr_bytes"], theirs["wr_operations"]) == (ours["nwritten"], ours["writes"]) == (20 * 8192, 20)
    assert theirs["flush_operations"] == 1


def test_interrupts_are_as_many_as_requests(arch, quipu, files):
    name = {"x86_64": "ioapic0 pin 14", "mips": "i8259 irq 14"}[arch]
    result = quipu("dd if=wd0 of=null bs=16k; vmstat -e", "--disk", files[0])
    assert re.search(rf"^{name} +256 ", result.text, re.M)
    assert re.search(r"^ide0 intr +256 ", result.text, re.M)


def test_high_memory(arch, quipu, files):
    """A machine with memory that 32 bits do not reach."""
    memory = "4096" if arch == "x86_64" else "2048"
    result = quipu("sum wd0", "--disk", files[0], "--memory", memory)
    assert result.lines() == [f"{crc(files[0].read_bytes())} {4 * MIB} wd0"]


def test_no_disk(quipu):
    result = quipu("devctl list; sum wd0")
    assert result.status == 1
    assert result.lines()[-1] == "sum: no block device wd0"
