# SPDX-License-Identifier: BSD-2-Clause
"""Commands in the background, on chosen CPUs, and those that show what CPUs and threads do."""

import re
import time

import pytest

import guest
import vmstat_layout

def pc(commands, cpus=1, *arguments):
    return guest.run(commands, "--cpus", cpus, *arguments)


def seconds(text):
    """The times that `uptime -s` has printed."""
    return [float(line) for line in text.splitlines() if re.fullmatch(r"\d+\.\d{9}", line)]


# --- jobs ---


def test_jobs_run_at_the_same_time(quipu):
    start, end = seconds(quipu("uptime -s; sleep 1 & sleep 1 & sleep 1 & wait; uptime -s", "--deterministic").text)
    assert 1 <= end - start < 1.2


def test_statuses_of_jobs(quipu):
    lines = quipu(
        "false & wait 1; echo a $?; true & wait %1; echo b $?; true & sleep -z & wait; echo c $?; wait; echo d $?;"
        "wait 7; echo e $?; sleep 0 & echo f $?; nonsense & wait 2; echo g $?; wait 33; echo h $?"
    ).lines()
    expected = ["a 1", "b 0", "c 2", "d 0", "wait: no job 7", "e 127", "f 0", "g 127", "wait: no job 33", "h 127"]
    assert [line for line in lines if line in expected] == expected


def test_listing(quipu):
    lines = quipu("sleep 1000 & false & echo 'a  &' \\& '>b' & wait 2; sleep 0.1; jobs; stop 1; wait 1; jobs", "--deterministic").lines()
    assert lines == ["a  & & >b", "[1] running  sleep 1000", "[3] done 0   echo 'a  &' \\& '>b'", "[3] done 0   echo 'a  &' \\& '>b'"]


def test_stopping(quipu):
    script = []
    for command in ("sleep 1000", "spin 1000000", "vmstat -i 1000", "mpstat 1000", "watch -n 1000 true", "wait 9; wait"):
        script += [f"{command} & stop 1; wait 1; echo status $?"]
    script += ["time sleep 1000 & sleep 0.1; kill %1; wait %1; echo status $?", "stop 1; echo missing $?"]
    text = quipu("; ".join(script[:5] + script[6:])).text
    assert text.count("status 130") == 6 and "stop: no job 1\nmissing 1\n" in text


def test_a_script_waits_for_its_jobs():
    result = pc("sleep 0.3 & spin 100 & echo first; false")
    assert result.text == "first\n" and result.status == 1
    assert pc("watch -n 0.1 -c 3 echo late & true").text.count("\nlate\n") == 3


def test_jobs_do_not_wait_for_each_other(quipu):
    """A job waits for those that were started before it."""
    assert quipu("wait & wait & wait & wait; echo all", "--timeout", 30).lines() == ["all"]
    started = "sleep 0.2 & wait & sleep 0.4 & uptime -s; wait 2; uptime -s; wait; uptime -s"
    start, second, end = seconds(quipu(started, "--deterministic").text)
    assert second - start >= 0.2 and end - second >= 0.15


def test_a_job_that_waits_does_not_wait_for_itself(quipu):
    assert quipu("wait & wait; echo $?; sleep 0.2 & wait & wait 2; echo $?").lines() == ["0", "0"]


def test_too_many_jobs(quipu):
    lines = quipu("sleep 50 & " * 33 + "echo $?; jobs; " + "".join(f"stop {n}; " for n in range(1, 33)) + "wait; echo $?").lines()
    assert lines[:2] == ["shell: sleep not started: 32 jobs run already", "1"]
    assert len(lines) == 35 and lines[-1] == "130"
    # Those that have ended make room.
    ended = "true & " * 30 + "sleep 0.2; "
    assert quipu(ended * 2 + "true & echo $?; wait; echo $?", "--deterministic").lines() == ["0", "0"]


def test_lines_of_jobs_do_not_mix():
    words = {letter: " ".join([letter * 9] * 12) for letter in "abcd"}
    jobs = " & ".join(f"watch -n 0.001 -c 40 echo {text}" for text in words.values())
    text = guest.ESCAPES.sub(b"", pc(jobs + " & wait", 4).stdout).decode()
    lines = [line for line in text.splitlines() if line and not line.startswith("Every")]
    assert len(lines) == 160 and set(lines) == set(words.values())


