# SPDX-License-Identifier: BSD-2-Clause
"""A report of an interval is of that interval: after much of everything, a second in which a known number of things happens. The emulated
time stands still meanwhile, so that a program's second is a second."""

import functools
import re

import guest
import pytest

pytestmark = pytest.mark.programs

CPUS = {"x86_64": 2, "mips": 1}
# Of everything that is counted a thousand times what a quiet second has; then 200 pings a second, each two switches and one interrupt.
MUCH = "{tests}workload spin 300; workload tree 20; on 0 spin 300 & on 0 spin 300 & spin 300; wait; ping -q -c 1000 -i 0.0003 127.0.0.1"
TESTS = "selftest " + "mutex-waits " * 30
MOVES = "counts-calls counts-moves; "
STEADY = 2 * 200
KSTATS = "echo ===; kstat -p cpu::sys; echo ==="


@functools.cache
def reports(arch, command, beside=None):
    """Between kstats before and after: what COMMAND says after much, and, as long as its last interval lasts, beside pings."""
    much = MUCH.format(tests=TESTS + (MOVES if CPUS[arch] > 1 else "; "))
    beside = beside or "ping -q -c 2000 -i 0.005 127.0.0.1 &"
    script = f"{much}; {KSTATS}; {beside} {command}; {KSTATS}; wait"
    result = guest.run(script, "--arch", arch, "--cpus", CPUS[arch], "--deterministic")
    parts = result.text.split("===\n")
    assert len(parts) == 5, result.said
    return parts[2], sums(parts[1]), sums(parts[3])


def sums(text):
    """{name: count} of the kstats of all CPUs."""
    found = {}
    for name, count in re.findall(r"^cpu:\d+:sys:(\w+)\t(\d+)$", text, re.M):
        found[name] = found.get(name, 0) + int(count)
    return found


def numbers(text, columns):
    """The rows of so many whole numbers."""
    rows = [line.split() for line in text.splitlines()]
    return [list(map(int, row)) for row in rows if len(row) == columns and all(word.isdigit() for word in row)]


def added(rows):
    return [sum(column) for column in zip(*rows, strict=True)]


def is_steady(switches, interrupts):
    return STEADY <= switches <= STEADY + 40 and STEADY / 2 <= interrupts <= STEADY + 60


def test_mpstat(arch):
    text, before, _ = reports(arch, "mpstat 1 3")
    rows = numbers(text, 10)
    assert len(rows) == 3 * CPUS[arch]
    # The least that the commands before have made, so that a count that is not of the interval would be seen.
    assert min(before["pswitch"], before["intr"]) > 1000 and min(before["inv_swtch"], before["cpu_nsec_user"] / 1e7) >= 25
    for interval in (1, 2):
        _, xcalls, interrupts, switches, involuntary, moves, waits, *_ = added(rows[interval * CPUS[arch] : (interval + 1) * CPUS[arch]])
        assert is_steady(switches, interrupts), text
        assert max(xcalls, involuntary, moves, waits) <= 4, text
    if CPUS[arch] > 1:
        assert min(before["xcalls"], before["cpumigrate"]) >= 30


RARE = {"xcalls": 1, "inv_swtch": 4, "cpumigrate": 5, "mutex_adenters": 6}


def test_mpstat_of_what_is_rare(arch):
    """In its first report is what has been since the start, in the second what the tests have made meanwhile, once more."""
    again = f"{TESTS}{MOVES if CPUS[arch] > 1 else '; '}".replace("; ", " & on 0 spin 400 & on 0 spin 400 &")
    text, before, after = reports(arch, "mpstat 1 2", again)
    rows = numbers(text, 10)
    first, second = added(rows[: CPUS[arch]]), added(rows[CPUS[arch] :])
    elapsed = sum(before[f"cpu_nsec_{kind}"] for kind in ("user", "kernel", "intr", "idle")) / CPUS[arch] / 1e9
    for name, column in RARE.items():
        moved = after[name] - before[name]
        if moved == 0 and CPUS[arch] == 1 and name in ("xcalls", "cpumigrate"):
            continue
        assert before[name] / elapsed * 0.8 <= first[column] <= before[name] / elapsed * 1.2, (name, text)
        assert 10 <= moved / 2 <= second[column] <= moved <= before[name] + 30, (name, moved, text)


def test_mpstat_exact(arch):
    text, before, _ = reports(arch, "mpstat -n 1 3")
    rows = numbers(text, 6)
    assert len(rows) == 3 * CPUS[arch]
    user, system, interrupt, idle, elapsed = added(rows[: CPUS[arch]])[1:]
    assert user == before["cpu_nsec_user"] > 250_000_000
    assert elapsed == user + system + interrupt + idle
    for row in rows[CPUS[arch] :]:
        assert abs(row[5] - 1_000_000_000) < 1_000_000 and row[1] == 0 and max(row[2], row[3]) < 20_000_000, text


