# SPDX-License-Identifier: BSD-2-Clause
"""Performance counters: exact where qpmu counts, and honest where nobody does."""

import re

import pytest

import guest
import linux_program

EXACT = "pmu-user pmu-kernel pmu-branches pmu-modes pmu-predict pmu-overflow pmu-lost"
MORE = {"x86_64": "pmu-string", "mips": "pmu-supervisor pmu-memory pmu-cache"}
USER = "user-call user-fault user-interrupts"
NOTHING = {"x86_64": "pmu: no hardware PMU", "mips": "pmu: no hardware PMU"}
MODELS = ["max", "qemu64", "Skylake-Client", "EPYC-Milan"]


def passes(result):
    """Whether the run ended well and nothing was skipped."""
    assert result.status == 0, result.said
    assert " 0 failed" in result.text and "skipped" not in result.text, result.text


@pytest.mark.parametrize("how", [[], ["--deterministic"]], ids=["free", "icount"])
def test_counts_are_exact(arch, how):
    passes(guest.run(f"selftest {EXACT} {MORE[arch]}", "--arch", arch, *how))


def test_counts_are_exact_on_several_cpus():
    passes(guest.run(f"selftest {EXACT} pmu-string pmu-soft {USER}", "--cpus", 4))


def test_overflows_interrupt(arch):
    result = guest.run("selftest pmu-interrupt; vmstat -e", "--arch", arch)
    assert "pmu-interrupt ok" in result.text
    assert "pmu overflows" in result.text


def test_without_interrupts_the_ring_is_polled(arch):
    result = guest.run("selftest pmu-interrupt pmu-overflow", "--arch", arch, "--deterministic")
    assert "pmu-interrupt skipped" in result.text and "pmu-overflow ok" in result.text


@pytest.mark.parametrize("model", MODELS)
def test_no_counters(model):
    """CPUID says nothing, MSRs swallow writes, and leaf 8000_0022 looks like AMD's."""
    result = guest.run(f"dmesg; selftest pmu-soft {USER}", "--no-pmu", "--", "-cpu", model)
    passes(result)
    assert NOTHING["x86_64"] in result.text


@pytest.mark.parametrize("model", MODELS)
def test_counters_on_other_models(model):
    passes(guest.run("selftest pmu-user pmu-modes pmu-overflow", "--", "-cpu", model))


def test_malta_emulates_the_r10000():
    result = guest.run(f"dmesg; selftest pmu-emulated pmu-soft user-supervisor {USER}", "--arch", "mips", "--no-pmu")
    passes(result)
    assert NOTHING["mips"] in result.text


def test_what_malta_emulates():
    """Refills are those that the kernel's handler counted, but for those of the shell's own; cycles are two for each step of
    Count, so a third of the nanoseconds that the counter ran."""
    why = linux_program.missing("mips")
    if why:
        pytest.skip(why)
    looks = [f"pmc stat -x , -e tlb-refill-exceptions:{modes},cycles:{modes} tlb 500" for modes in ("u", "uk")]
    script = "; vmstat -e; ".join(["sysctl -n hw.clockrate", *looks, ""])
    result = guest.run(script, "--arch", "mips", "--no-pmu", "--deterministic")
    kernel = [0] + [int(count) for count in re.findall(r"^cpu0 TLB refill user +(\d+)", result.text, re.M)]
    refills = [int(n) for n in re.findall(r"^(\d+),,tlb-refill-exceptions:", result.text, re.M)]
    cycles = [(int(n), int(ns)) for n, ns in re.findall(r"^(\d+),,cycles:[uk]+,(\d+),", result.text, re.M)]
    assert len(kernel) == 3 and len(refills) == len(cycles) == 2, result.said
    others = [after - before - count for before, after, count in zip(kernel, kernel[1:], refills)]
    assert all(count > 100 * 1000 for count in refills) and 0 <= others[0] < 1000 and abs(others[1]) < 1000, (kernel, refills)
    (user, _), (both, ns) = cycles
    per_ns = 2 * int(result.lines()[0]) / 1000
    assert abs(both / ns / per_ns - 1) < 0.01 and both / 2 < user < both, cycles


@pytest.mark.skipif(bool(guest.need("gxemul")), reason=guest.need("gxemul") or "-")
def test_gxemul():
    """An R10000 by its number, whose register 25 keeps what is written and counts nothing."""
    result = guest.run("dmesg; selftest pmu-emulated pmu-soft", "--on", "gxemul")
    passes(result)
    assert NOTHING["mips"] in result.text


@pytest.mark.skipif(bool(guest.need("bochs-bin")), reason=guest.need("bochs-bin") or "-")
def test_bochs():
    result = guest.run("dmesg; selftest pmu-soft user-call user-fault", "--on", "bochs")
    passes(result)
    assert NOTHING["x86_64"] in result.text
