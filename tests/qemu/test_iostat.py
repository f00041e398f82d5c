# SPDX-License-Identifier: BSD-2-Clause
"""iostat, gstat and systat on real devices: their counts, that both sources agree, and their keys."""

import re

import pytest

import disk

MIB = 1 << 20
COPY = "devctl create md 2; dd if=wd0 of=md0 bs=4k count=512 jobs=4; "


@pytest.fixture
def image(tmp_path):
    return disk.image(tmp_path, "disk", 4 * MIB, 1)


def rows(text, name):
    """The numbers of each line that begins or ends with a device's name."""
    return [
        [float(word) for word in line.replace(name, "").split()]
        for line in text.splitlines()
        if re.search(rf"(^{name} | {name}$)", line)
    ]


def test_a_controller_is_the_sum_of_its_disks(quipu, tmp_path):
    """One that is read, and one that is written, of a channel: operations and bytes, what waits and what runs add up, percentages are means."""
    disks = [disk.ide(disk.image(tmp_path, name, 1 << 20, 7), unit, id=name) for unit, name in enumerate(("master", "slave"))]
    work = "dd if=wd0 of=null bs=4k count=100; dd if=wd0 of=wd1 bs=8k count=50; iostat -xCI"
    text = quipu(work, "--", *disks[0], *disks[1]).text
    (channel,), (read,), (written,) = (rows(text, name) for name in ("ide0", "wd0", "wd1"))
    assert read[:4] == [150, 0, 800, 0] and written[:4] == [0, 50, 0, 400], text
    assert channel[:4] == [150, 50, 800, 400], text
    assert all(abs(channel[i] - read[i] - written[i]) <= 0.11 for i in (4, 5)), text
    assert all(abs(channel[i] - (read[i] + written[i]) / 2) <= 1 for i in (7, 8)), text


def test_errors_of_a_controller(quipu, tmp_path):
    """Lost once or twice: as many transport errors, and soft ones, as it is tried again. Lost three times: 3, 2, and it fails."""
    disks = [disk.ide(disk.image(tmp_path, name, 1 << 20, 7), unit, id=name) for unit, name in enumerate(("master", "slave"))]
    wrong = {"wd0": ["errors=1", "lost=1", "lost=3"], "wd1": ["errors=1", "errors=1", "lost=3", "lost=2"]}
    work = "".join(f"devctl inject {name} timeout=100 {how}; hexdump -n 16 {name}; " for name, all_ in wrong.items() for how in all_)
    text = quipu(work + "iostat -eC; iostat -exC", "--", *disks[0], *disks[1]).text
    expected = {"wd0": [3, 2, 4, 9], "wd1": [4, 3, 5, 12], "ide0": [7, 5, 9, 21]}
    for name, errors in expected.items():
        assert [row[-4:] for row in rows(text, name)] == [errors] * 2, text
    first = text[text.index("trn tot") : text.index("extended")]
    assert re.findall(r"^(\S*) +\d", first, re.M) == ["cd0", "ide0", "ide1", "wd0", "wd1"], "and no other row"


def test_totals_are_exact(quipu, image):
    result = quipu(COPY + "iostat -xI; iostat -F -xI; iostat -F -dI wd0 md0", "--disk", image)
    assert result.status == 0, result.said
    solaris, bsd = rows(result.text, "wd0")[:2]
    assert solaris[:4] == bsd[:4] == [512, 0, 2048, 0]
    solaris, bsd = rows(result.text, "md0")[:2]
    assert solaris[:4] == bsd[:4] == [0, 512, 0, 2048]
    assert bsd[4] == 0, "nothing is in the queue"
    last = result.text.splitlines()[-3:]
    assert sorted(last[0].split()) == ["md0", "wd0"]
    assert last[1] == "  KB/t xfrs   MB " * 2 and last[2] == "  4.00 512  2.00 " * 2


def test_both_sources_agree(quipu, image):
    """The time that a device was busy, and that requests took, in seconds, from devstat; in ns from kstat, by queue."""
    result = quipu(COPY + "iostat -F -xI; kstat -p wd:0:wd0", "--disk", image)
    _, _, _, _, _, duration, busy = rows(result.text, "wd0")[0]
    kstat = disk.io(result.text)
    assert abs(duration - (kstat["wlentime"] + kstat["rlentime"]) / 1e9) <= 0.0005
    # Busy with some request, be it that it runs or that it waits.
    assert max(kstat["rtime"], kstat["wtime"]) / 1e9 - 0.05 <= busy <= (kstat["rtime"] + kstat["wtime"]) / 1e9 + 0.05
    assert kstat["rlentime"] > 0 and kstat["wlentime"] > 0


