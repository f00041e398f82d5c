# SPDX-License-Identifier: BSD-2-Clause
"""ps, kill, time, top and vmstat know programs: what they print, against what the programs say themselves."""

import functools
import re

import disk
import program_script
import pytest

import guest

pytestmark = pytest.mark.programs

ROW = r" *(\d+) ([RSTZ]s?l?) +(\d+):(\d\d)\.(\d\d) (\S+)"
HEADINGS = [" procs    memory      page", " r b      avm    fre  flt  re  pi   po   fr   sr "]


@functools.cache
def said(arch, commands, *arguments):
    result = program_script.run(commands, *arguments, arch=arch)
    assert result.stderr == b"" or result.status is not None, result.said
    return result.text


def test_ps_and_kill(arch):
    text = said(
        arch,
        "account spin 20000 & sleep 0.3; account hold 0 & sleep 0.3; ps -a; echo ===; ps -l; echo ===; ps aux; echo ===; ps; echo ===;"
        "ps -p 2; echo $?; ps -p 77; echo $?; kill 99; echo $?; kill -0 2; echo $?; kill -NOSUCH 1; echo $?; kill x; echo $?; echo ===;"
        "kill -STOP 1; sleep 0.1; ps -p 1; kill -cont 1; sleep 0.1; ps -p 1; kill -9 2; sleep 0.1; jobs; kill -s TERM 1; wait; ps -a",
        "--deterministic",
    )
    short, long, user, threads, picked, ends = text.split("===\n")
    assert short.splitlines()[0] == "  PID STAT      TIME COMMAND"
    rows = [re.fullmatch(ROW, line).groups() for line in short.splitlines()[1:]]
    assert [(row[0], row[1], row[5]) for row in rows] == [("1", "Rs", "account"), ("2", "Ss", "account")]
    for table, heading in ((long, "UID PID PPID CPU NLWP PRI VSZ RSS STAT TIME COMMAND"), (user, "UID PID %CPU %MEM VSZ RSS STAT STARTED TIME COMMAND")):
        first, *lines = table.splitlines()
        assert first.split() == heading.split() and len(lines) == 2
        assert all(len(line.split()) == len(heading.split()) and line.endswith(" account") for line in lines)
        assert len({line.index("account") for line in lines} | {first.index("COMMAND")}) == 1, "columns line up"
    assert threads.startswith("   ID S PRI CPU"), "without options the threads"
    assert len(re.findall(r" account$", threads, re.M)) == 4, "of the programs, and of the jobs that wait for them"
    assert picked.splitlines()[1].endswith("account") and picked.splitlines()[2] == "0"
    assert picked.splitlines()[3:9] == ["  PID STAT      TIME COMMAND", "1", "kill: 99: No such process", "1", "0", "kill: NOSUCH: No such signal"]
    assert 'kill: bad process "x"' in picked
    assert [row[1] for row in re.findall(ROW, ends)] == ["Ts", "Rs"]
    assert "[2] done 137" in ends and ends.endswith("  PID STAT      TIME COMMAND\n")


def timed(text):
    """What `time -l` has printed, by name."""
    values = {name: float(value) for name, value in re.findall(r"^(real|user|sys) +(\S+) s$", text, re.M)}
    return values | {name: int(count) for count, name in re.findall(r"^ *(\d+)  ([a-z ]+)$", text, re.M)}


def test_time_is_what_programs_used(arch):
    """A hundred more of each, to the one; and the program's own word for its time and its children's."""
    runs = [f"time -l account zero {n} getpid {n} signal {n}; echo ===; " for n in (10, 10, 110)]
    text = said(arch, "".join(runs) + "time -l account spin 300 usage 0; echo ===; time -l account copy 100 usage 1; echo ===; time -l sleep 0.1")
    _, few, more, spun, copied, slept = map(timed, text.split("===\n"))
    moved = {name: more[name] - few[name] for name in ("page reclaims", "signals received", "system calls", "page faults")}
    assert moved == {"page reclaims": 100, "signals received": 100, "system calls": 400, "page faults": 0}
    assert more["maximum resident set size"] - few["maximum resident set size"] == 400
    own = dict(re.findall(r"(\w+) (\d+\.?\d*)", re.search(r"^self (.*)$", text, re.M)[1]))
    for mode in ("user", "sys"):
        assert float(own[mode]) <= spun[mode] < float(own[mode]) + 0.15
    assert spun["user"] + spun["sys"] <= spun["real"] and spun["real"] >= 0.3
    child = dict(re.findall(r"(\w+) (\d+\.?\d*)", re.search(r"^children (.*)$", text, re.M)[1]))
    assert copied["page reclaims"] > int(child["minflt"]) + 100 and int(child["minflt"]) >= 100
    assert slept["system calls"] == slept["page reclaims"] == 0 and slept["voluntary context switches"] >= 1


def test_vmstat_of_blocked(arch, tmp_path):
    """Who waits for a disk cannot be interrupted, and is blocked. The host holds the disk back."""
    slow = disk.ide(disk.image(tmp_path, "slow", 128 << 10, 1), 0, id="slow", **{"throttling.bps-total": 30000})
    work = "cat /dev/wd0 > /dev/null & cat /dev/wd0 > /dev/null & vmstat 0.25 12; stop 1 2"
    text = guest.run(work, "--arch", arch, "--", *slow).text
    rows = [line.split()[:2] for line in text.split(HEADINGS[1])[1].splitlines()[1:21]]
    assert ["0", "2"] in rows and all(blocked in "012" for _, blocked in rows), text


