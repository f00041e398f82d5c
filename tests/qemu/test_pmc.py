# SPDX-License-Identifier: BSD-2-Clause
"""pmc and tprof: what they print, their statuses, and numbers that can be known."""

import re

import pytest

import guest

ROW = re.compile(r"^ *(\S+|<not \w+>) (.{4}) (\S+) *(?:#  *([\d.]+%?)  ?(.*?))? *(?:\(([\d.]+)%\))?$")


def table(text):
    """{event: (value, metric, its unit, share of the time)} of a table of `pmc stat`"""
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith(" Performance counter stats for '"))
    rows = {}
    for line in lines[first + 2 :]:
        if not line:
            break
        match = ROW.match(line)
        assert match, line
        rows[match[3]] = (match[1], match[4], match[5], match[6])
    return rows


def fields(text):
    return {row[2]: row for row in (line.split(",") for line in text.splitlines()) if len(row) >= 7}


def test_list(arch, quipu):
    lines = quipu("pmc list").lines()
    name = "r10k" if arch == "mips" else "intel"
    counters = 2 if arch == "mips" else 7
    heading = next(line for line in lines if line.startswith(name + ": "))
    assert heading.startswith(f"{name}: counters 0-{counters - 1} of {32 if arch == 'mips' else 48} bits, ")
    events = [line.split()[0] for line in lines[lines.index(heading) + 1 :] if line.startswith("  ") and line[2] != " "]
    events = events[: 32 if arch == "mips" else 7]
    assert events == [str(n) for n in range(32)] if arch == "mips" else set(events) == {
        "0x3c", "0xc0", "0x13c", "0x4f2e", "0x412e", "0xc4", "0xc5"}  # fmt: skip
    soft = next(n for n, line in enumerate(lines) if line.startswith("soft: counters "))
    assert lines[soft + 1].split()[0] == "0x10000"
    sources = "\n".join(lines)
    assert " exact " in sources and " modelled " in sources
    assert (" always zero " in sources) == (arch == "mips")
    assert ("<not supported> tlb-refills" in sources) == (arch == "x86_64")
    assert re.search(r"^  -  .* task-clock ", sources, re.M) and re.search(r"^  -  .* cpu-clock ", sources, re.M)


def unfolded(text):
    """`pmc list` with a line for each event"""
    return re.sub(r"\n {35,}", " ", text)


# Names and descriptions of events 6 and 14.
REVISIONS = {
    "2.6": ("branches-decoded", "conditional branches decoded", "virtual-coherency", "virtual coherency"),
    "3.4": ("branches-resolved", "conditional branches resolved", "fu-completions", "functional unit completion cycles"),
}


@pytest.mark.parametrize("revision", REVISIONS)
def test_events_that_the_revision_decides(revision):
    branches, sixth, name, fourteenth = REVISIONS[revision]
    command = f"pmc list; pmc stat -x, -e {name},r10k.6,{branches} spin 1; pmc stat -x, -e r10k.14 spin 1"
    result = guest.run(command, "--arch", "mips", "--deterministic", "--pmu", f"rev={revision}")
    assert result.status == 0, result.said
    assert re.search(rf"^  6 .* exact +{branches} +{sixth}$", unfolded(result.text), re.M)
    assert re.search(rf"^  14 .* modelled +{name} +{fourteenth}$", unfolded(result.text), re.M)
    rows = fields(result.text)
    # Nothing here has two virtual addresses of different primary indices.
    assert [int(rows[event][0]) > 0 for event in (name, "r10k.14")] == [revision == "3.4"] * 2
    assert rows["r10k.6"][0] != "0" and rows[branches][2] == branches


# What a generic name means is the same everywhere: `branches` are all instructions that branch. Jumps, calls and returns are in
# none of the R10000's events, so it has no `branches`, and what it has is called what it is.
CONDITIONAL = {"mips": "branches-resolved", "x86_64": "branches"}
GENERIC = {"branches": "branch instructions retired", "cache-misses": "last level cache misses"}