def test_vmstat(arch):
    text, before, after = reports(arch, "vmstat 1 3")
    rows = [list(map(int, row)) for row in (line.split() for line in text.splitlines()) if len(row) > 16 and all(word.isdigit() for word in row)]
    assert len(rows) == 3
    first = rows[0]
    faults, interrupts, calls, switches, user, system, idle = first[4], *first[-6:]
    assert min(faults, calls) > 50 and min(before["pswitch"], before["intr"]) > 1000
    times = {kind: (before[f"cpu_nsec_{kind}"], after[f"cpu_nsec_{kind}"]) for kind in ("user", "kernel", "intr", "idle")}
    all_before, all_after = (sum(both[i] for both in times.values()) for i in (0, 1))
    elapsed = all_before / CPUS[arch] / 1e9
    for rate, name in ((interrupts, "intr"), (switches, "pswitch"), (calls, "syscall")):
        assert before[name] / elapsed * 0.9 <= rate <= before[name] / elapsed * 1.1, (name, text)
    assert abs(user - 100 * times["user"][0] / all_before) <= 2 and user >= 8
    assert abs(system - 100 * (times["kernel"][0] + times["intr"][0]) / all_before) <= 3 and system >= 8
    assert idle == 100 - user - system
    assert all_after - all_before >= 2e9 * CPUS[arch]
    for row in rows[1:]:
        faults, interrupts, calls, switches, user, system, idle = row[4], *row[-6:]
        assert (faults, calls, user) == (0, 0, 0) and system <= 4 and user + system + idle == 100, text
        assert is_steady(switches, interrupts), text


def screens(text):
    """What the pages of `systat vmstat` say of a second, by the words above the figures; and the CPUs' percentages."""
    found = []
    for page in re.split(r"^ +\d CPUs? +up ", text, flags=re.M)[1:]:
        heading, row = re.search(r"^( +Csw.*Tin).*\n(Ev/s.*)$", page, re.M).groups()
        ends = {name: heading.index(name) + len(name) for name in heading.split()}
        figures = {name: int(row[end - 7 : end].strip(" :s/vE") or 0) for name, end in ends.items()}
        figures |= {name: float(share) for share, name in re.findall(r"(\d+\.\d)%(\w+)", page)}
        found.append(figures | {"total": int(re.search(r"(\d+) total", page)[1])})
    return found


def test_systat(arch):
    text, before, _ = reports(arch, "systat -b vmstat 1 3")
    first, *others = screens(text)
    assert [int(seconds) for seconds in re.findall(r" up 0\+00:00:(\d\d) ", text)] in ([n, n + 1, n + 2] for n in (0, 1, 2)), text
    all_before = sum(before[f"cpu_nsec_{kind}"] for kind in ("user", "kernel", "intr", "idle"))
    elapsed = all_before / CPUS[arch] / 1e9
    for name, kstat in (("Csw", "pswitch"), ("Xcal", "xcalls"), ("Trp", "trap"), ("Int", "intr"), ("Mtx", "mutex_adenters")):
        assert before[kstat] / elapsed * 0.85 - 1 <= first[name] <= before[kstat] / elapsed * 1.15 + 1, (name, text)
    assert before["mutex_adenters"] >= 20 and first["Sof"] > 300 and first["total"] == first["Int"]
    assert abs(first["User"] / 100 * elapsed * CPUS[arch] * 1e9 / before["cpu_nsec_user"] - 1) < 0.1
    share = 100 * before["cpu_nsec_intr"] / all_before
    assert share > 0.4 and abs(first["Intr"] - share) <= max(0.2, share / 8), (share, text)
    assert len(others) == 2
    for second in others:
        # Its own output takes interrupts, too: a screen has 800 characters, and 16 of them one.
        assert STEADY / 2 <= second["total"] < first["total"] - 100 and is_steady(second["Csw"], second["Sof"] - STEADY / 2), text
        assert max(second[name] for name in ("Trp", "Xcal", "Mtx", "Tin", "User", "Nice")) <= 1, text
        assert max(second["Sys"], second["Intr"]) < 2 and second["Idle"] > 96, text


def test_iostat(arch):
    text, before, _ = reports(arch, "iostat -F 1 3")
    first, *others = ([float(word) for word in line.split()] for line in text.splitlines() if re.fullmatch(r" +\d+ +\d+ [\d. ]+", line))
    all_before = sum(before[f"cpu_nsec_{kind}"] for kind in ("user", "kernel", "intr", "idle"))
    for share, kind in zip(first[-5:], ("user", None, "kernel", "intr", "idle"), strict=True):
        assert abs(share - (100 * before[f"cpu_nsec_{kind}"] / all_before if kind else 0)) <= 2, text
    assert first[1] > 100 and len(others) == 2
    for row in others:
        assert row[0] == 0 and row[-5:-3] == [0, 0] and max(row[-3:-1]) <= 2 and row[-1] >= 96, text


def test_systats_own_word(quipu):
    assert screens(quipu("systat -vmstat 1 1").text)


def test_threads_of_systat(quipu):
    """On one CPU one runs, the one who asks; three more sleep, and two more could run."""
    text = quipu("systat -b vmstat 1 1; sleep 100 & sleep 100 & sleep 100 & spin 5000 & spin 5000 & sleep 0.2; systat -b vmstat 1 1; stop 1 2 3 4 5", "--deterministic").text
    alone, beside = ([int(count) for count in row] for row in re.findall(r"^Thr: +(\d+) +(\d+) +(\d+)", text, re.M))
    assert [after - before for before, after in zip(alone, beside, strict=True)] == [0, 2, 3] and alone[0] == 1, text