def test_vmstat_layout(arch):
    """The columns of NetBSD's vmstat; two that spin are what runs, and nobody idles."""
    text = said(arch, "vmstat; account spin 9000 & account spin 9000 & sleep 0.5; vmstat 0.5 3; stop 1; stop 2; wait")
    first, second = text.split(HEADINGS[0])[1:]
    for report, count in ((first, 1), (second, 3)):
        heading, names, *rows = report.splitlines()
        assert re.fullmatch(r" +(?:disks? +faults      cpu|  faults   cpu)", heading)
        match = re.fullmatch(re.escape(HEADINGS[1]) + r"((?:\w\d )*)  in   sy  cs us sy id", names)
        disks = len(match[1]) // 3
        pattern = r"[ \d]\d[ \d]\d [ \d]{7}\d [ \d]{5}\d [ \d]{3}\d   0   0    0    0    0 " + r"[ \d]+\d " * disks + r"[ \d]{3,}\d [ \d]{3,}\d [ \d]{2,}\d [ \d]{2,} [ \d]{2,} [ \d]{2,}"
        assert len(rows) == count and all(re.fullmatch(pattern, row) for row in rows), report
        assert all(sum(map(int, row.split()[-3:])) == 100 for row in rows)
    for row in second.splitlines()[3:]:
        values = row.split()
        assert values[0] == "2" and values[1] == "0" and values[-1] == "0" and int(values[-3]) > 50
        assert int(values[2]) % 4 == 0 and int(values[2]) > 0


def test_vmstat_rates(arch):
    """A second's faults and calls are those that kstats have counted, divided by the time."""
    look = "kstat -p cpu:0:sys:syscall cpu:0:sys:snaptime cpu:0:sys:pswitch uvm:::; "
    text = said(arch, f"account getpid 3000 zero 500; {look}vmstat; {look}")
    before, after = ({name: float(value) for name, value in re.findall(r"^cpu:0:sys:(\w+)\t(\S+)$", part, re.M)} for part in text.split(HEADINGS[0]))
    assert before["syscall"] == after["syscall"] > 3000
    row = [line for line in text.splitlines() if re.fullmatch(r"[ \d]+", line)][-1].split()
    assert before["syscall"] / after["snaptime"] - 1 <= int(row[-5]) <= after["syscall"] / before["snaptime"] + 1
    assert before["pswitch"] / after["snaptime"] - 1 <= int(row[-4]) <= after["pswitch"] / before["snaptime"] + 1


def test_sums_are_of_one_moment(arch):
    """In vmstat -s no part exceeds its whole, memory adds up, and nothing is there that is not counted."""
    text = said(arch, "account zero 50 vfork 3; vmstat -s; vmstat -s")
    half = len(text.splitlines()) // 2
    for lines in (text.splitlines()[:half], text.splitlines()[half:]):
        sums = {line[10:]: int(line[:9]) for line in lines}
        assert all(line[9] == " " for line in lines) and len(sums) == half
        kinds = ("faults with no memory", "anon faults", "anon copy on write faults", "object faults", "promote copy faults", "promote zero fill faults")
        assert 0 < sum(sums[kind] for kind in kinds) <= sums["total faults taken"]
        assert sums["forks total"] == sums["forks blocked parent"] == sums["forks shared address space with parent"] == 3
        assert sums["pages free"] + sums["pages active"] + sums["cached file pages"] <= sums["pages managed"]
        assert sums["bytes per page"] == 4096 and "swap devices" not in sums
        assert sums["total name lookups"] == sums["good hits"] + sums["miss"]


def test_sum_of_software_interrupts(arch):
    """Those of each line by name, 16 pings' twice as many, and no other interrupt."""
    text = said(arch, "ping -q -c 16 -i 0.01 127.0.0.1; vmstat -e -v; vmstat -s")
    by_name = [int(count) for count in re.findall(r"^cpu0 soft\w+ +(\d+) +\d+ intr$", text, re.M)]
    assert len(by_name) >= 4 and sum(by_name) >= 32
    assert int(re.search(r"^ *(\d+) software interrupts$", text, re.M)[1]) == sum(by_name)


def test_top_of_processes(arch):
    text = said(arch, "account spin 9000 & account hold 0 & sleep 0.3; top -bp -d 0.5 -n 2; top -b -n 1; stop 1; stop 2; wait")
    reports = text.split("up ")[1:]
    assert all(re.match(r"\d+ s, \d+ threads, 2 processes, 1 CPU\n", report) for report in reports)
    rows = [line.split() for line in reports[1].splitlines() if line.endswith(" account")]
    assert [row[1] for row in rows] == ["R", "S"] and float(rows[0][6]) > 60 and float(rows[1][6]) < 5
    assert all(row[4] == "1" and int(row[5]) > 100 for row in rows)
    assert len(re.findall(r" account$", reports[2], re.M)) == 4, "without -p the threads"


def test_the_core_has_counters_alone():
    for command in ("vmstat", "vmstat -s", "ps -a"):
        result = guest.run(command, "--core")
        assert result.status == 2 and "usage: " in result.text
