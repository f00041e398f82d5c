# SPDX-License-Identifier: BSD-2-Clause
"""Call chains of profiles: every call in them is one that the kernel's code can make."""

import re
import subprocess

import pytest

import guest

DISASSEMBLE = {"x86_64": "objdump", "mips": "mips64-linux-gnuabi64-objdump"}
BY_POINTER = re.compile(r"\t(?P<how>(?:call|jmp)(?= +\*)|jalr|jr(?=\tt9))")
BY_NAME = re.compile(r"\t(?P<how>call|j[a-z]*|b|bal)\s+[0-9a-f]+ <(?P<to>[^>+]+)>")


def calls(arch, command):
    """{function: those it calls, itself or by ending in them}; "*": it also calls by pointer."""
    text = subprocess.run([DISASSEMBLE[arch], "-d", "--no-show-raw-insn", guest.elf(arch, command)], check=True,
                          capture_output=True, text=True).stdout  # fmt: skip
    called, ends_in, name = {}, {}, ""
    for line in text.splitlines():
        heading = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if heading:
            name = heading[1]
        elif match := BY_POINTER.search(line):
            called.setdefault(name, set()).add("*")
            if match["how"] in ("jmp", "jr"):
                ends_in.setdefault(name, set()).add("*")
        elif match := BY_NAME.search(line):
            called.setdefault(name, set()).add(match["to"])
            if match["how"] not in ("call", "jal", "bal"):  # x86: conditional jumps, too
                ends_in.setdefault(name, set()).add(match["to"])
    for name, them in called.items():
        fresh = set(them)
        while fresh:
            fresh = {to for one in fresh for to in ends_in.get(one, ())} - them
            them |= fresh
    return called


def stacks(text):
    lines = text.split("\nstacks:\n")[1].splitlines()
    return [(line.rpartition(" ")[0].split(";"), int(line.rpartition(" ")[2])) for line in lines]


def invented(chains, called):
    return {
        (caller, function): count
        for chain, count in chains
        for caller, function in zip(chain, chain[1:])
        if not {"[unknown]", "[interrupt]", "[cut]"} & {caller, function} and not {function, "*"} & called.get(caller, set())
    }


RUNS = {"deterministic": ["--deterministic"], "": [], "4-cpus": ["--deterministic", "--cpus", "4"]}


@pytest.mark.parametrize("how", RUNS)
@pytest.mark.parametrize("command", ["spin 100", "selftest thread"])
def test_no_call_is_invented(arch, command, how):
    if arch == "mips" and "cpus" in how:
        pytest.skip("one CPU")
    # Interrupts fall between a call and its delay slot now and then.
    period = 10007 if how == "deterministic" else 50000
    result = guest.run(f"tprof monitor -g -e cycles,{period} {command}", "--arch", arch, *RUNS[how])
    chains = stacks(result.text)
    total = sum(count for _, count in chains)
    # How much of its time spin gets to run is up to the host, unless the clock is the instructions'.
    assert total > (0 if command == "spin 100" and not how else 30)
    assert not invented(chains, calls(arch, command))
    # Every sample's stack begins where its thread does, or says that this is not known.
    assert all(chain[0] in ("thread_start", "thread_idle", "[unknown]") for chain, _ in chains)


def statistics(text):
    return {name: int(number) for name, number in re.findall(r"^\t(\w+) (\d+)$", text, re.M)}


COMMANDS = {
    "dd": "instructions,503 dd if=/dev/zero of=/dev/null bs=1m count=400",
    "ping": "instructions,2003 ping -c 300 -i 0.01 127.0.0.1",
    "ping-out": "cycles,500 ping -c 3 10.0.2.2",  # by timers, to which their classes lead by pointer
    "kstat": "instructions,2003 kstat -p",
}


@pytest.mark.parametrize("how", [[], ["--deterministic"]], ids=["", "deterministic"])
@pytest.mark.parametrize("command", COMMANDS)
def test_nearly_all_callers_are_known(arch, command, how):
    """Under one in a hundred of what is drawn has an [unknown] caller; and no call is invented."""
    result = guest.run(f"tprof monitor -g -e {COMMANDS[command]}", "--net", "--arch", arch, *how)
    assert result.status == 0, result.said
    chains = stacks(result.text)
    total = sum(count for _, count in chains)
    unknown = sum(count for chain, count in chains if {"[unknown]", "[cut]"} & set(chain))
    assert total >= 100 and unknown < 0.01 * total, [chain for chain in chains if {"[unknown]", "[cut]"} & set(chain[0])]
    assert not invented(chains, calls(arch, command))


def test_the_profilers_own_samples_are_left_out(arch):
    result = guest.run("tprof monitor -g -e instructions,307 spin 300", "--arch", arch, "--deterministic")
    chains, counts = stacks(result.text), statistics(result.text)
    own = {"pmu_overflow_poll", "pmu_overflow_handle", "pmc_profile_empty_often", "sample_ring_put", "sample_ring_take"}
    # An interrupt that came into it is somebody else's work.
    inner = [";".join(chain).rpartition("[interrupt];")[2].split(";") for chain, _ in chains]
    assert not [chain for chain in inner if own & set(chain)]
    assert counts["own"] > 1000
    assert sum(count for _, count in chains) + counts["own"] + counts["dropbuf_sample"] == counts["sample"]


def test_what_is_unknown_is_not_the_profilers_own(arch):
    """Without a PMU nobody takes samples but the clock."""
    result = guest.run("tprof monitor -g -e cpu-clock,100000 kstat -p", "--arch", arch, "--no-pmu", "--deterministic")
    chains, counts = stacks(result.text), statistics(result.text)
    assert [chain for chain, _ in chains if "[unknown]" in chain]
    assert sum(count for _, count in chains) + counts["own"] + counts["dropbuf_sample"] == counts["sample"]


def test_the_thread_of_nearly_all_is_known(arch):
    chains = stacks(guest.run("tprof monitor -g -e cycles,50000 spin 100", "--arch", arch, "--deterministic").text)
    known = sum(count for chain, count in chains if chain[0] == "thread_start")
    assert known >= 0.97 * sum(count for _, count in chains)
    # Some of what spin calls was drained long after: by way of the function between them.
    assert any(chain[-3:] == ["spin_run", "shell_interrupted", "thread_interrupted"] for chain, _ in chains)


def test_who_called_before_anybody_followed(arch):
    """Of a thread that was in the middle of its calls when the profile began, the kernel tells where it was."""
    line = "spin 3000 & sleep 0.1; tprof monitor -g -e cycles,50000 sleep 0.5; wait"
    chains = stacks(guest.run(line, "--arch", arch, "--deterministic").text)
    spinning = [(chain, count) for chain, count in chains if "spin_run" in chain]
    assert sum(count for _, count in spinning) > 100
    assert all(chain[0] == "thread_start" for chain, _ in spinning), spinning


def test_who_called_before_a_function_returns(arch):
    """Where it has its return address in a register again (MIPS), which its caller's place is known by, too."""
    line = "selftest profile-tails & sleep 0.1; tprof monitor -g -e cycles,50000 sleep 0.1; wait"
    text = guest.run(line, "--arch", arch, "--deterministic").text
    assert "profile-tails ok" in text.splitlines()
    chains = stacks(text.partition("profile-tails ok")[0])
    tails = [(chain, count) for chain, count in chains if "profile_tail" in chain]
    assert sum(count for _, count in tails) > 100
    assert all(chain[0] == "thread_start" for chain, _ in tails), tails
