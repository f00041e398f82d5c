# SPDX-License-Identifier: BSD-2-Clause
"""What programs do is counted: a program that does a hundred more of something moves exactly what counts that by a hundred."""

import functools
import re

import linux_program
import program_script
import pytest

import guest

pytestmark = pytest.mark.programs

FEW, MORE = 10, 110
N = MORE - FEW
# What the program is told to do, and what moves by how many for each of it. Of forks the rest is not the same everywhere.
MOVES = {
    "getpid": {"sys:syscall": 1, "system calls": 1, "uvm syscalls": 1, "syscall getpid": 1, "vm:zfod": 0, "sys:sysread": 0},
    "zero": {"vm:zfod": 1, "promote zero fill faults": 1, "total faults taken": 1, "vm:cow_fault": 0, "sys:syscall": 0}
    | {"vm:as_fault": 1, "vm:prot_fault": 0},
    "copy": {"vm:cow_fault": 1, "anon copy on write faults": 1, "vm:zfod": 1, "sys:sysfork": 0, "vm:as_fault": 1, "vm:prot_fault": 1},
    "fork": {"sys:sysfork": 1, "sys:sysvfork": 0, "forks total": 1, "forks blocked parent": 0, "process execs": 0},
    "vfork": {"sys:sysfork": 0, "sys:sysvfork": 1, "forks total": 1, "forks blocked parent": 1, "forks shared address space with parent": 1},
    "exec": {"sys:sysexec": 1, "sys:sysvfork": 1, "process execs": 1},
    "read": {"sys:sysread": 1, "sys:readch": 70, "process reads": 1, "sys:syswrite": 0, "sys:writech": 0, "sys:syscall": 1},
    "write": {"sys:syswrite": 1, "sys:writech": 100, "process writes": 1, "sys:sysread": 0, "sys:readch": 0, "sys:syscall": 1},
    "signal": {"process signals": 1},
    "killed": {"process signals": 1, "sys:sysfork": 1},
    "zombie": {"process signals": 0, "sys:sysfork": 1},
}
LOOK = "echo ===; kstat -p cpu:0:sys cpu:0:vm; vmstat -s; vmstat -e -v"


def numbers(text):
    """{name: count} of kstats, of vmstat -s and of vmstat -e."""
    found = {name: int(count) for name, count in re.findall(r"^cpu:0:(\w+:\w+)\t(\d+)$", text, re.M)}
    found |= {name: int(count) for count, name in re.findall(r"^ *(\d+) ([a-zA-Z ]+)$", text, re.M)}
    return found | {name: int(count) for name, count in re.findall(r"^(\S.*?) +(\d+) +\d+ (?:misc|trap|intr)$", text, re.M)}


@functools.cache
def looks(arch):
    """What is counted before and after each of the programs; several runs, for a line has its limit."""
    all_looks = {}
    for names in (["getpid", "zero", "copy", "fork"], ["vfork", "exec", "read", "write"], ["signal", "killed", "zombie"]):
        runs = "; ".join(f"account {name} {count}; {LOOK}" for name in names for count in (FEW, MORE))
        result = program_script.run(f"account usage 0; {LOOK}; {runs}", "--timeout", 200, arch=arch)
        assert result.status == 0, result.said
        parts = [numbers(part) for part in result.text.split("===\n")[1:]]
        for i, name in enumerate(names):
            all_looks[name] = parts[2 * i : 2 * i + 3]
    return all_looks


@pytest.mark.parametrize("what", MOVES)
def test_exactly_that_many(arch, what):
    before, between, after = looks(arch)[what]
    # Of the few pages that parent and child both have on their stacks it depends on who is first.
    loose = {"vm:cow_fault", "anon copy on write faults", "vm:as_fault", "vm:prot_fault"} if what == "copy" else set()
    moved = {name: (after[name] - between[name]) - (between[name] - before.get(name, 0)) for name in MOVES[what]}
    assert all(abs(moved.pop(name) - N) <= 4 for name in loose)
    assert moved == {name: each * N for name, each in MOVES[what].items() if name not in loose}