def test_generic_names_mean_one_thing(arch, quipu):
    events = ",".join(GENERIC)
    result = quipu(f"pmc list; pmc stat -x, -e {events} true; pmc -c branches true; tprof monitor -e branches true")
    listed = unfolded(result.text).partition("\nsoft: ")[0]
    for name, meaning in GENERIC.items():
        row = re.search(rf"^  \S+ +\S+ +(?:exact|modelled) +{name} +(.*)$", listed, re.M)
        if arch == "mips":
            assert row is None and f"<not supported>,,{name},0,100.00,," in result.text
        else:
            assert row[1].startswith(meaning) and int(fields(result.text)[name][0]) > 0
    for command in ("pmc", "tprof"):
        assert (f"{command}: branches: not counted on this machine (ENODEV)" in result.text) == (arch == "mips")


def test_misses_of_the_branches_that_are_counted():
    """The ratio says of which branches it is."""
    rows = table(guest.run("pmc stat -e branches-resolved,branch-misses spin 30", "--arch", "mips", "--deterministic").text)
    value, ratio, unit, _ = rows["branch-misses"]
    assert unit == "of cond. branches"
    assert float(ratio.rstrip("%")) == pytest.approx(100 * int(value) / int(rows["branches-resolved"][0]), abs=0.006)


def test_stat_without_events(arch, quipu):
    result = quipu("pmc stat spin 30", "--deterministic")  # on a busy host the ticks may be too few for each event's turn
    assert result.status == 0, result.said
    rows = table(result.text)
    assert list(rows) == [
        "task-clock", "context-switches", "cpu-migrations", "cycles", "instructions", "branches", "branch-misses"
    ]  # fmt: skip
    assert rows["task-clock"][2] == "CPUs utilized" and rows["cycles"][2] == "GHz"
    assert rows["instructions"][2] == "insn per cycle" and re.fullmatch(
        "K?/sec" if arch == "mips" else "of all branches", rows["branch-misses"][2]
    )
    assert (rows["branches"][0] == "<not supported>") == (arch == "mips")
    assert "seconds time elapsed" in result.text and result.text.count("seconds user") == 1


def test_user_and_system_time(quipu):
    """Under -icount a program has used what it asked for, 20 ms, and little of the kernel; a command has no user time; together it is the task clock."""
    text = quipu("pmc stat -e task-clock workload spin 20; pmc stat -e task-clock spin 20", "--deterministic").text
    program, command = (
        {name: float(seconds) for seconds, name in re.findall(r"^ *([\d.]+) (msec task-clock|seconds user|seconds sys)", part, re.M)}
        for part in text.split("Performance counter stats")[1:]
    )
    for times in (program, command):
        assert times["seconds user"] + times["seconds sys"] == pytest.approx(times["msec task-clock"] / 1000, abs=5.1e-6), text
    assert 0.019 < program["seconds user"] < 0.0211 and program["seconds sys"] < 0.005, text
    assert command["seconds user"] == 0 and 0.02 <= command["seconds sys"] < 0.0211, text


def test_running_time_of_repeats_is_their_mean(quipu):
    """As the task clock's own value is; the first run, which loads the program, takes longer than the last one."""
    text = quipu("pmc stat -x, -r 3 -e task-clock,context-switches workload spin 5", "--deterministic").text
    clock, ran = re.search(r"^([\d.]+),msec,task-clock,[\d.]+%,(\d+),100.00,", text, re.M).groups()
    assert float(clock) == pytest.approx(int(ran) / 1e6, abs=0.0051), text
    assert re.search(rf"^\d+,,context-switches,[\d.]+%,{ran},100.00,", text, re.M), text


def test_status_is_the_command_s(quipu):
    assert quipu("pmc stat false").status == 1
    assert quipu("pmc stat nonesuch").status == 127
    assert quipu("tprof monitor -e cpu-clock false").status == 1
    assert quipu("pmc -c context-switches false").status == 1


def test_sleeping_is_one_switch(quipu):
    text = quipu("pmc stat -x, -e context-switches sleep 0.05; pmc -c context-switches sleep 0.05", "--deterministic").text
    assert fields(text)["context-switches"][0] == "1"
    assert "context-switches: total 1\n" in text


def test_known_work(arch, quipu):
    """The self-test's loop of 10 rounds of 160,000 turns of at least 2 instructions, one of them a branch."""
    branches = CONDITIONAL[arch]
    rows = fields(quipu(f"pmc stat -x, -e instructions,{branches} selftest profile-work").text)
    assert int(rows["instructions"][0]) >= 3_200_000
    assert int(rows[branches][0]) >= 1_600_000
    assert rows["instructions"][4] == rows[branches][4] == "100.00"