def test_each_report_is_of_its_interval(quipu, image):
    result = quipu(COPY + "iostat -xn 1 3; iostat -F -x -w 1 -c 2 wd0", "--disk", image)
    assert result.status == 0, result.said
    first, second, third, since_creation, fourth = rows(result.text, "wd0")
    assert first[0] > 0 and since_creation[0] > 0
    assert second == third == [0] * 10 and fourth == [0] * 10
    assert result.text.count("extended device statistics") == 5


def test_what_is_shown(quipu, image):
    text = quipu(COPY + "iostat -xz 1 2; iostat -xnrM; iostat -F -d -t da,ide; iostat -F -xC md0", "--disk", image).text
    assert len(rows(text, "wd0")) == 1, "-z: idle in the second interval"
    assert re.search(r"^r/s,w/s,Mr/s,Mw/s,wait,actv,wsvc_t,asvc_t,%w,%b,device$", text, re.M)
    assert re.search(r"^(\d+\.\d,){8}\d+,\d+,wd0$", text, re.M)
    assert re.search(r"^ +wd0 $", text, re.M), "of the disks only the one on IDE"
    assert re.search(r"^      cpu\n us ni sy in id\n( [ \d]\d){5}\n +extended device statistics  $", text, re.M), "above the devices"


@pytest.mark.parametrize(
    "bad, status, message",
    [
        ("iostat -q", 2, "usage: iostat"),
        ("iostat 1 2 3", 2, "usage: iostat"),
        ("iostat 0", 2, "iostat: bad interval"),
        ("iostat -x nope", 1, 'iostat: no device is named "nope"'),
        ("iostat -F nope", 1, 'iostat: no device is named "nope"'),
        ("iostat -F -t quux", 2, "iostat: devstat_buildmatch: no such type of device"),
        ("iostat -F -t da,cd", 2, "two words of the same category"),
        ("iostat -F -c x", 2, 'iostat: bad count "x"'),
        ("gstat -b -I 0", 2, 'gstat: bad interval "0"'),
        ("gstat -b -I 3x", 2, 'gstat: bad interval "3x"'),
        ("gstat -b -f '('", 2, 'gstat: bad filter "("'),
        ("iostat -dD", 2, "iostat: -d and -D exclude each other"),
        ("iostat -C", 2, "iostat: -C goes with -x or -e"),
        ("iostat -P", 2, "iostat: -P: disks have no partitions here"),
        ("iostat -m", 2, "iostat: -m: there are no file systems here"),
        ("iostat -T x", 2, 'iostat: bad form of time "x"'),
        ("iostat -l 0", 2, 'iostat: bad number of disks "0"'),
        ("gstat -c", 2, "gstat: -c: devices have no consumers here"),
        ("gstat now", 2, "usage: gstat"),
        ("systat", 2, "usage: systat"),
        ("systat vmstat 1 0", 2, 'systat: bad count "0"'),
    ],
)
def test_bad_usage(quipu, bad, status, message):
    result = quipu(bad)
    assert result.status == status
    assert message in result.text


def test_solaris_options(quipu, image):
    text = quipu(COPY + "iostat -T u -xCI; iostat -D wd0; iostat -tc; iostat -xctl 1; iostat -p -s -D", "--disk", image).text
    lines = text[text.index("bytes,") :].splitlines()[1:]
    assert re.fullmatch(r"\d{9,}", lines[0])
    assert rows(text, "ide0")[0][:8] == rows(text, "wd0")[0][:8], "the controller's only disk"
    assert len(rows(text, "md0")) == 1, "a RAM disk has no controller; -l takes the first by name"
    at = lines.index("    wd0       ")
    assert lines[at + 1] == "rps wps util  " and re.fullmatch(r" *\d+   0 +\d+\.\d  ", lines[at + 2])
    assert lines[at + 3] == "   tty         cpu" and len(lines[at + 5].split()) == 6
    assert lines[at + 7].split()[-6:] == ["tin", "tout", "us", "sy", "dt", "id"]
    assert len(lines[at + 8].split()) == 16


