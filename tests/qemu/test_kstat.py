# SPDX-License-Identifier: BSD-2-Clause
"""kstat: its numbers against those of other commands, its forms to the column, its statuses."""

import json
import re

import pytest

import disk
import guest
import vmstat_layout

ESCAPE = re.compile(r"\\x([0-9a-f]{2})")


def unescape(text):
    return ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), text)


def lines(text):
    """{(module, instance, name, statistic): value} of `kstat -p`."""
    found = {}
    for line in text.splitlines():
        key, value = line.split("\t")
        module, instance, name, statistic = map(unescape, key.split(":"))
        assert (module, int(instance), name, statistic) not in found, line
        found[module, int(instance), name, statistic] = value
    return found


def between(text, *marks):
    """What stands between lines that `echo` printed."""
    pieces = re.split("^(?:" + "|".join(marks) + ")\n", text, flags=re.M)
    return [piece for piece in pieces if piece]


def evcnts(text):
    """{"group name": count} of what `kstat -p -c evcnt` printed, instance 0."""
    return {
        f"{name} {statistic}": int(value)
        for (module, instance, name, statistic), value in lines(text).items()
        if module == "evcnt" and instance == 0 and statistic not in ("class", "crtime", "snaptime")
    }


def shortened(text):
    """As the kernel cuts names of more than 30 characters: 25, a tilde, and 16 bits of FNV-1a, folded, in hexadecimal."""
    if len(text) <= 30:
        return text
    value = 2166136261
    for byte in text.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return f"{text[:25]}~{(value ^ value >> 16) & 0xFFFF:04x}"


def by_short_names(totals, names):
    """What vmstat calls "group name", with both as kstat has them: there is one way to part the two."""
    found = {}
    for full, total in totals.items():
        words = full.split(" ")
        ways = {shortened(" ".join(words[:i])) + " " + shortened(" ".join(words[i:])) for i in range(1, len(words))}
        (name,) = ways & names
        found[name] = total
    return found


def test_counters_are_those_of_vmstat(quipu):
    """Every counter is there, and lies between what vmstat says before and after; most stand still meanwhile."""
    script = "sleep 1; kstat -q; vmstat -e -v; echo ===; kstat -p -c evcnt; echo ===; vmstat -e -v"
    before, middle, after = between(quipu(script, "--deterministic").text, "===")
    before, after = vmstat_layout.totals(before), vmstat_layout.totals(after)
    counts = evcnts(middle)
    before, after = by_short_names(before, set(counts)), by_short_names(after, set(counts))
    assert set(counts) == set(before) == set(after)
    still = 0
    for name, count in counts.items():
        assert before[name] <= count <= after[name], name
        still += before[name] == after[name]
    assert still > len(counts) / 2


def test_lines_are_those_of_intrstat(quipu):
    script = "sleep 1; kstat -q; intrstat -as; echo ===; kstat -p -s '/^hard$|^soft$|^spurious$|service/'; echo ===; intrstat -as"
    before, middle, after = between(quipu(script, "--deterministic").text, "===")

    def counts(table):
        rows = (re.fullmatch(r"(.*\S) +(\d+) +\d+ +\d+ +\d+( +[-\d]+){3}", line) for line in table.splitlines()[1:])
        return {row.group(1): int(row.group(2)) for row in rows if row}

    before, after, stats = counts(before), counts(after), lines(middle)
    for line, least in before.items():
        group, name = line.split(" ", 1)
        module, instance = re.fullmatch(r"(i8259|.*?)(\d*)", group).groups()
        key = (module, int(instance or 0), name.replace(" ", ""))
        count = int(stats[*key, "soft" if name.startswith("soft") else "hard"]) + int(stats[*key, "spurious"])
        if line == "cpu0 int 2":
            assert count == 0, "they are those of the lines behind it"
        else:
            assert least <= count <= after[line], line


