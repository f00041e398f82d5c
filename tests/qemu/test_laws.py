# SPDX-License-Identifier: BSD-2-Clause
"""Laws hold while everything is at work, what is planted is found and named, and the checked build panics."""

import re

import pytest

import disk
import guest

# So that every law has something that it is about.
EVERYTHING = "ping -c 2 127.0.0.1; devctl create md 1; sum md0; "
COUNTING = "pmc start instructions:uk instructions:u instructions:k branches:uk; "  # the last is part of nothing
ROW = re.compile(r"^(\S+) +(\d+) +(\d+) (=|<=) +(\d+)  (ok|VIOLATED)$")
BUSY = [
    "on 0 spin 400",
    "sum wd0",
    "dd if=wd0 of=md0 bs=4k jobs=4 count=100",
    "dd if=pattern:3 of=md0 bs=8k jobs=8 count=60",
    "ping -q -c 60 -i 0.005 10.0.2.2",
    "ping -q -c 200 -i 0.001 127.0.0.1",
    "udp -w 0.2 send 10.0.2.2 7 laws",
    "mpstat 0.05 6",
    "kstat -p -c disk 0.05 4",
    "pmc stat -e context-switches,interrupts ps",
    "selftest cpus-call thread-many timer-cancel evcnt-crowd wait-lost",
]


def laws(arch):
    """[(name, left, sign, right)] from `laws -l`."""
    lines = guest.run("laws -l", "--arch", arch).lines()
    return [re.fullmatch(r"(\S+) +(.*?) (=|<=) (.*)", line).groups() for line in lines]


def rows(text):
    return [ROW.match(line).groups() for line in text.splitlines() if ROW.match(line)]


@pytest.fixture
def source(tmp_path):
    return disk.image(tmp_path, "source", 1 << 20, 5)


def test_the_manual_has_all():
    page = (guest.ROOT / "docs" / "man" / "laws.8").read_text()
    described = [name for line in re.findall(r"^\.It (.*)", page, re.M) for name in re.findall(r"[a-z][a-z-]+", line)]
    assert {name for name, *_ in laws("x86_64")} | {name for name, *_ in laws("mips")} <= set(described)


def test_table_lines_up(arch):
    result = guest.run(EVERYTHING + "echo begin; laws", "--arch", arch)
    table = result.lines()[result.lines().index("begin") + 1 :]
    assert result.status == 0 and table[0].split() == ["law", "subjects", "left", "right"]
    found = rows("\n".join(table))
    assert len(found) == len(table) - 1 and all(row[5] == "ok" for row in found)
    assert len({line.index(f" {row[3]} ") for line, row in zip(table[1:], found)}) == 1
    names = [row[0] for row in found]
    assert names == sorted(names) and set(names) <= {law[0] for law in laws(arch)}
    sums = {row[0]: (int(row[2]), int(row[4])) for row in found}
    assert sums["disk-bytes"] == (1 << 20, 1 << 20)  # what was read of md0
    assert sums["frames-in"] == sums["ip-in"] == sums["icmp-in"] == (4, 4)  # two requests, two replies
    assert sums["frames-out"] == (4, 4)
    assert all(left == right for name, (left, right) in sums.items() if name != "line-time")


def test_subjects_are_counted(arch):
    """The table has one row for a law, with the number of those whose rows the law alone has: of CPUs as many as there are."""
    cpus = 3 if arch == "x86_64" else 1
    text = guest.run("laws; echo ===; laws line; echo ===; laws share; echo ===; laws cpu-time", "--arch", arch, "--cpus", cpus).text
    table, line, shares, times = text.split("===\n")
    subjects = {row[0]: int(row[1]) for row in rows(table)}
    assert subjects["cpu-time"] == len(times.splitlines()) - 1 == cpus
    assert subjects["line"] == len(line.splitlines()) - 1 > 5
    if arch == "x86_64":
        assert subjects["share"] == len(shares.splitlines()) - 1 > 25


def test_many_subjects_of_a_law(arch):
    """More than there is spare room for, and more than there are laws: each has its row."""
    text = guest.run("devctl create md 1; " * 80 + "laws disk-bytes", "--arch", arch, "--memory", 256).text
    assert len(re.findall(r"^md\d+ +0 = +0  ok$", text, re.M)) == 80, text


@pytest.mark.parametrize("arch,cpus", [("x86_64", 1), ("x86_64", 4), ("x86_64", 16), ("mips", 1)])
def test_hold_at_work(arch, cpus, source):
    """With a disk, the network, timers, threads and counters at work; checks are counted, not timed."""
    checks = 200 // cpus + 20
    script = EVERYTHING + COUNTING * (arch == "x86_64") + " & ".join(BUSY)
    script += f" & laws -n {checks}; wait; pmc stop; laws"
    result = guest.run(script, "--arch", arch, "--cpus", cpus, "--net", "--disk", source)
    found = re.search(r"^(\d+) checks, (\d+) comparisons, (\d+) violated$", result.text, re.M)
    assert result.status == 0 and "violated:" not in result.text, result.said
    assert found and int(found[1]) == checks and int(found[2]) > checks * 30 and found[3] == "0"
    assert re.search(r"^\d passed, 0 failed", result.text, re.M), result.said
    assert all(row[5] == "ok" for row in rows(result.text))