def test_several_books_agree(arch):
    """The calls by name are all calls; the kernel's entries say the same; kinds of faults are all faults; both tables agree."""
    for before, _, after in looks(arch).values():
        for seen in (before, after):
            by_name = sum(count for name, count in seen.items() if name.startswith("syscall "))
            assert by_name == seen["system calls"] >= seen["sys:syscall"] - 1, "nobody calls while we look"
            assert seen["sys:syscall"] == seen["system calls"] == seen["uvm syscalls"]
            assert seen["forks total"] == seen["sys:sysfork"] + seen["sys:sysvfork"] == seen["uvm forks"]
            assert seen["vm:zfod"] == seen["uvm flt_przero"]
            assert seen["vm:cow_fault"] == seen["uvm flt_acow"] + seen["uvm flt_prcopy"]
            if "cpu0 system call" in seen:
                assert seen["cpu0 system call"] == seen["system calls"]


HOLD = "getpid {0} zero {0} read {0} write {0} send {0} signal {0} hold 0"
# A signal is three calls: kill, getpid, and the return from the handler. What is sent and received are bytes, but no reads and writes.
OF_A_PROCESS = {"syscall": 8, "zfod": 1, "minf": 1, "sysread": 1, "readch": 110, "syswrite": 1, "writech": 200, "signals": 1}


@functools.cache
def held(arch):
    """Two programs that wait: their kstats, what /proc says of them, the same once they have gone, and memory."""
    show = " ".join(f"cat /proc/{pid}/{file}" for pid in (2, 3) for file in ("stat", "status", "io"))
    both = f"account {HOLD.format(FEW)} & sleep 0.4; account {HOLD.format(MORE)} & sleep 0.6"
    commands = f"account {HOLD.format(1).replace('hold', 'usage')}; {both}; echo ===; kstat -p process; echo ===; account {show}; echo ===; ps -l"
    commands += "; echo ===; kill 2 3; wait; kstat -p process; mem; echo ==="
    for pid in (5, 7):
        commands += f"; {both}; kstat -p process:::nlwp; kill {pid} {pid + 1}; wait; mem; echo ==="
    result = program_script.run(commands, "--timeout", 200, arch=arch)
    assert result.status == 0, result.said
    assert result.text.count(":nlwp\t1") == 2 * 3
    return result.text.split("===\n")[1:]


def kstats(text, pid):
    return dict(re.findall(rf"^process:{pid}:account:(\w+)\t(.*)$", text, re.M))


def test_kstats_of_a_process(arch):
    few, more = (kstats(held(arch)[0], pid) for pid in (2, 3))
    moved = {name: int(more[name]) - int(few[name]) for name in OF_A_PROCESS}
    assert moved == {name: each * N for name, each in OF_A_PROCESS.items()}
    assert more["state"] == "sleep" and more["nlwp"] == "1" and more["ppid"] == "0" and more["class"] == "process"
    assert float(few["crtime"]) < float(more["crtime"]) < float(more["snaptime"])
    assert int(more["rss"]) - int(few["rss"]) == N * 4096 == int(more["vsz"]) - int(few["vsz"])
    assert int(more["nsec_user"]) + int(more["nsec_kernel"]) < (float(more["snaptime"]) - float(more["crtime"])) * 1e9


