# SPDX-License-Identifier: BSD-2-Clause
"""Counters that interrupt bare guests which know nothing of the plugin qpmu (tests/qemu/qpmu/ARCH_pmi.c): each interrupt comes
at the instruction that follows from the period, of all CPUs, and a reset leaves nothing behind."""

import os

import pytest
from test_qpmu import BOARDS, PLUGIN, SOURCES, build
from test_qpmu_restart import FLAGS, Emulator

import probe

LONG = os.environ.get("GUESTS") == "long"
PATIENCE = 900  # seconds, on a busy host
SAMPLES = 1_000_000 if LONG else 20_000  # in each pass, of all CPUs together
WAYS = {
    "one": (1, []),
    "one-icount": (1, ["-icount", "shift=1,sleep=off"]),
    "four": (4, []),
    "four-icount": (4, ["-icount", "shift=1,sleep=off"]),
}
PASSES = {"x86_64": ("vector", "nmi", "nested", "short"), "mips": ("even", "odd", "short")}
TIMES = 600  # of a timer whose interrupt meets the overflow (x86_64)
# What registers hold after a reset.
NEW = {"x86_64": {"control": "15 0", "select": "0 0", "counter": "0 0"}, "mips": {"control": "2147483648 0", "counter": "0 0"}}
CPUS = {"x86_64": (1, 4), "mips": (1,)}  # a Malta's interrupt reaches its first CPU only

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="build/plugins/qpmu.so is not built")


def run(arch, folder, defines, *more, **how):
    """What the guest says, and the errors."""
    kernel = build(arch, SOURCES / f"{arch}_pmi.c", folder / "kernel", *FLAGS[arch], *defines)
    with Emulator(arch, kernel, *more, patience=PATIENCE, **how) as emulator:
        lines = emulator.until("end 0")
        emulator.end()
    return lines, emulator.errors


@pytest.mark.timeout(PATIENCE)
@pytest.mark.parametrize("way", WAYS)
def test_every_interrupt_comes_at_its_instruction(arch, way, tmp_path):
    cpus, more = WAYS[way]
    if cpus not in CPUS[arch]:
        pytest.skip("a Malta's counters interrupt the first CPU only")
    reason = probe.transparent(BOARDS[arch][0])
    if reason:
        pytest.skip(reason)
    smp = ["-smp", str(cpus)] if cpus > 1 else []
    told, errors = run(arch, tmp_path, [f"-DCPUS={cpus}", f"-DSAMPLES={SAMPLES // cpus}"], *more, *smp)
    new = [f"{name} {holds} = {holds}" for name, holds in NEW[arch].items()]
    passes = [f"{name} {SAMPLES // cpus} 0 = {SAMPLES // cpus} 0" for name in PASSES[arch] for _ in range(cpus)]
    if arch == "x86_64":
        passes += [f"timer {TIMES} 0 = {TIMES} 0"] * cpus + ["fault 1 0 = 1 0"] * cpus
    assert errors == ""  # it would be told if some came late
    assert told == [*["boot 0", *new, *passes], *["boot 1", *new, *passes], "end 0"], (told, errors)


# Beside the default, an R2's on the timer's pin: what the plugin is told, and the guest; what its control register has at first.
MALTAS = {"pin-4": (",pin=4", ["-DPIN=4"], 1 << 31), "r10k": (",mips=r10k", ["-DEVENT=15u", "-DSELECTS=0"], 0)}


@pytest.mark.timeout(PATIENCE)
@pytest.mark.parametrize("way", ("one", "one-icount"))
@pytest.mark.parametrize("malta", MALTAS)
def test_on_either_pin_and_of_either_layout(malta, way, tmp_path):
    if reason := probe.transparent(BOARDS["mips"][0]):
        pytest.skip(reason)
    argument, defines, control = MALTAS[malta]
    told, errors = run("mips", tmp_path, [*defines, f"-DSAMPLES={SAMPLES}"], *WAYS[way][1], plugin=f"{PLUGIN}{argument}")
    assert errors == ""
    parts = [f"control {control} 0 = {control} 0", "counter 0 0 = 0 0", *(f"{name} {SAMPLES} 0 = {SAMPLES} 0" for name in PASSES["mips"])]
    assert told == ["boot 0", *parts, "boot 1", *parts, "end 0"], (told, errors)