@pytest.mark.parametrize("arch,cpus", [("x86_64", 1), ("x86_64", 4), ("mips", 1)])
def test_hold_after_what_came_and_went(arch, cpus):
    """Handlers, counters, threads, kstats and blocks that are gone leave what they counted where it belongs."""
    kinds = "interrupt level softint kstat thread cpus wait timer kmem block devstat"
    result = guest.run(f"selftest {kinds}; laws", "--arch", arch, "--cpus", cpus)
    assert result.status == 0 and ", 0 failed" in result.text and "violated" not in result.text, result.said
    sums = {row[0]: row for row in rows(result.text)}
    assert int(sums["line"][2]) > 100 and int(sums["switches"][2]) > 100
    assert {row[5] for row in sums.values()} == {"ok"}


def test_every_law_finds_what_is_planted(arch):
    listed = laws(arch)
    assert len(listed) > 20
    # Two counters, one CPU; the other one is about a mode that excludes `pmc start`: test_r10k.py.
    absent = {"mips": {"pmu-modes", "share"}, "x86_64": set()}[arch] | {"hwperf-thresholds"}
    script = EVERYTHING + COUNTING * (arch == "x86_64")
    script += "; ".join(f"laws -p {name}; echo status $?" for name, *_ in listed) + "; laws"
    result = guest.run(script, "--arch", arch, *(["--cpus", "2"] if arch == "x86_64" else []))
    said = iter(result.text[result.text.index("laws:") :].splitlines())
    for name, left, sign, right in listed:
        line = next(said)
        if name in absent:
            assert line == f"laws: {name} has nothing to be planted in here"
        else:
            number = re.fullmatch(
                rf"laws: violated: {name}(?: of .+)?: {re.escape(left)} is (\d+), {re.escape(right)} is (\d+)"
                + (", which is less" if sign == "<=" else ""),
                line,
            )
            assert number and int(number[1]) - int(number[2]) == 1, line
        assert next(said) == "status 1"
    assert result.status == 0  # and nothing of it is left
    assert all(row[5] == "ok" for row in rows(result.text))


@pytest.mark.parametrize("law", ["line", "cpu-time", "pages", "disk-bytes", "frames-in", "frames-out", "line-time"])
def test_violation_panics_in_the_checked_build(arch, law):
    result = guest.run(EVERYTHING + f"laws -p {law}", "--arch", arch, "--checked")
    said = result.stderr.decode("ascii")
    assert result.status == 70
    assert re.search(rf"^panic: law: {law}(?: of .+)?: .+ is \d+, .+ is \d+(, which is less)?$", said, re.M), said


def test_checked_build_looks_by_itself(arch):
    result = guest.run("selftest law-left", "--arch", arch, "--checked")
    assert result.status == 70
    said = result.stderr.decode("ascii")
    assert re.search(r"^panic: law: line of selftest line 3: deliveries is 0, .+ is 1$", said, re.M), said
    assert guest.run("selftest law-left", "--arch", arch).status == 0


def test_cpu_that_does_not_come_is_named():
    result = guest.run("selftest law-never law-late", "--cpus", "2")
    assert result.status == 0 and result.lines()[:2] == ["law-never ok", "law-late ok"], result.said


def test_subjects_of_a_law(quipu):
    """A whole name is one law; what stands before a hyphen is all that begin so."""
    result = quipu("devctl create md 1; devctl create md 1; laws disk-requests pages; echo; laws kmem")
    text = result.text[result.text.index("disk-requests") :]
    one, other = text.split("\n\n")
    assert one.splitlines()[0] == "disk-requests: submitted = ended + in the queues"
    assert re.findall(r"^(md\d|\S+:)", one, re.M) == ["disk-requests:", "md0", "md1", "pages:"]
    assert re.findall(r"^(\S+): ", other, re.M) == ["kmem-callers", "kmem-objects", "kmem-pages"]
    assert result.status == 0 and len({line.rindex("=") for line in text.splitlines() if line.endswith("ok")}) == 1


@pytest.mark.parametrize(
    "words,said",
    [
        ("laws nothing", 'laws: no law named "nothing", see laws -l'),
        ("laws line-", 'laws: no law named "line-", see laws -l'),
        ("laws -n 0", 'laws: bad count "0"'),
        ("laws -n x", 'laws: bad count "x"'),
        ("laws -w 0 -n 2", "laws: bad interval"),
        ("laws -p", "usage: laws "),
        ("laws -z", "usage: laws "),
    ],
)
def test_usage(words, said):
    result = guest.run(words)
    assert result.status == 2 and said in result.text


def test_memory_merges_below_the_frontier(arch):
    """In a fresh boot, where most memory was never touched."""
    result = guest.run("selftest page-frontier page", "--arch", arch)
    assert result.status == 0 and result.lines()[0] == "page-frontier ok", result.said


def test_idle_time_is_a_time():
    """Of CPUs that are idle while they are looked at, too: between what their kstats say before and after."""
    kstat = "kstat -p 'cpu:*:sys:cpu_nsec_idle'"
    result = guest.run(f"sleep 0.2; {kstat}; laws idle-time; {kstat}; dmesg | grep clock:", "--cpus", 4)
    hertz = int(re.search(r"TSC at (\d+) Hz", result.text).group(1))
    told = [int(ns) for ns in re.findall(r"cpu_nsec_idle\t(\d+)$", result.text, re.M)]
    rows = [int(left) for left in re.findall(r"^cpu\d +(\d+) = +\d+  ok$", result.text, re.M)]
    assert len(rows) == 4 and len(told) == 8, result.said
    for before, cycles, after in zip(told[:4], rows, told[4:]):
        assert before - 1000 <= cycles * 10**9 // hertz <= after + 1000