def test_user_and_kernel(quipu):
    """Commands are part of the kernel: nothing happens outside it."""
    found = re.search(r"^instructions: user (\d+) kernel (\d+)$", quipu("pmc -c instructions spin 10").text, re.M)
    assert found[1] == "0" and int(found[2]) > 1000
    rows = fields(quipu("pmc stat -x, -e instructions:u@1,instructions:k true").text)
    assert rows["instructions:u@1"][0] == "0" and int(rows["instructions:k"][0]) > 100


def test_turns(arch, quipu):
    branches = CONDITIONAL[arch]
    events = ",".join([branches] * 5 + ["branch-misses"] * 5 + ["context-switches"])
    rows = [row.split(",") for row in quipu(f"pmc stat -x, -e {events} spin 300", "--deterministic").lines() if row.count(",") == 6]
    shares = [float(row[4]) for row in rows]
    assert len(rows) == 11 and shares[-1] == 100
    assert all(share < 100 for share in shares[:10]) and 90 <= sum(shares[:5])
    marked = table(quipu(f"pmc stat -e {events} spin 300", "--deterministic").text)
    assert marked[branches][3] is not None and marked["context-switches"][3] is None


def test_several_runs(quipu):
    text = quipu("pmc stat -r 4 -e task-clock,instructions true").text
    assert " Performance counter stats for 'true' (4 runs):" in text
    assert len(re.findall(r"\( \+- +\d+\.\d\d% \)", text)) == 3
    assert re.search(r" +\d+\.\d+ \+- \d+\.\d+ seconds time elapsed  \(", text)


def test_intervals_add_up(quipu):
    text = quipu("pmc stat -I 20 -x, -e task-clock,instructions spin 100", "--deterministic").text
    rows = [line.split(",") for line in text.splitlines() if line.count(",") == 7]
    times = [float(row[0]) for row in rows if row[3] == "task-clock"]
    assert len(times) >= 2 and times == sorted(times)
    rows = [row for row in rows if row[1] != "<not counted>"]  # it may not have run in an interval
    assert sum(float(row[1]) for row in rows if row[3] == "task-clock") > 20
    assert sum(int(row[1]) for row in rows if row[3] == "instructions") > 1000


def test_start_and_stop(quipu):
    text = quipu("pmc start instructions:k; spin 10; kstat -p pmc:0:/counter/:value; pmc stop; kstat -p pmc::/counter/").text
    started = int(re.search(r"^Counter #(\d+) started$", text, re.M)[1])
    read = int(re.search(rf"^pmc:0:counter{started}:value\t(\d+)$", text, re.M)[1])
    assert "Counter\t\tcpu0\t\tevent\n-------\t\t----\t\t-----\n" in text
    stopped = int(re.search(rf"^{started}\t\t(\d+)\t+instructions:k$", text, re.M)[1])
    assert 1000 < read < stopped
    assert text.endswith(f"Counter #{started} stopped\n")


def test_long_counts_line_up(quipu):
    text = quipu("pmc start clock-cycles:uk cycles:u; sleep 3; pmc stop", "--deterministic").text
    rows = {row[row.rindex(" ") + 1 :]: row for row in text.expandtabs().splitlines()}
    assert int(rows["clock-cycles:uk"].split()[1]) >= 10**8 and int(rows["cycles:u"].split()[1]) == 0
    assert rows["event"].index("event") == rows["clock-cycles:uk"].index("clock") == rows["cycles:u"].index("cycles")


def test_old_list_has_each_name_once(quipu):
    names = [name for line in quipu("pmc -h").lines()[1:] for name in line.split()]
    assert "instructions" in names and len(names) == len(set(names))
    assert {"task-clock", "cpu-clock", "cpu-migrations"} <= set(names)


def test_kernels_own_events_of_the_system(quipu):
    """They have no modes: user and kernel together are all."""
    text = quipu("pmc start context-switches:uk; sleep 0.01; kstat -p pmc:0:/counter/:value; pmc stop").text
    assert int(re.search(r"^pmc:0:counter\d+:value\t(\d+)$", text, re.M)[1]) >= 2


@pytest.mark.parametrize("command,said", [
    ("pmc stat -r 3 -e instructions", "Performance counter stats for 'spin 100000'"),
    ("pmc stat -I 10 -e instructions", "#           time"),
    ("pmc -c instructions", "instructions: user 0 kernel "),
    ("tprof monitor -e cpu-clock", "- cpu-clock, period 1000000"),
])  # fmt: skip
def test_what_was_counted_before_an_interrupt_is_told(quipu, command, said):
    result = quipu(f"{command} spin 100000 & sleep 0.1; stop 1; jobs; wait; echo $?", "--deterministic")
    assert said in result.text and result.text.endswith("\n130\n")