def test_cpu_times_are_those_of_mpstat(quipu):
    script = "spin 50; kstat -q; mpstat -n; echo ===; kstat -p cpu:0:sys; echo ===; mpstat -n"
    before, middle, after = between(quipu(script, "--deterministic").text, "===")
    stats = lines(middle)
    names = ["cpu_nsec_user", "cpu_nsec_kernel", "cpu_nsec_intr", "cpu_nsec_idle"]
    low, high = (list(map(int, table.splitlines()[1].split()[1:])) for table in (before, after))
    values = [int(stats["cpu", 0, "sys", name]) for name in names]
    assert all(a <= value <= b for a, value, b in zip(low, values, high))
    assert values[1] >= 50_000_000
    assert low[4] <= sum(values) <= high[4], "the four are all the time there is"


def test_watchdog(quipu, arch):
    """com0 has nothing to say in the quiet, so its watchdog bites; it is counted on the line that com0 is on."""
    script = "watchdog com0 0.3; sleep 1; watchdog com0 off; kstat -p -s watchdog; vmstat -e; watchdog"
    result = quipu(script, "--deterministic")
    line = ("ioapic", 0, "pin4") if arch == "x86_64" else ("i8259", 0, "irq4")
    stats = lines("\n".join(row for row in result.lines() if "\t" in row))
    assert int(stats[*line, "watchdog"]) == 3
    assert stats.pop(("evcnt", 0, "com0", "watchdog")) == "3"
    assert sum(int(value) for value in stats.values()) == 3, "on no other line"
    assert re.search(r"^com0 watchdog +3 ", result.text, re.M)
    assert re.search(r"^com0 +off +300 +3$", result.text, re.M)


def test_soft_interrupts_are_their_lines(machine, arch):
    """Those of com0 are on the line of soft interrupts, and not once more on the line that com0 interrupts by."""
    machine.command("kstat -q")  # what the search for devices logs is not part of what follows
    machine.command("echo typed")
    line = ("ioapic", 0, "pin4") if arch == "x86_64" else ("i8259", 0, "irq4")
    stats = lines(machine.command("kstat -p -s '/^(hard|soft)$/'"))
    soft = lines(machine.command("kstat -p 'evcnt:0:com0:soft intr'"))
    assert stats[*line, "soft"] == "0" and int(stats[*line, "hard"]) > 0
    assert stats["cpu", 0, "softserial", "hard"] == "0"
    assert 0 < int(stats["cpu", 0, "softserial", "soft"]) <= int(soft["evcnt", 0, "com0", "soft intr"])


EACH = [
    pytest.param(["--arch", "x86_64"], id="x86_64"),
    pytest.param(["--arch", "x86_64", "--cpus", 4], id="x86_64-4"),
    pytest.param(["--arch", "x86_64", "--append", "apic=off"], id="x86_64-i8259"),
    pytest.param(["--arch", "mips"], id="mips"),
]


@pytest.mark.parametrize("how", EACH)
def test_each_interrupt_is_in_one_kind(how, tmp_path):
    """All five kinds of all lines, added as illumos's tools add them, are the interrupts that there were: vmstat's total,
    second devices and watchdogs. The clock's and the disk's are many more than what comes while we look."""
    files = ["--disk", disk.image(tmp_path, "disk", 1 << 20, 1)]
    script = (
        "watchdog com0 0.2; sleep 1; watchdog com0 off; dd if=wd0 of=null bs=2k; kstat -q; vmstat -e -t; echo ===;"
        "kstat -p -s '/^(hard|soft|watchdog|spurious|multiple_service)$/'; echo ===; vmstat -e -t"
    )
    before, middle, after = guest.run(script, *how, *files).text.split("===\n")
    before = before[before.index("event ") :]

    def interrupts(report):
        rows = vmstat_layout.parse(report, "event")
        top = sum(row.total for row in rows if row.type == "intr" and row.depth == 0)
        return top + sum(row.total for row in rows if row.name.endswith((" multiple service", " watchdog", " timeouts")))

    total = sum(int(value) for value in lines(middle).values())
    assert interrupts(before) <= total <= interrupts(after)


def test_command_timers(quipu):
    text = quipu("sleep 0.2; sleep 0.3; kstat -p shell:0:sleep; kstat -q; kstat -p shell:0:kstat", "--deterministic").text
    stats = {key[2:]: value for key, value in lines(text).items()}
    assert stats["sleep", "num_events"] == "2" and stats["kstat", "num_events"] == "2"
    least, most = int(stats["sleep", "min_time"]), int(stats["sleep", "max_time"])
    assert 200_000_000 <= least < 210_000_000 and 300_000_000 <= most < 310_000_000
    assert int(stats["sleep", "elapsed_time"]) == least + most
    assert int(stats["sleep", "stop_time"]) - int(stats["sleep", "start_time"]) == most