def test_proc_agrees(arch):
    """/proc/PID/stat, status and io tell of a process that sleeps what its kstats tell; and so does ps."""
    stats, files, table = held(arch)[:3]
    lines = dict(re.findall(r"^(\d+) (\(account\) S .*)$", files, re.M))
    for pid, status in zip((2, 3), files.split("Name:")[1:], strict=True):
        kstat = kstats(stats, pid)
        stat = lines[str(pid)].split()
        values = dict(re.findall(r"^(\w+):\s+(\d+)", status, re.M))
        assert [stat[8], stat[10], stat[21], stat[22]] == [kstat["minf"], kstat["majf"], kstat["vsz"], str(int(kstat["rss"]) // 4096)]
        assert [int(stat[12]), int(stat[13])] == [int(kstat[f"nsec_{mode}"]) // 10_000_000 for mode in ("user", "kernel")]
        assert (values["voluntary_ctxt_switches"], values["nonvoluntary_ctxt_switches"]) == (kstat["vol_swtch"], kstat["inv_swtch"])
        assert int(values["VmSize"]) * 1024 == int(kstat["vsz"]) and int(values["VmRSS"]) * 1024 == int(kstat["rss"])
        names = ("readch", "writech", "sysread", "syswrite")
        assert [values[name] for name in ("rchar", "wchar", "syscr", "syscw")] == [kstat[name] for name in names]
        row = next(line.split() for line in table.splitlines() if line.split()[1] == str(pid))
        assert row[6:8] == [str(int(kstat["vsz"]) >> 10), str(int(kstat["rss"]) >> 10)]


def test_proc_stat(arch):
    """/proc/stat lies between two readings of what the kernel's own commands say; a spinning program's time; forks. The pings
    are for the time of interrupts, of which there are ticks enough then to tell whether it is in the sum of all CPUs."""
    cpus = 2 if arch == "x86_64" else 1
    sums = "sysctl -n vm.stats.sys.v_swtch; sysctl -n vm.stats.sys.v_intr; cat /proc/uptime"
    look = f"echo ===; {sums}; echo ===; cat /proc/stat; echo ===; {sums}"
    text = guest.run(f"{look}; workload spin 300; workload tree 7; ping -q -c 2000 -i 0.0001 127.0.0.1 > /dev/null; {look}", "--arch", arch, "--cpus", cpus).text
    parts = [part.strip().splitlines() for part in text.split("===\n")[1:]]
    looks = []
    for low, stat, high in (parts[:3], parts[3:]):
        low, high = ([float(line.split()[0]) for line in lines[:3]] for lines in (low, high))
        row = {name: [*map(int, words)] for name, *words in map(str.split, stat)}
        each = [row[f"cpu{cpu}"] for cpu in range(cpus)]
        assert low[0] <= row["ctxt"][0] <= high[0] and low[1] <= row["intr"][0] <= high[1]
        assert all(sum(column) <= total <= sum(column) + cpus for *column, total in zip(*each, row["cpu"]))
        looks.append((row, low[2], high[2]))
    (first, low, high), (second, low_later, high_later) = looks
    for cpu in range(cpus):  # a CPU's time begins before the clock does; whole ticks of four kinds
        passed = sum(second[f"cpu{cpu}"]) - sum(first[f"cpu{cpu}"])
        assert (low_later - high) * 100 - 5 <= passed <= (high_later - low) * 100 + 5
    user, system = (second["cpu"][column] - first["cpu"][column] for column in (0, 2))
    assert user > 10 and user + system >= 29  # 300 ms of a CPU, nearly all of it in user mode
    assert second["processes"][0] - first["processes"][0] == 7 and second["btime"] == first["btime"]


def test_they_go_with_the_process(arch):
    """No kstat is left, nor any memory, after processes that were looked at have ended."""
    gone, first, last = held(arch)[3:6]
    assert "process:" not in gone
    objects = [re.findall(r"^ +(?:\d+|larger) +(\d+) ", text, re.M) for text in (first, last)]
    pages = [re.findall(r"^(pipes|processes|memory objects|files) +(\d+)", text, re.M) for text in (first, last)]
    assert objects[0] == objects[1] and pages[0] == pages[1]


def test_cpus_together():
    """On four CPUs the same: what they have counted adds up, while programs move about."""
    if why := linux_program.missing("x86_64"):
        pytest.skip(why)
    work = "getpid {0} zero {0} fork {0} exec {0} write {0}"
    runs = [f"account {work.format(n)} & " * 6 + "wait; echo ===; kstat -p cpu:::/sys/ cpu:::zfod; vmstat -s; " for n in (FEW, FEW, MORE)]
    text = program_script.run("".join(runs), "--cpus", 4, "--timeout", 200).text
    looks_at_sums = []
    for part in text.split("===\n")[1:]:
        seen = numbers(part)
        for name in ("syscall", "sysfork", "sysvfork", "sysexec", "syswrite", "zfod"):
            seen[name] = sum(map(int, re.findall(rf"^cpu:\d:\w+:{name}\t(\d+)$", part, re.M)))
        assert seen["syscall"] == seen["system calls"] and seen["zfod"] == seen["promote zero fill faults"]
        assert seen["forks total"] == seen["sysfork"] + seen["sysvfork"]
        looks_at_sums.append(seen)
    before, between, after = looks_at_sums
    moved = {name: after[name] - 2 * between[name] + before[name] for name in ("sysfork", "sysvfork", "sysexec", "syswrite")}
    assert moved == {name: 6 * N for name in moved}


def test_a_crowd():
    """With hundreds of processes each has its kstats, all of them go with the processes, and one is found as before."""
    if why := linux_program.missing("x86_64"):
        pytest.skip(why)
    look = "kstat -p process:::nlwp; echo ===; "
    commands = f"account crowd 300 hold 0 & sleep 2; {look}ps -a; echo ===; kstat -p process:200::ppid; echo ===; kill -KILL -1; wait; sleep 0.5; {look}ps -a"
    text = program_script.run(commands, "--timeout", 200).text
    seen, table, one, gone, rest = text.split("===\n")
    assert "made 300" in seen and sorted(map(int, re.findall(r"^process:(\d+):account:nlwp\t1$", seen, re.M))) == list(range(1, 302))
    assert len(table.splitlines()) == 302 and one == "process:200:account:ppid\t1\n"
    assert "process:" not in gone and len(rest.splitlines()) == 1


def test_signals_count_once_each(arch):
    """One that stops a program, one that ends it, one that nobody takes; those that are ignored, and a continuation, do not count."""
    steps = ["kill -STOP 1", "kill -CONT 1", "kill -WINCH 1", "kill -TERM 1", "account hold 0 & sleep 0.3", "kill -KILL 2", "wait"]
    look = "; sleep 0.1; echo ===; vmstat -e -v; "
    text = program_script.run("account hold 0 & sleep 0.3" + look + look.join(steps) + look, arch=arch).text
    counts = [numbers(part)["process signals"] for part in text.split("===\n")[1:]]
    assert counts == [0, 1, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("arch,cpus", [("x86_64", 1), ("x86_64", 4), ("mips", 1)])
def test_times_add_up(arch, cpus):
    """What processes have used, those that are gone included, is what CPUs gave, to the cycle, at any moment while they come and go."""
    if why := linux_program.missing(arch):
        pytest.skip(why)
    names = ("process-time", "process-user-time")
    work = " & ".join(f"account getpid {100 * n} fork {n} thread {n} exec {n} zero {n} vfork {n}" for n in (5, 20, 40))
    checks = "; ".join(f"laws -n 60 -w 0.003 {name}" for name in names)
    plants = "; ".join(f"laws -p {name}" for name in names)
    commands = f"{work} & {checks}; wait; {plants}; laws {' '.join(names)}"
    said = program_script.run(commands, "--cpus", cpus, "--timeout", 200, arch=arch).text
    assert re.findall(r"^(\d+) checks, \d+ comparisons, (\d+) violated$", said, re.M) == [("60", "0")] * 2, said
    assert re.findall(r"^laws: violated: (process-[a-z-]+): ", said, re.M) == list(names), said  # as they were planted
    sums = re.findall(r"^(process-\S+) +(\d+) = +(\d+)  ok$", said, re.M)
    assert [name for name, *_ in sums] == list(names) and all(int(left) > 0 and left == right for _, left, right in sums), said


def test_times_add_up_of_one_that_stays(arch):
    """A process whose threads and children have ended, and which has not; then it has, too, and nobody has asked; then somebody has."""
    if why := linux_program.missing(arch):
        pytest.skip(why)
    laws = "laws process-time process-user-time; "
    commands = f"account getpid 2000 zero 50 thread 6 fork 4 hold 0 & sleep 0.5; {laws}kill -KILL 1; sleep 0.1; {laws}wait; {laws}"
    said = program_script.run(commands, arch=arch).text
    sums = re.findall(r"^(process-\S+) +(\d+) = +(\d+)  ok$", said, re.M)
    assert len(sums) == 6 and all(int(left) > 0 and left == right for _, left, right in sums), said


@pytest.mark.parametrize("cpus", [1, 4])
def test_user_times_of_kstats_add_up(arch, cpus):
    """Where one program and its children are all that ever ran, their kstats have all of the CPUs' user time, and a part of the kernel's."""
    if why := linux_program.missing(arch):
        pytest.skip(why)
    if arch == "mips" and cpus > 1:
        pytest.skip("a Malta has one CPU")
    commands = "account getpid 5000 fork 20 thread 6 zero 300 exec 10 hold 0 & sleep 3; kstat -p process::account cpu:::/nsec/; kill -KILL -1; wait"
    text = program_script.run(commands, "--cpus", cpus, "--timeout", 200, arch=arch).text
    given, used = {}, {}
    for sums, pattern in ((given, r"^cpu:\d+:sys:cpu_nsec_(\w+)\t(\d+)$"), (used, r"^process:\d+:account:(?:child_)?nsec_(\w+)\t(\d+)$")):
        for name, count in re.findall(pattern, text, re.M):
            sums[name] = sums.get(name, 0) + int(count)
    assert used["user"] > 0 and abs(used["user"] - given["user"]) <= 2 * cpus + 4, text  # each is rounded
    assert 0 < used["kernel"] < given["kernel"], text