def test_without_a_pmu(arch):
    result = guest.run("pmc list; pmc stat -e cycles,instructions,context-switches sleep 0.01; tprof monitor spin 20",
                       "--arch", arch, "--no-pmu", "--deterministic")  # fmt: skip
    assert result.status == 0, result.said
    assert result.lines()[0] == "no hardware PMU"
    rows = table(result.text)
    assert rows["instructions"][0] == "<not supported>" and rows["context-switches"][0] == "1"
    assert (rows["cycles"][0] == "<not supported>") == (arch == "x86_64")
    # Not by a counter that is looked at once in a tick.
    assert re.search(r"Number of samples: [1-9]\d* - cpu-clock", result.text) and "tprof statistics:" in result.text


def test_no_samples(quipu):
    lines = quipu("tprof monitor -e cycles:u,100000 true").lines()
    assert lines[0] == "Number of samples: 0 - cycles:u, period 100000 (commands run in kernel mode)"
    assert not any("percentage" in line for line in lines)


def sampled(text):
    """({function: samples}, {name: figure})"""
    rows = re.findall(r"^ +[\d.]+% +(\d+) +[uk]  (\S+)$", text, re.M)
    figures = dict(re.findall(r"^\t(\w+) (\d+)$", text, re.M))
    functions = {}
    for count, name in rows:  # several static functions may have one name
        functions[name] = functions.get(name, 0) + int(count)
    return functions, {name: int(figure) for name, figure in figures.items()}


def stacks(text):
    lines = text.split("\nstacks:\n")[1].splitlines()
    return [(line.rpartition(" ")[0].split(";"), int(line.rpartition(" ")[2])) for line in lines]


@pytest.mark.parametrize("event", ["instructions,5000", "cpu-clock,200000"])
def test_samples_add_up(quipu, event):
    text = quipu(f"tprof monitor -g -e {event} selftest profile-work").text
    functions, figures = sampled(text)
    chains = stacks(text)
    assert set(figures) == {"sample", "overflow", "buf", "emptybuf", "dropbuf", "dropbuf_sample", "lost", "own"}
    assert sum(functions.values()) == sum(count for _, count in chains) == figures["sample"] - figures["own"]
    assert figures["dropbuf_sample"] == 0 and figures["buf"] >= 1
    for name, count in functions.items():
        assert count == sum(part for chain, part in chains if chain[-1] == name)


def split(chains):
    return [sum(count for chain, count in chains if chain[-1] == name) for name in ("profile_more", "profile_less")]


def test_three_parts_of_four(quipu):
    more, less = split(stacks(quipu("tprof monitor -g -e instructions,100003 selftest profile-work", "--deterministic").text))
    assert more + less > 300
    assert 73 <= 100 * more / (more + less) <= 77


def test_chains_lead_to_the_work(quipu):
    """Both functions are called by the self-test."""
    chains = stacks(quipu("tprof monitor -g -e instructions,100003 selftest profile-work").text)
    assert sum(split(chains)) > 100
    # Of samples that are found at a thread switch the callers are not known.
    called = [(chain, count) for chain, count in chains if chain[-1].startswith("profile_") and "[unknown]" not in chain]
    right = sum(count for chain, count in called if chain[-2] == "selftest_run_profile_work")
    assert right >= 0.9 * sum(count for _, count in called)
    assert all(chain[0] == "thread_start" for chain, _ in called if len(chain) > 3)


def test_short_periods_do_not_stop_the_machine(quipu):
    text = quipu("tprof monitor -e instructions,100 true; tprof monitor -e branch-misses,1 true; tprof monitor -e cpu-clock,1 true; echo alive").text
    assert text.endswith("alive\n")


def test_a_period_that_never_passes(quipu):
    text = quipu("tprof monitor -e cpu-clock,18446744073709551615 true; tprof monitor -e instructions,18446744073709551615 true; "
                 "echo alive").text  # fmt: skip
    assert text.count("Number of samples: 0 - ") == 2 and text.endswith("alive\n")


