# SPDX-License-Identifier: BSD-2-Clause
"""sysctl: values against what others say of the same, filters of kern.evcnt, refusals."""

import re
import struct

import pytest

import linux_program
import vmstat_layout


def values(text):
    return dict(line.split(": ", 1) for line in text.splitlines())


def test_all(quipu, arch):
    result = quipu("sysctl -a", "--memory", 64)
    names = [line.split(": ", 1)[0] for line in result.lines()]
    found = values(result.text)
    assert names == sorted(names) and result.status == 0
    assert found["kern.ostype"] == "Quipu" and found["hw.ncpu"] == "1" and found["hw.pagesize"] == "4096"
    assert found["hw.machine_arch"] == ("x86_64" if arch == "x86_64" else "mips64eb")
    assert found["hw.byteorder"] == ("1234" if arch == "x86_64" else "4321")
    assert 61 << 20 < int(found["hw.usermem"]) < int(found["hw.physmem"]) <= 64 << 20
    assert found["kern.clockrate"] == "{ hz = 100, tick = 10000, profhz = 100, stathz = 100 }"


def test_boottime(quipu):
    found = quipu("sysctl -n kern.boottime; sleep 1; sysctl -n kern.boottime", "--deterministic").lines()
    assert found[0] == found[1], "it does not move"
    assert re.fullmatch(r"\{ sec = 946(6847|6848)\d\d, usec = \d+ \} (Sat Jan  1 00:00:0\d 2000|Fri Dec 31 23:59:59 1999)", found[0])


def test_cp_time(quipu):
    text = quipu("spin 500; sleep 0.5; sysctl -n kern.cp_time kern.cp_times", "--deterministic").lines()
    user, nice, system, interrupt, idle = map(int, text[0].split())
    assert user == nice == 0 and 50 <= system <= 60 and 49 <= idle <= 60
    assert text[0] == text[1], "with one CPU they are the same"


def test_cp_time_is_the_sum(arch, quipu):
    """Ticks of all CPUs are the sum of each: between the sums before and after, by state."""
    cpus = 8 if arch == "x86_64" else 1
    look = "sysctl -n kern.cp_times kern.cp_time kern.cp_times;"
    lines = quipu(look * 5, "--cpus", cpus).lines()
    for before, all_cpus, after in zip(*(lines[i::3] for i in range(3))):
        sums = [[sum(map(int, line.split()[state::5])) for state in range(5)] for line in (before, after)]
        for low, told, high in zip(sums[0], map(int, all_cpus.split()), sums[1]):
            assert low <= told <= high, (before, all_cpus, after)


PINGS = "ping -q -c 2000 -i 0.0001 127.0.0.1 > /dev/null; "


