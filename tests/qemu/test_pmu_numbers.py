# SPDX-License-Identifier: BSD-2-Clause
"""The performance counters' numbers against observers outside: another plugin, QEMU's log, arithmetic."""

import re

import pytest

import guest

INSTRUCTIONS = guest.ROOT / "build" / "plugins" / "instructions.so"
GUEST = {"x86_64": "x86", "mips": "mips"}
# What QEMU's `-d int` says of an instruction that did not end because of an exception.
FAULT = {
    "x86_64": re.compile(r"^check_exception ", re.M),
    "mips": re.compile(r"^mips_cpu_do_interrupt: PC \w+ EPC \w+ cause (?!0$)\d+$", re.M),
}
# An exception in a branch's delay slot has the branch executed again as well.
IN_SLOT = re.compile(FAULT["mips"].pattern + r"\n +S \w+ C [89a-f]", re.M)


def totals(path):
    """{CPU: instructions}"""
    rows = (re.fullmatch(r"(\d+) (\d+)", line) for line in path.read_text().splitlines())
    return {int(row.group(1)): int(row.group(2)) for row in rows}


def observed(arch, folder, commands, *arguments):
    """(what qpmu counted from power-on, what the other plugin did, in the same run; exceptions in QEMU's log)"""
    mine, others, log = folder / "qpmu", folder / "instructions", folder / "log"
    plugin = f"{INSTRUCTIONS},out={others},guest={GUEST[arch]}"
    how = ["--arch", arch, "--deterministic", "--pmu", f"total={mine}", *arguments]
    result = guest.run(commands, *how, "--", "-plugin", plugin, "-d", "int", "-D", log)
    assert result.status == 0, result.said
    said = log.read_text(errors="replace") if log.exists() else ""
    return totals(mine), totals(others), len(FAULT[arch].findall(said)) + len(IN_SLOT.findall(said))


@pytest.mark.parametrize("commands", ["true", "vmstat -e; sleep 1; spin 20"])
def test_a_whole_boot(arch, tmp_path, commands):
    """From power-on (on the PC through its firmware) to the end, to the instruction."""
    mine, others, faults = observed(arch, tmp_path, commands)
    assert others[0] - mine[0] == faults and mine[0] > 40000


def test_a_boot_of_several_cpus(tmp_path):
    mine, others, faults = observed("x86_64", tmp_path, "on 1 spin 20; on 2 spin 5", "--cpus", "3")
    assert faults == 0
    assert mine == others and sorted(mine) == [0, 1, 2]


def test_instructions_that_fault_do_not_graduate(arch, tmp_path):
    """The other plugin counts what starts; QEMU's log has what did not end."""
    mine, others, faults = observed(arch, tmp_path, "selftest trap")
    assert faults > 0
    assert sum(others.values()) - sum(mine.values()) == faults


def counts(text):
    """{event: count} of `pmc stat -x,`"""
    rows = (line.split(",") for line in text.splitlines() if line.count(",") >= 3)
    return {row[2]: row[0] for row in rows}


def test_deterministic_runs_are_the_same(arch):
    misses = {"mips": "L2-dcache-misses", "x86_64": "cache-misses"}[arch]
    command = f"pmc stat -e cycles,instructions,branch-misses,{misses} selftest profile-work; pmc stat sleep 1"
    once, again = (guest.run(command, "--arch", arch, "--deterministic") for _ in range(2))
    assert once.status == 0, once.text
    assert once.stdout == again.stdout
    assert re.search(r"^ +[\d,]+ +instructions", once.text, re.M)


# profile-work is so many turns of a loop of three instructions on either machine; what is around it is less than a
# hundredth of that.
WORK = 10 * 4 * 400000 * 3


def test_the_work_s_instructions(arch):
    result = guest.run("pmc stat -x, -e instructions selftest profile-work", "--arch", arch, "--deterministic")
    assert result.status == 0, result.said
    assert WORK <= int(counts(result.text)["instructions"]) <= WORK * 1.01


def test_cpus_count_separately():
    """A thread's count does not see what another CPU does meanwhile: it is the same beside an idle one."""
    own = "on 0 pmc stat -x, -e instructions selftest profile-work"
    result = guest.run(f"{own}; echo ===; on 1 spin 3000 & sleep 1; {own}; wait", "--cpus", "2", "--deterministic")
    assert result.status == 0, result.said
    alone, beside = (int(counts(part)["instructions"]) for part in result.text.split("===\n"))
    assert WORK <= alone and WORK <= beside <= alone * 1.01, (alone, beside)


# --- the counter's overflows ---


def test_overflows(arch):
    """The self-test counts records, and asks where each lies."""
    for how in ([], ["--deterministic"]):
        result = guest.run("selftest profile-overflow", "--arch", arch, *how)
        assert result.lines()[0].startswith("profile-overflow ok"), result.text


# --- without the plugin ---

MODELS = ["max", "qemu64", "Skylake-Client", "EPYC-Milan"]
SOFT_EVENTS = "context-switches,interrupts,faults,clock-cycles"


def without(result):
    assert result.status == 0, result.said
    assert "no hardware PMU" in result.text
    found = counts(result.text)
    assert int(found["context-switches"]) >= 1 and int(found["clock-cycles"]) > 0
    assert found["instructions"] == "<not supported>"


SOFT = f"dmesg; pmc list; pmc stat -x, -e {SOFT_EVENTS},instructions sleep 1"


@pytest.mark.parametrize("model", MODELS)
def test_models_without_a_pmu(model):
    without(guest.run(SOFT, "--no-pmu", "--", "-cpu", model))


@pytest.mark.skipif(bool(guest.need("gxemul")), reason=guest.need("gxemul") or "-")
def test_gxemul():
    """An R10000 whose register 25 only stores: the kernel's own emulation stands in for it."""
    result = guest.run(SOFT, "--on", "gxemul")
    without(result)


@pytest.mark.skipif(bool(guest.need("bochs-bin")), reason=guest.need("bochs-bin") or "-")
def test_bochs():
    without(guest.run(SOFT, "--on", "bochs"))