def test_top(quipu):
    result = quipu("spin 2000 & tprof top -b -c -n 2 -i 0.1 -e cpu-clock; stop 1")
    assert result.text.count("Number of samples: ") == 2 and result.text.count("tprof statistics:") == 2


def test_samples_of_each_cpu(quipu, arch):
    """-a: one line for each function and CPU; together, with the profiler's own, they are the samples."""
    if arch == "mips":
        text = quipu("tprof monitor -a -e instructions,200000 on 0 spin 1000").text
    else:
        text = quipu("on 1 spin 1000000 & tprof monitor -a -g -e instructions,200000 on 2 spin 1000; stop 1", "--cpus", "3").text
    rows = re.findall(r"^ +([\d.]+)% +(\d+) +[uk] +(\d+)  (\S+)$", text, re.M)
    assert "percentage  nsamples  u/k  cpu  symbol\n----------  --------  ---  ---  ------\n" in text
    samples, own = (int(re.search(rf"^\t{name} (\d+)$", text, re.M)[1]) for name in ("sample", "own"))
    assert sum(int(row[1]) for row in rows) + own == samples
    assert ({"0"} if arch == "mips" else {"1", "2"}) <= {row[2] for row in rows if row[3] in ("spin_run", "clock_now")}
    if arch == "x86_64":
        chains = stacks(text)
        assert {"cpu1", "cpu2"} <= {chain[0] for chain, _ in chains}
        assert sum(count for _, count in chains) == sum(int(row[1]) for row in rows)


def test_top_tells_what_came_until_then(quipu):
    """Also what no thread has taken from the rings yet."""
    text = quipu("spin 2000 & tprof top -b -c -n 2 -i 0.015 -e cpu-clock,500000; stop 1", "--deterministic").text
    assert [int(n) for n in re.findall(r"Number of samples: (\d+) ", text)][0] > 10


def test_several_cpus():
    text = guest.run("on 0 pmc stat -e instructions,cpu-migrations on 2 spin 20; pmc start instructions:uk; on 1 spin 20; pmc stop; "
                     "selftest pmu-set", "--cpus", "3").text  # fmt: skip
    rows = table(text)
    assert rows["cpu-migrations"][0] == "2" and int(rows["instructions"][0]) > 1000  # there and back
    counts = re.search(r"^\d+\t\t(\d+)\t+(\d+)\t+(\d+)\t+instructions:uk$", text, re.M)
    assert int(counts[2]) > 1000 and text.endswith("8 passed, 0 failed\n")


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_intervals_end_in_time(cpus):
    """Each is told when it is over, with what came in it; the last ends with the command."""
    text = guest.run("pmc stat -I 5 -x, -e instructions spin 23", "--cpus", cpus, "--deterministic").text
    rows = [line.split(",") for line in text.splitlines()]
    times, counts = [float(row[0]) for row in rows], [int(row[1]) for row in rows]
    assert times == sorted(set(times))
    if cpus != 2:  # there QEMU gives the second CPU a turn only now and then
        assert len(rows) == 5
        for time, wanted in zip(times, (0.005, 0.010, 0.015, 0.020, 0.023)):
            assert wanted <= time < wanted + 0.002
    assert len(rows) > 1 and 0.023 <= times[-1] < 0.025
    pace = [count / (end - start) for count, start, end in zip(counts, [0, *times], times)]
    assert max(pace) < 1.15 * min(pace)


@pytest.mark.parametrize("separator", ["50 spin 200", "50 -x, spin 200"])
def test_intervals_of_two_cpus(separator):
    text = guest.run(f"pmc stat -e instructions -I {separator}", "--cpus", 2, "--deterministic").text
    assert len(re.findall(r"instructions", text)) >= 4 and "not counted" not in text


@pytest.mark.parametrize("inner", ["tprof monitor -e cycles,100000 spin 1", "pmc stat -e branches true", "pmc list"])
def test_a_report_in_a_report(quipu, inner):
    text = quipu(f"pmc stat -r 2 -e context-switches {inner}").text
    assert f"\n Performance counter stats for '{inner}' (2 runs):" in text and "usage" not in text


def test_the_same_twice_deterministic(arch):
    how = ("pmc stat -x, -e instructions,branches,context-switches selftest profile-work; tprof monitor -g -e instructions,5000 "
           "selftest profile-work", "--arch", arch, "--deterministic")  # fmt: skip
    assert guest.run(*how).text == guest.run(*how).text