def test_cp_time_is_that_of_kstat(quipu, arch):
    """Ticks of each state lie between two looks at the nanoseconds; there is enough of each."""
    why = linux_program.missing(arch)
    if why:
        pytest.skip(why)
    look = "kstat -p cpu:0:sys:/nsec/; "
    text = quipu(f"workload spin 300 > /dev/null; {PINGS}{look}sysctl -n kern.cp_time; {look}").text
    looks = [dict(found) for found in [re.findall(r"cpu_nsec_(\w+)\t(\d+)", part) for part in re.split(r"^\d+ 0 .*\n", text, flags=re.M)]]
    ticks = re.search(r"^(\d+) 0 (\d+) (\d+) (\d+)$", text, re.M).groups()
    for name, told in zip(("user", "kernel", "intr", "idle"), map(int, ticks)):
        low, high = (int(look[name]) // 10**7 for look in looks)
        assert low <= told <= high, (name, text)
    assert int(ticks[0]) > 10


def test_soft_interrupts(quipu):
    """Those of the loopback, two for each ping, are all that there are, or nearly."""
    text = quipu(f"{PINGS}vmstat -e; sysctl -n vm.stats.sys.v_soft; kstat -p cpu:0:intrstat:level-3-count; vmstat -e").text
    low, high = (sum(map(int, re.findall(r"^cpu0 soft\w+ +(\d+)", part, re.M))) for part in re.split(r"^\d+\n", text, flags=re.M))
    told = int(re.search(r"^(\d+)$", text, re.M)[1])
    assert 4000 <= low <= told <= high
    assert re.search(r"level-3-count\t(\d+)", text)[1] == re.search(r"^cpu0 softnet +(\d+)", text, re.M)[1]


@pytest.mark.parametrize("arch", ["x86_64"], indirect=True)
def test_cpus(quipu):
    found = quipu("sysctl -n hw.ncpu hw.ncpuonline kern.cp_times", "--cpus", 3).lines()
    assert found[:2] == ["3", "3"] and len(found[2].split()) == 15


def records(data, order):
    """[(type, "group name", count, address, parent)] of the bytes of kern.evcnt."""
    found, at = [], 0
    while at < len(data):
        count, address, parent, kind, group, name, length = struct.unpack_from(order + "QQQBBBB", data, at)
        strings = data[at + 28 : at + length * 8]
        assert strings[group] == 0 and strings[group + 1 + name] == 0 and not strings[group + name + 1 :].strip(b"\0")
        assert length * 8 == (28 + group + 1 + name + 1 + 7) // 8 * 8
        text = f"{strings[:group].decode()} {strings[group + 1:group + 1 + name].decode()}"
        found.append((kind, text, count, address, parent))
        at += length * 8
    return found


def evcnt(quipu, arch, node):
    text = quipu(f"sysctl -xn {node}; vmstat -e -v", "--deterministic").text
    line, table = text.split("\n", 1)
    match = re.fullmatch(r"Format:S,evcnt_sysctl Length:(\d+) Dump:0x([0-9a-f]*)", line)
    data = bytes.fromhex(match.group(2))
    assert len(data) == int(match.group(1))
    return records(data, "<" if arch == "x86_64" else ">"), vmstat_layout.parse(table, "event")


def test_evcnt(quipu, arch):
    found, rows = evcnt(quipu, arch, "kern.evcnt")
    assert [(name, ["misc", "intr", "trap"][kind]) for kind, name, *_ in found] == [(row.name, row.type) for row in rows]
    assert all(record[2] <= row.total for record, row in zip(found, rows))
    addresses = {record[3] for record in found}
    assert all(record[4] == 0 or record[4] in addresses for record in found)


@pytest.mark.parametrize("kind,count", [(0, 0), (1, 1), (2, 0), (-1, 1)])
def test_evcnt_filters(quipu, arch, kind, count):
    every, _ = evcnt(quipu, arch, "kern.evcnt")
    found, _ = evcnt(quipu, arch, f"kern.evcnt.{kind}.{count}")
    wanted = {r[1] for r in every if kind in (-1, r[0]) and (r[2] or not count)}
    assert wanted <= {r[1] for r in found} and all(kind in (-1, r[0]) and (r[2] or not count) for r in found)


def test_hostname(quipu):
    text = quipu("sysctl kern.hostname=inka; sysctl -n kern.hostname").text
    assert text == "kern.hostname: quipu -> inka\ninka\n"


@pytest.mark.parametrize(
    "words,complaint",
    [
        ("kern.nothing", "sysctl: kern.nothing: no such name"),
        ("hw.ncpux", "sysctl: hw.ncpux: no such name"),
        ("hw.ncpu=2", "sysctl: hw.ncpu: cannot be written"),
        ("kern.hostname=", "sysctl: kern.hostname: bad value"),
        (f"kern.hostname={'x' * 256}", None),
        ("kern.evcnt.3.0", "sysctl: kern.evcnt.3.0: bad value"),
        ("kern.evcnt.0.2", "sysctl: kern.evcnt.0.2: bad value"),
        ("kern.evcnt.1", "sysctl: kern.evcnt.1: bad value"),
        ("kern.evcnt.1.1.1", "sysctl: kern.evcnt.1.1.1: bad value"),
        ("kern.evcnt.a.b", "sysctl: kern.evcnt.a.b: bad value"),
    ],
)
def test_refused(quipu, words, complaint):
    result = quipu(f"sysctl {words}")
    assert result.status == 1 and len(result.lines()) == 1
    assert complaint is None or result.text == complaint + "\n"


@pytest.mark.parametrize("words", ["", "-a hw", "-z hw", "-bx hw"])
def test_usage(quipu, words):
    assert quipu(f"sysctl {words}").status == 2


def test_selftest(quipu):
    assert quipu("selftest sysctl-sizes").status == 0


def test_options(quipu):
    lines = quipu("sysctl -t hw.ncpu kern.ostype; sysctl -N kern.smp; sysctl -n net.inet.ip.ttl net.inet.ip.forwarding").lines()
    assert lines[:2] == ["hw.ncpu: integer", "kern.ostype: string"]
    assert lines[2:5] == ["kern.smp.active", "kern.smp.cpus", "kern.smp.maxcpus"] and lines[5:] == ["64", "0"]
    every = quipu("sysctl -Aq nothing; sysctl -Ao").text
    assert "\nkern.devstat.all: Format:S,devstat Length:" in every and "\nkern.msgbuf: [" in every
    assert "kern.msgbuf" not in quipu("sysctl -a").text
    assert quipu("sysctl -w kern.hostname=inka").text == "kern.hostname: quipu -> inka\n"


@pytest.mark.parametrize(
    "command, status, text",
    [
        ("sysctl nothing", 1, "sysctl: nothing: no such name\n"),
        ("sysctl -q nothing", 1, ""),
        ("sysctl -i nothing", 0, ""),
        ("sysctl -w hw.ncpu", 1, "sysctl: hw.ncpu: no value is given\n"),
        ("sysctl -w hw.ncpu=2", 1, "sysctl: hw.ncpu: cannot be written\n"),
        ("sysctl nothing=2", 1, "sysctl: nothing: no such name\n"),
    ],
)
def test_refusals(quipu, command, status, text):
    result = quipu(command)
    assert (result.status, result.text) == (status, text)


def test_network(quipu):
    """The numbers of a protocol are those of netstat -s."""
    found = quipu("ping -q -c 3 127.0.0.1; sysctl -n net.inet.icmp.stats; netstat -s", "--net").text
    numbers = re.search(r"^\d+( \d+){12}$", found, re.M).group().split()
    lines = re.search(r"^icmp:?\n((?:\s+\d+ .*\n)+)", found, re.M).group(1).splitlines()
    assert [line.split()[0] for line in lines] == [n for n in numbers if n != "0"] or [line.split()[0] for line in lines] == numbers


def test_events(quipu, arch):
    text = quipu("sysctl -n vm.stats.sys.v_trap; kstat -p cpu:0:sys:trap cpu:0:vm:hat_fault; vmstat -e", "--deterministic").text
    trap = int(text.split("\n", 1)[0])
    refill = int(re.search(r"hat_fault\t(\d+)", text).group(1))
    assert refill == (0 if arch == "x86_64" else trap)