def test_blocks(quipu):
    text = quipu("kstat cpu:0:sys").text
    head, name, *rows, end = text.split("\n")[:-1]
    assert head == "module: " + "cpu".ljust(30) + "  instance: 0     "
    assert name == "name:   " + "sys".ljust(30) + "  class:    misc"
    assert end == ""
    for row in rows:
        assert re.fullmatch(r"\t[^\t]{30}  \S.*", row), row
    names = [row[1:31].strip() for row in rows]
    assert names == sorted(names, key=str.lower)
    assert {"crtime", "snaptime", "intr", "xcalls"} <= set(names) and "class" not in names


def test_order(quipu):
    keys = [tuple(line.split("\t")[0].split(":")) for line in quipu("kstat -p").lines()]
    wanted = sorted(keys, key=lambda key: (key[0].lower(), int(key[1]), key[2].lower(), key[3].lower()))
    assert keys == wanted and len(set(keys)) == len(keys)


def test_forms(quipu):
    text = quipu("kstat -p cpu:0:sys:xcalls; kstat -l cpu:0:sys:xcalls; kstat -C cpu:0:sys:xcalls; kstat -pV cpu:0:sys:xcalls").text
    assert text == "cpu:0:sys:xcalls\t0\ncpu:0:sys:xcalls\ncpu:0:sys:xcalls:0\n0\n"


def test_json(quipu):
    text = quipu("kstat -j -m cpu -n '[st]*'").text
    kstats = json.loads(text)
    assert text.startswith('[{\n\t"module": "cpu",\n\t"instance": 0,\n\t"name": ')
    assert {"sys", "timer"} <= {kstat["name"] for kstat in kstats} | {"timer"}
    for kstat in kstats:
        assert kstat["type"] in (1, 2) and kstat["snaptime"] >= kstat["data"]["crtime"]
    assert json.loads(quipu("kstat -j nothing").text) == []


def test_json_wins(quipu):
    """As on illumos -j may stand with -p, -l and -C, and not with -q."""
    found = quipu("kstat -pj cpu_info:0; kstat -jl cpu_info:0; kstat -Cj cpu_info:0; kstat -jq cpu_info:0")
    assert found.status == 2
    one = [json.loads(piece) for piece in re.findall(r"^\[\{$.*?^\}\]$", found.text, re.M | re.S)]
    assert len(one) == 3 and all(kstats[0]["data"]["brand"] == one[0][0]["data"]["brand"] for kstats in one)


@pytest.mark.parametrize(
    "operands,status",
    [
        ("cpu", 0),
        ("cpu:0:sys:intr nothing", 0),
        ("nothing", 1),
        ("cpu:1", 1),
        ("-m cpu -i 0 -n sys -s intr", 0),
        ("-c evcnt -s nothing", 1),
        ("-m cpu cpu", 2),
        ("-q -p", 2),
        ("-q -j", 2),
        ("-x", 2),
        ("-T x", 2),
        ("-T", 2),
        ("'/(/'", 2),
        ("cpu 0", 2),
        ("cpu 1 0", 2),
    ],
)
def test_status(quipu, operands, status):
    result = quipu(f"kstat {operands}")
    assert result.status == status, result.text
    assert result.stdout or status == 1


def test_quiet(quipu):
    result = quipu("kstat -q cpu; echo $?; kstat -q nothing; echo $?")
    assert result.text == "0\n1\n"


def test_patterns(quipu):
    def names(pattern):
        return [line.split("\t")[0] for line in quipu(f"kstat -p {pattern}").lines()]

    nsec = [f"cpu:0:sys:cpu_nsec_{what}" for what in ("idle", "intr", "kernel", "user")]
    assert names("cpu:0:sys:cpu_nsec_*") == names("'/^cpu$/:0:s?s:/nsec/'") == nsec
    assert names("cpu:0:sys:intr cpu:0:sys:intr") == ["cpu:0:sys:intr"] * 2, "operand by operand"
    assert names("::sys:intr") == ["cpu:0:sys:intr"]
    assert names("-c pages -s physmem") == ["unix:0:system_pages:physmem"]