def test_at_the_prompt(machine):
    assert machine.command("sleep 1.5 & sleep 1.6 &") == "[1] sleep\n[2] sleep\n"
    assert machine.command("sleep 2") == "[1] done 0   sleep 1.5\n[2] done 0   sleep 1.6\n"
    assert machine.command("jobs; spin 100000 &") == "[1] spin\n"
    # ^C ends what is in front, and nothing else.
    machine.send(b"sleep 1000\r")
    machine.expect(rb"\r\n")
    machine.quiet(0.3)
    machine.send(b"\x03")
    machine.prompt()
    assert machine.status() == 130
    machine.send(b"wait\r")
    machine.expect(rb"\r\n")
    machine.quiet(0.3)
    machine.send(b"\x03")
    machine.prompt()
    assert machine.status() == 130
    assert machine.command("jobs") == "[1] running  spin 100000\n"
    assert machine.command("stop 1; wait 1; echo $?") == "130\n"
    assert machine.command("jobs; echo x && false || echo y; echo $?").endswith("x\ny\n0\n")
    assert machine.command("jobs; true && || echo y").endswith("syntax error near '||'\n")
    assert machine.status() == 2


def test_only_one_selftest_at_a_time():
    lines = pc("selftest profile-work & sleep 0.01; selftest profile-work; echo second $?; wait; echo first $?", 1, "--deterministic").lines()
    assert "selftest: another one is running" in lines and "second 1" in lines and "first 0" in lines


# --- CPUs ---


def test_on_one_of_one(quipu):
    lines = quipu("on 0 echo hi; on 0,0-0 false; echo $?; on 9 true; echo $?; on 0-3 true; echo $?; on x true; echo $?; on 0; echo $?").lines()
    usage = "usage: on CPU COMMAND [ARGUMENT...]"
    assert lines == [
        "hi", "1", "on: no CPU 9: there is only CPU 0", "1", "on: no CPU 1: there is only CPU 0", "1", 'on: bad CPU "x"', usage, "2", usage, "2"
    ]  # fmt: skip


def thread_rows(text):
    """{name: columns} of `ps`."""
    rows = [line.split() for line in text.splitlines()]
    return {" ".join(row[11:]): row[:11] for row in rows if len(row) >= 12 and row[0].isdigit()}


def test_on_binds_and_gives_back():
    text = pc("on 3 spin 1000000 & on 1-2 spin 1000000 & on 9 true; sleep 1; on 2 ps; ps; stop 1; stop 2", 4).text
    first, second = text.split("ID S PRI")[1:]
    assert "on: no CPU 9: there are CPUs 0 to 3" in text
    assert thread_rows(first)["shell"][3] == "2" and thread_rows(first)["shell"][9] == "2"
    assert thread_rows(second)["shell"][9] == "all"
    bound = sorted(row.split()[9] for row in second.splitlines() if row.endswith(" on"))
    assert bound == ["1,2", "3"]


def test_ps_lines_up():
    for cpus in (1, 4):
        heading, *rows = pc("on 0 sleep 0.3 & sleep 0.1; ps", cpus).lines()
        end = heading.index("STACK")
        assert all(re.fullmatch(r" *\S+ . +\d+ +\d+ .*", row) for row in rows)
        assert all(row[heading.index("S PRI") - 1] == " " and row[end - 1] == " " for row in rows)


MS = 1_000_000
# A CPU that has slept through a tick is told of the end of its sleep late, by up to a tick.
TICK = 10 * MS
BOTH = [pytest.param("x86_64", cpus, id=f"x86_64-{cpus}") for cpus in (1, 4, 16)] + [pytest.param("mips", 1, id="mips")]


@pytest.mark.parametrize("arch, cpus", BOTH)
def test_mpstat_exact(arch, cpus):
    """The times, which add up, against what the commands were told to do: 200 ms of work on CPU 0, and sleep."""
    memory = ["--memory", "256"] if cpus == 16 else []
    work = "uptime -s; on 0 spin 200 & mpstat -n 0.3 3; uptime -s; wait"
    text = guest.run(work, "--arch", arch, "--cpus", cpus, "--deterministic", *memory).text
    rows = [list(map(int, line.split())) for line in text.splitlines() if len(line.split()) == 6 and "CPU" not in line]
    assert [row[0] for row in rows] == list(range(cpus)) * 3
    assert all(sum(row[1:5]) == row[5] for row in rows)
    assert all(row[1] == 0 for row in rows)  # there are no programs
    start, end = seconds(text)
    for cpu in range(cpus):
        _, busy, quiet = rows[cpu::cpus]
        # The reports are due every 300 ms, and the two of a CPU are the time between the first and the last.
        assert 600 * MS - 2 * TICK < busy[5] + quiet[5] <= (end - start) * 1e9
        assert abs(quiet[5] - 300 * MS) < MS
        # 20 ticks of the work, of which each takes 30 instructions of 2 ns at least, and no more than 3 us with all that it
        # wakes; a CPU that is idle has none, or one.
        for row in (busy, quiet):
            assert (19 * 60 if cpu == 0 and row is busy else 0) <= row[3] < (3000 * 31 if cpu else 10_000 * 31), row
        assert quiet[2] < MS and quiet[4] > 299 * MS - quiet[2]
        worked = busy[2] + busy[3]
        assert 199 * MS < worked < 220 * MS if cpu == 0 else worked < TICK, busy


