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
PASSES = {"x86_64": ("vector", "nmi", "nested"), "mips": ("even", "odd")}
TIMES = 600  # of a timer whose interrupt meets the overflow (x86_64)
# What registers hold after a reset.
NEW = {"x86_64": {"control": "15 0", "select": "0 0", "counter": "0 0"}, "mips": {"control": "2147483648 0", "counter": "0 0"}}
CPUS = {"x86_64": (1, 4), "mips": (1,)}  # a Malta's interrupt reaches its first CPU only

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="build/plugins/qpmu.so is not built")


@pytest.mark.timeout(PATIENCE)
@pytest.mark.parametrize("way", WAYS)
def test_every_interrupt_comes_at_its_instruction(arch, way, tmp_path):
    cpus, more = WAYS[way]
    if cpus not in CPUS[arch]:
        pytest.skip("a Malta's counters interrupt the first CPU only")
    reason = probe.transparent(BOARDS[arch][0])
    if reason:
        pytest.skip(reason)
    defines = [f"-DCPUS={cpus}", f"-DSAMPLES={SAMPLES // cpus}"]
    kernel = build(arch, SOURCES / f"{arch}_pmi.c", tmp_path / "kernel", *FLAGS[arch], *defines)
    smp = ["-smp", str(cpus)] if cpus > 1 else []
    with Emulator(arch, kernel, *more, *smp, patience=PATIENCE) as emulator:
        lines = emulator.until("end 0")
        emulator.end()
    new = [f"{name} {holds} = {holds}" for name, holds in NEW[arch].items()]
    passes = [f"{name} {SAMPLES // cpus} 0 = {SAMPLES // cpus} 0" for name in PASSES[arch] for _ in range(cpus)]
    if arch == "x86_64":
        passes += [f"timer {TIMES} 0 = {TIMES} 0"] * cpus + ["fault 1 0 = 1 0"] * cpus
    assert emulator.errors == ""  # it would be told if some came late
    assert lines == [*["boot 0", *new, *passes], *["boot 1", *new, *passes], "end 0"], (lines, emulator.errors)