def test_errors_are_shown(quipu, image):
    text = quipu(
        "devctl inject wd0 errors=2; hexdump -n 16 wd0; hexdump -n 16 wd0; hexdump -n 16 wd0; iostat -e; iostat -E wd0; kstat -p wderr",
        "--disk",
        image,
    ).text
    soft, hard, transport, total = map(int, re.search(r"^wd0 +(\d+) +(\d+) +(\d+) +(\d+) $", text, re.M).groups())
    assert hard == 2 and total == soft + hard + transport
    known = "wd0       Soft Errors: 0 Hard Errors: 2 Transport Errors: 0 \nVendor: ATA Product: QEMU HARDDISK Revision: "
    assert known in text.replace(f"Soft Errors: {soft}", "Soft Errors: 0")
    assert re.search(r"Revision: (\d\S*) Serial No: QM0000\d \n?Model: QEMU HARDDISK \n?Size: 0.00GB <4194304 bytes>\nMedia Error: 0 Device Not Ready: 0 No Device: 0 Illegal Request: 0 \n\n", text)
    release = re.search(r"Revision: (\S+)", text)[1]
    assert f"wderr:0:wd0,err:Revision\t{release}\n" in text and "wderr:0:wd0,err:Vendor\tATA\n" in text
    assert "wderr:0:wd0,err:class\tdevice_error\n" in text and "wderr:0:wd0,err:Hard Errors\t2\n" in text


def test_options_together(quipu, image):
    """-x wins over -d and -D, and these over -e and -E; -n has the CPUs above; -r is for the short form, too."""
    text = quipu(COPY + "iostat -dr wd0; iostat -Dr; iostat -tcr; iostat -xd wd0; iostat -de wd0; iostat -xnc wd0", "--disk", image).text
    lines = text[text.index("bytes,") :].splitlines()[1:]
    assert lines[:2] == ["wd0", "kps,tps,serv"] and re.fullmatch(r"\d+,\d+,\d+", lines[2])
    assert lines[3] == ",".join(sorted(lines[3].split(","))) and "wd0" in lines[3]
    count = lines[3].count(",") + 1
    assert lines[4] == ",".join(["rps,wps,util"] * count) and re.fullmatch(r"(\d+,\d+,\d+\.\d,?)+", lines[5])
    assert lines[6:8] == ["tty,cpu", "tin,tout,us,sy,dt,id"] and re.fullmatch(r"(\d+,){5}\d+", lines[8])
    assert lines[9].split() == ["extended", "device", "statistics"] and lines[10].startswith("device ")
    assert lines[12:14] == ["    wd0       ", "kps tps serv  "]
    assert lines[15:17] == ["     cpu", " us sy dt id"] and re.fullmatch(r"( [ \d]\d){4}", lines[17])
    assert lines[19].endswith("%b device") and lines[20].endswith(" wd0")


def test_freebsd_devices(quipu, image):
    """Beside each other: 3 devices, 4 where the CPUs are not, as many as are named or -n says; all by their whole names."""
    make = "devctl create md 1; " * 6
    text = quipu(
        make + "iostat -F; iostat -F -C; iostat -F -d; iostat -F -dC; iostat -F -do; iostat -F -d -n 6; iostat -F -d md0 md1 md2 md3 md4 md5; iostat -F -d -n 0"
        "; iostat -F -n 1 -d md0 md1",
        "--disk",
        image,
    ).text
    titles = [line.split() for line in text.splitlines() if re.match(r"^(       tty)?( +(wd|md|cd|console)\d+ )+( +cpu)?$", line)]
    counts = [sum(word[-1].isdigit() for word in title) for title in titles]
    assert counts == [3, 3, 4, 3, 5, 6, 6, 1]
    assert [title[0] == "tty" for title in titles[:4]] == [True, True, False, False]
    assert [title[-1] == "cpu" for title in titles[:4]] == [True, True, False, True]


def test_freebsd_first_report_is_since_boot(quipu):
    """Also of a device that came later: 2 MiB of 4 KiB pieces in all the time since boot, not in the time that the device was there."""
    result = quipu("sleep 5; devctl create md 2; dd if=zero of=md0 bs=4k count=512; iostat -F -x md0; kstat -p unix:0:system_misc:snaptime")
    uptime = float(result.text.split()[-1])
    writes = rows(result.text, "md0")[0][1]
    assert uptime > 5 and abs(writes - 512 / uptime) <= 0.1 * writes + 1


