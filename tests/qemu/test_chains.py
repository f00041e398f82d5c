# SPDX-License-Identifier: BSD-2-Clause
"""Call chains of profiles: every call in them is one that the kernel's code can make."""

import re
import subprocess

import pytest

import guest

DISASSEMBLE = {"x86_64": "objdump", "mips": "mips64-linux-gnuabi64-objdump"}
BY_POINTER = re.compile(r"\t(?:(?:call|jmp) +\*|jalr|jr\tt9)")
BY_NAME = re.compile(r"\t(?P<how>call|jmp|jal|j|b|bal)\s+[0-9a-f]+ <(?P<to>[^>+]+)>")


def calls(arch, command):
    """{function: those it calls, itself or by ending in them}; "*": it also calls by pointer."""
    text = subprocess.run([DISASSEMBLE[arch], "-d", "--no-show-raw-insn", guest.elf(arch, command)], check=True,
                          capture_output=True, text=True).stdout  # fmt: skip
    called, ends_in, name = {}, {}, ""
    for line in text.splitlines():
        heading = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if heading:
            name = heading[1]
        elif BY_POINTER.search(line):
            called.setdefault(name, set()).add("*")
        elif match := BY_NAME.search(line):
            called.setdefault(name, set()).add(match["to"])
            if match["how"] in ("jmp", "j", "b"):
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
        if "[unknown]" not in (caller, function) and not {function, "*"} & called.get(caller, set())
    }


RUNS = {"deterministic": ["--deterministic"], "": [], "4-cpus": ["--deterministic", "--cpus", "4"]}


@pytest.mark.parametrize("how", RUNS)
@pytest.mark.parametrize("command", ["spin 100", "selftest thread"])
def test_no_call_is_invented(arch, command, how):
    if arch == "mips" and "cpus" in how:
        pytest.skip("one CPU")
    result = guest.run(f"tprof monitor -g -e cycles,50000 {command}", "--arch", arch, *RUNS[how])
    chains = stacks(result.text)
    total = sum(count for _, count in chains)
    # How much of its time spin gets to run is up to the host, unless the clock is the instructions'.
    assert total > (0 if command == "spin 100" and not how else 30)
    assert not invented(chains, calls(arch, command))
    # Every sample's stack begins where its thread does, or says that this is not known.
    assert all(chain[0] in ("thread_start", "thread_idle", "[unknown]") for chain, _ in chains)


def test_a_leaf_that_another_function_ends_in(arch):
    """pmc_sample_take only jumps to sample_ring_take, which has no frame: its caller is empty_rings still."""
    command = "spin 600"
    chains = stacks(guest.run(f"tprof monitor -g -e instructions,307 {command}", "--arch", arch, "--deterministic").text)
    of_leaf = [(chain, count) for chain, count in chains if chain[-1] == "sample_ring_take"]
    known = sum(count for chain, count in of_leaf if chain[:3] == ["thread_start", "empty_often", "empty_rings"])
    assert known > 1000 and known >= 0.9 * sum(count for _, count in of_leaf)
    assert not invented(chains, calls(arch, command))


def test_the_thread_of_nearly_all_is_known(arch):
    chains = stacks(guest.run("tprof monitor -g -e cycles,50000 spin 100", "--arch", arch, "--deterministic").text)
    known = sum(count for chain, count in chains if chain[0] == "thread_start")
    assert known >= 0.97 * sum(count for _, count in chains)
    # Some of what spin calls was drained long after: by way of the function between them.
    assert any(chain[-3:] == ["spin_run", "shell_interrupted", "thread_interrupted"] for chain, _ in chains)