def test_interval(quipu):
    text = quipu("kstat -T u -p cpu:0:sys:snaptime 1 3", "--deterministic").text
    reports = [report.splitlines() for report in text.split("\n\n")]
    assert len(reports) == 3 and all(len(report) == 2 for report in reports)
    stamps = [int(report[0]) for report in reports]
    times = [float(report[1].split("\t")[1]) for report in reports]
    assert stamps == [stamps[0], stamps[0] + 1, stamps[0] + 2]
    assert all(0.99 < b - a < 1.01 for a, b in zip(times, times[1:]))
    dated = quipu("kstat -T d -p cpu:0:sys:intr", "--deterministic").lines()
    assert re.fullmatch(r"Sat Jan  1 00:00:0\d UTC 2000", dated[0])


def test_names_that_need_care(quipu):
    """Counters with a colon, a TAB, long and equal names, while they exist and when they are gone."""
    result = quipu("selftest kstat-evcnt")
    assert result.status == 0, result.said


@pytest.mark.parametrize("arch", ["x86_64"], indirect=True)
def test_cpus(quipu):
    """Each CPU has its own; their sums are those of the counters that they share."""
    script = "on 2 spin 20; kstat -p 'cpu:::/^intr$|nsec/' cpu_info:::state evcnt:::reschedule"
    stats = lines(quipu(script, "--cpus", 4, "--deterministic").text)
    assert [stats["cpu_info", cpu, f"cpu_info{cpu}", "state"] for cpu in range(4)] == ["on-line"] * 4
    assert int(stats["cpu", 2, "sys", "cpu_nsec_kernel"]) >= 20_000_000
    shares = [int(stats["evcnt", 0, f"cpu{cpu}", "reschedule"]) for cpu in range(4)]
    assert sum(shares) == int(stats["evcnt", 0, "cpu", "reschedule"])


def test_kstat_costs_no_boot_time():
    """Nothing of it runs before it is asked for."""
    assert "kstat" not in guest.run("dmesg").text


def test_level_times(quipu, tmp_path):
    """Those of all levels are the CPU's time in interrupts, between a look before and one after."""
    text = quipu(
        "kstat -p cpu:0:sys:cpu_nsec_intr; dd if=wd0 of=null bs=4k count=64; kstat -p cpu:0:sys:cpu_nsec_intr;"
        "kstat -p cpu:0:intrstat:/level/; kstat -p cpu:0:sys:cpu_nsec_intr; intrstat -l; intrstat -c",
        "--disk",
        disk.image(tmp_path, "disk", 1 << 20, 1),
    ).text
    start, before, after = map(int, re.findall(r"cpu_nsec_intr\t(\d+)", text))
    levels = dict(re.findall(r"intrstat:(level-\d-\w+)\t(\d+)", text))
    times = [int(levels[f"level-{level}-time"]) for level in range(1, 7)]
    assert len(levels) == 12 and start < before <= sum(times) + 6 <= after + 12
    assert all(time > 0 for time in times[4:]) and all((time > 0) == (levels[f"level-{i}-count"] != "0") for i, time in enumerate(times, 1))
    tables = text[text.index("level |") :].splitlines()
    assert tables[1] == "-" * 17 + "+" + "-" * 15 and tables[7].startswith("         6 sched |")
    assert re.search(r"^ +(cpu0 timer|i8259 irq 4|ioapic0 pin 4) \| +\d+ +\d+\.\d$", text, re.M)


@pytest.mark.parametrize("arch", ["x86_64"], indirect=True)
def test_intrstat_of_cpus(quipu):
    text = quipu("intrstat -c 2 2; intrstat -l", "--cpus", 6).text
    assert text.count("      cpu3 %tim") == 3 and text.count("      cpu5 %tim") == 3
    rows = re.findall(r"^ +cpu timer \|((?: +\d+ +\d+\.\d)+)$", text, re.M)
    assert [len(row.split()) for row in rows] == [8, 4, 8, 4]
    assert all(int(word) > 0 for word in rows[2].split()[::2]), "it ticks on each CPU"