def test_serial_and_names_of_errors(quipu, tmp_path):
    """What the drive says of itself, as QEMU was told it; with -n names have more room. 16 characters of each go into the kstat."""
    path = tmp_path / "disk"
    with path.open("wb") as sparse:
        sparse.truncate(2_500_000_256)
    options = ["--", "-drive", f"file={path},format=raw,if=none,id=d", "-device", "ide-hd,drive=d,serial=S123456789012345678,ver=V12,model=A disk of many letters"]
    text = quipu("iostat -En wd0; iostat -xE wd0; kstat -C wderr:0::Model", *options).text
    lines = text.splitlines()
    assert lines[:5] == [
        "wd0              Soft Errors: 0 Hard Errors: 0 Transport Errors: 0 ",
        "Vendor: ATA Product: A disk of many l Revision: V12 Serial No: S123456789012345 ",
        "Model: A disk of many letters Size: 2.50GB <2500000256 bytes>",
        "Media Error: 0 Device Not Ready: 0 No Device: 0 Illegal Request: 0 ",
        "",
    ]
    assert "extended device statistics" in lines[5] and lines[8].startswith("wd0       Soft Errors: 0")
    assert lines[-1] == "wderr:0:wd0,err:Model:A disk of many letters"


def test_serial_of_virtio(quipu, tmp_path):
    """QEMU was told the serial numbers of the first two; virtio has no word for a revision, and nothing for the third."""
    options = ["--"]
    for name, serial in (("a", ",serial=QX17"), ("b", ",serial=abcdefghijklmnopqrst"), ("c", "")):
        path = tmp_path / name
        path.write_bytes(bytes(1 << 20))
        options += ["-drive", f"file={path},format=raw,if=none,id={name}", "-device", f"virtio-blk-pci,disable-legacy=on,drive={name}{serial}"]
    text = quipu("iostat -En vd0 vd1 vd2; dmesg; sum vd0; sum vd1; vmstat -ev", *options).text
    assert re.findall(r"^(vd\d)  .*\nVendor: VirtIO Product: virtio disk Revision:  Serial No: (.*?) ?(?:\n|Model)", text, re.M) == [
        ("vd0", "QX17"),
        ("vd1", "abcdefghijklmnop"),
        ("vd2", ""),
    ]
    assert "virtio:" not in text and text.count(" 1048576 vd") == 2
    assert all(re.search(rf"^vd{n} strange answers +0 ", text, re.M) for n in range(3))


def test_gstat_csv(quipu, image):
    text = quipu(COPY + "gstat -bCsdo -I 100ms -f wd0; gstat -bs -I 100ms", "--disk", image).text
    head, row = [line.split(",") for line in text.splitlines() if "," in line and "bytes," not in line][:2]
    assert len(head) == len(row) == 19 and head[0] == "timestamp" and head[-1] == "%busy"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9}", row[0]) and row[1] == "wd0"
    assert " L(q)  ops/s    r/s     kB   kBps   ms/r    w/s     kB   kBps   ms/w   %busy Name" in text.splitlines()


def test_gstat_batch(quipu, image):
    text = quipu("devctl inject wd0 delay=20; dd if=wd0 of=null bs=4k count=1000 & sleep 1; gstat -b -o -f '^wd'; stop 1", "--disk", image).text
    heading = " L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w    o/s   ms/o   %busy Name"
    assert heading in text.splitlines()
    row = rows(text.replace("|", " "), "wd0")[-1]
    assert len(row) == 11 and row[1] == row[2] > 0
    assert abs(row[3] - 4 * row[2]) <= 4, "4 KiB an operation"
    assert "cd0" not in text


def test_systat_fits_the_screen(quipu):
    result = quipu("systat -b vmstat 1 2")
    lines = result.text.splitlines()
    assert result.status == 0 and len(lines) == 46
    assert all(len(line) <= 79 for line in lines)
    total = int(lines[24].split()[-2])
    shown = [int(line[58:63].strip() or 0) for line in lines[25:] if line[58:].strip() and "irq" not in line]
    assert abs(total - sum(shown)) <= len(shown), "the lines add up, but for rounding"
    shares = [float(share) for share in re.findall(r"([\d.]+)%", lines[23 + 11])]
    assert abs(sum(shares) - 100) < 0.3


@pytest.mark.parametrize("command, sign", [(b"gstat -I 200ms", rb"%busy Name"), (b"systat vmstat 1", rb"Interrupts")])
def test_live(machine, command, sign):
    for end in (b"q", b"\x03"):
        machine.send(command + b"\r")
        machine.expect(sign)
        machine.expect(sign)
        machine.send(end)
        machine.prompt()
        assert machine.status() == (0 if end == b"q" else 130)


def test_gstat_filter_by_key(machine):
    machine.send(b"gstat -I 200ms\r")
    machine.expect(rb"%busy Name")
    machine.send(b"f")
    machine.expect(rb"filter: ")
    machine.send(b"^noM\x7fne\r")
    machine.expect(rb"w: 0\.200s  filter: \^none\x1b")
    machine.send(b"F")
    machine.expect(rb"w: 0\.200s\x1b")
    machine.send(b"q")
    machine.prompt()
    assert machine.status() == 0