@pytest.mark.parametrize("cpus", [1, 4])
def test_mpstat(cpus):
    text = pc("mpstat; on 0 spin 1000000 & sleep 1; mpstat 0.4 3; stop 1", cpus).text
    reports = text.split("CPU xcal  intr   csw icsw migr smtx usr sys idl\n")[1:]
    assert len(reports) == 4
    for report in reports:
        rows = [[int(word) for word in line.split()] for line in report.splitlines()]
        assert [row[0] for row in rows] == list(range(cpus))
        assert all(len(row) == 10 and sum(row[7:]) == 100 for row in rows)
    busy = [int(word) for word in reports[2].splitlines()[0].split()]
    assert busy[8] >= 90


@pytest.mark.parametrize("arch, cpus", [pytest.param("x86_64", 4, id="x86_64"), pytest.param("mips", 1, id="mips")])
def test_mpstat_counts(arch, cpus):
    """Its first report is of all since the CPU's start: counts between those that kstat has before and after, divided
    by the time."""
    work = "on 0 spin 400 & on 0 spin 400 & on 0 spin 400 & wait; kstat -p cpu::sys; mpstat; kstat -p cpu::sys"
    if cpus > 1:
        work = "selftest counts-calls counts-moves; " + work
    text = guest.run(work, "--arch", arch, "--cpus", cpus, "--deterministic").text
    before, rest = text.split("CPU xcal")
    table, after = rest.split("cpu:0:sys:class")
    pattern = re.compile(r"^cpu:(\d+:sys:\w+)\t(\d+)$", re.M)
    before, after = ({key: int(value) for key, value in pattern.findall(part)} for part in (before, after))
    rows = [list(map(int, line.split())) for line in table.splitlines()[1:]]
    assert [row[0] for row in rows] == list(range(cpus))
    for cpu, *counts in (row[:6] for row in rows):
        start, end = (
            sum(values[f"{cpu}:sys:cpu_nsec_{kind}"] for kind in ("user", "kernel", "intr", "idle")) / 1e9
            for values in (before, after)
        )
        for name, rate in zip(("xcalls", "intr", "pswitch", "inv_swtch", "cpumigrate"), counts, strict=True):
            key = f"{cpu}:sys:{name}"
            assert before[key] / end - 1 <= rate <= after[key] / start + 1, (key, rate)
    # Three that never sleep take 10 ms each in turn: each of 40 turns ends against the thread's will, or nearly.
    assert 35 <= before["0:sys:inv_swtch"] <= 50 + 100 * (cpus > 1)
    if cpus > 1:
        assert sum(before[f"{cpu}:sys:xcalls"] for cpu in range(4)) >= 60
        assert all(before[f"{cpu}:sys:cpumigrate"] >= 20 for cpu in (0, 1))


def test_time_tells_what_was_used(quipu):
    text = quipu("time spin 200; time sleep 0.3", "--deterministic").text
    real, user, system = ([float(value) for value in re.findall(rf"^{name} +(\S+) s$", text, re.M)] for name in ("real", "user", "sys"))
    assert all(u + s <= r for r, u, s in zip(real, user, system, strict=True))
    assert 0.2 <= real[0] < 0.25 and 0.3 <= real[1] < 0.35 and system[1] < 0.15


def test_top_in_batch(quipu):
    text = quipu("spin 1500 & sleep 0.1; top -b -d 0.5 -n 2; stop 1", "--deterministic").text
    assert "\x1b" not in text
    first, second = text.split("up ")[1:]
    for report in (first, second):
        shares = re.findall(r"^CPU 0 +(\S+)% usr +(\S+)% sys +(\S+)% int +(\S+)% idl$", report, re.M)
        assert abs(sum(map(float, shares[0])) - 100) < 0.01
    rows = [line.split() for line in second.splitlines() if line.endswith(" spin")]
    assert float(rows[0][4]) > 80