def test_parts_one_by_one(quipu):
    """-m -i -n and -s all count, in any order."""
    expected = quipu("kstat -p unix:0:system_misc:nproc").lines()[0].split("\t")[0]
    for options in ("-m unix -i 0 -n system_misc -s nproc", "-s nproc -n system_misc -i 0 -m unix", "-n /misc/ -s npr* -m unix -c misc"):
        assert [line.split("\t")[0] for line in quipu(f"kstat -p {options}").lines()] == [expected], options
    assert quipu("kstat -p -m unix -s intr").status == 1
    assert quipu("kstat -p -m unix -m cpu").status == 2


# --- crtime ---


def kstats(text):
    """{(module, instance, name): {statistic: value}} of `kstat -p`."""
    found = {}
    for (module, instance, name, statistic), value in lines(text).items():
        found.setdefault((module, instance, name), {})[statistic] = value
    return found


# What there is only from when devices are looked for, which the first `devctl` does. The console begins to count then, too.
LATE = "console cd cderr ide md mderr net".split()
LATE_LINES = "pin10 pin11 pin14 pin15 irq10 irq11 irq14".split()
LATE_EVCNTS = "arp ip icmp udp net lo0 ide0 ide1 cd0 md0 pmu devstat hwperf".split()


@pytest.mark.parametrize("cpus", [1, 4])
def test_crtime_is_when_counting_began(quipu, arch, cpus):
    """Whoever divides a count by the age of its kstat gets a rate, however late the first look was."""
    if cpus > 1 and arch == "mips":
        pytest.skip("Malta has one CPU")
    text = quipu("sleep 3; devctl create md 1; sleep 2; kstat -p", "--deterministic", *(["--cpus", cpus] if cpus > 1 else [])).text
    found = kstats(text[text.index("\n") + 1 :])
    for (module, _, name), kstat in found.items():
        created, read = float(kstat["crtime"]), float(kstat["snaptime"])
        late = module in LATE or name.removesuffix("_service") in LATE_LINES or (module == "evcnt" and name in LATE_EVCNTS)
        assert (3 if late else 0) <= created < (4 if late else 0.5), (module, name)
        assert 5 <= read < 6
    for cpu in range(cpus):
        times = found["cpu", cpu, "sys"]
        age = float(times["snaptime"]) - float(times["crtime"])
        elapsed = sum(int(times[f"cpu_nsec_{what}"]) for what in ("idle", "user", "kernel", "intr")) / 1e9
        # That of CPU 0 begins before the clock does, which is calibrated first.
        assert (0 if cpu == 0 else -0.001) <= elapsed - age < (0.1 if cpu == 0 else 0.001)
    timer = found["cpu", 0, "timer"]
    # An idle CPU ticks once a second, and the first one's timers come to a few more.
    assert 0.8 * cpus < int(timer["hard"]) / (float(timer["snaptime"]) - float(timer["crtime"])) < cpus + 10
    assert {name for module, _, name in found if module == "shell"} >= {"sleep", "devctl"}
    assert all(float(kstat["crtime"]) == 0 for (module, *_), kstat in found.items() if module in ("shell", "unix"))
    assert len([name for _, _, name in found if name.startswith("md0")]) == 4


def test_crtime_of_performance_counters(quipu):
    """A counter of the kernel counts from `pmc start` on, a thread's from when the thread was given it."""
    text = quipu(
        "sleep 1; pmc list; echo ===; uptime -s; pmc stat -e instructions spin 1500 & sleep 0.5; uptime -s; pmc start context-switches:uk;"
        "uptime -s; sleep 0.5; echo ===; kstat -p -c pmc -s crtime; pmc stop; wait",
        "--deterministic",
    ).text
    _, times, stats = text.split("===\n")
    before, between, after = (float(time) for time in re.findall(r"^\d+\.\d{9}$", times, re.M))
    created = {key[2]: float(value) for key, value in lines("\n".join(re.findall(r"^pmc:.*", stats, re.M))).items()}
    assert before < created["thread"] < between < next(v for k, v in created.items() if k.startswith("counter")) < after
    assert created["tprof"] == 0