def test_top_and_watch_at_the_prompt(machine):
    machine.send(b"top -d 0.2\r")
    machine.expect(rb"idle.*idle")
    machine.send(b"q")
    machine.prompt()
    assert machine.status() == 0
    machine.send(b"top\r")
    machine.expect(rb"idle")
    time.sleep(0.2)
    machine.send(b"\x03")
    machine.prompt()
    assert machine.status() == 130
    machine.send(b"watch -n 0.1 echo hello\r")
    machine.expect(rb"Every 0\.1 s: echo hello.*hello\r\n.*Every")
    machine.send(b"\x03")
    machine.prompt()
    assert machine.status() == 130
    assert machine.command("watch -c 2 -n 0.1 false; echo $?").endswith("1\n")


# --- interrupts ---


def interrupt_rows(text, cpus):
    """{line: [(count, starred)]} of `intrctl list`."""
    pattern = r"^(\S.*?)" + r" {2,}(\d+)(\*?)" * cpus + r"(?: .*|)$"
    return {
        match[1]: [(int(match[2 + 2 * cpu]), match[3 + 2 * cpu] == "*") for cpu in range(cpus)]
        for match in re.finditer(pattern, text, re.M)
    }


def test_intrctl_on_one(quipu, arch):
    com = "ioapic0 pin 4" if arch == "x86_64" else "i8259 irq 4"
    result = quipu(
        f"intrctl list; intrctl affinity '{com}' 1; echo $?; intrctl affinity nothing 0; echo $?; intrctl affinity '{com}'; echo $?;"
        "intrctl; echo $?; intrctl affinity 'cpu0 timer' 0; echo $?; intrctl affinity x y; echo $?"
    )
    rows = interrupt_rows(result.text, 1)
    assert rows[com][0][0] > 0 and rows["cpu0 timer"] == [(rows["cpu0 timer"][0][0], False)]
    assert "intrctl: no CPU 1: there is only CPU 0\n1\n" in result.text and 'intrctl: no line named "nothing"\n1\n' in result.text
    assert "intrctl: cpu0 timer cannot be moved" in result.text and result.text.count("usage: intrctl") == 3


def test_intrctl_moves_a_line():
    text = pc(
        "intrctl affinity 'ioapic0 pin 4' 2; echo $?; sleep 0.7; intrctl list; dmesg; sleep 0.7; intrctl list;"
        "intrctl affinity -i 'ioapic0 pin 4' -c 0; echo $?; sleep 0.1; intrctl list; intrctl affinity 'ioapic0 pin 4' 4; echo $?",
        4,
    ).text
    before, moved, back = (interrupt_rows(part, 4)["ioapic0 pin 4"] for part in text.split("interrupt id")[1:])
    assert [starred for _, starred in moved] == [False, False, True, False]
    assert moved[2][0] > before[2][0] and moved[0][0] == before[0][0]
    assert back[0][1] and back[2][0] >= moved[2][0]
    assert "intrctl: no CPU 4: there are CPUs 0 to 3\n1\n" in text


def test_counts_per_cpu_add_up():
    """What the CPUs counted of a line is the line's count; the columns of `intrctl list` are what `vmstat` has a
    moment later. Only what comes between two looks may differ: a tick of each CPU, and the table's bytes."""
    # Devices are looked for before, which takes time.
    text = pc("hinv; spin 300 & spin 300 & wait; selftest counts-calls; intrctl list; vmstat -e -v", 4, "--deterministic").text
    split = text.index("\nevent ") + 1
    listed, totals = interrupt_rows(text[:split], 4), vmstat_layout.totals(text[split:])
    between = {"timer": 1, "call": 0, "reschedule": 2}
    for line, most in between.items():
        columns = [count for count, _ in listed[f"cpu {line}"]]
        parts = [totals[f"cpu{cpu} {line}"] for cpu in range(4)]
        assert 0 <= totals[f"cpu {line}"] - sum(parts) <= 4 * most, line
        assert all(0 <= part - column <= most for part, column in zip(parts, columns)), (line, parts, columns)
    assert all(count >= 20 for count in sorted(count for count, _ in listed["cpu timer"])[-2:])  # where they spun
    assert sum(count for count, _ in listed["cpu call"]) >= 60
    com = [count for count, _ in listed["ioapic0 pin 4"]]
    parts = [totals[f"cpu{cpu} ioapic0 pin 4"] for cpu in range(4)]
    assert com[1:] == parts[1:] == [0, 0, 0] and com[0] <= parts[0] == totals["ioapic0 pin 4"] <= com[0] + 400
