# SPDX-License-Identifier: BSD-2-Clause
"""Debian 12's Linux on a Malta finds qpmu's counters as a 24K's, by its own driver: what they count is exact, and every sample
lies where it has to. Only where the timer interrupts at the same instruction, its pin goes first, and Linux comes to the
counters' when it enables interrupts."""

import os
import shutil

import pytest

import guest
import linux_guest
import probe

TURNS = 10_000_000  # the difference of the guest's two loops, of two instructions each
SAMPLES = 10_000_000 // 10_007
MODES = {"plain": [], "icount": ["-icount", "shift=1,sleep=off"]}
SHORT = ("plain",)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    reason = probe.transparent("qemu-system-mipsel")
    if reason:
        pytest.skip(reason)
    compiler = linux_guest.COMPILERS["mipsel"]
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    image, reason = linux_guest.kernel_of("mipsel")
    if reason:
        pytest.skip(reason)
    return image, linux_guest.program("mipsel", "perf_guest", tmp_path_factory.mktemp("malta"))


@pytest.mark.timeout(linux_guest.PATIENCE)
@pytest.mark.parametrize("mode", MODES)
def test_counts_and_samples_are_exact(parts, mode):
    if mode not in SHORT and os.environ.get("GUESTS") != "long":
        pytest.skip("GUESTS=long (make guests)")
    image, archive = parts
    plugin = ["-plugin", linux_guest.PLUGIN]
    said = linux_guest.run(linux_guest.command("mipsel", image, archive, "rdinit=/init", *plugin, *MODES[mode]))
    assert "mips/24K PMU enabled, 2 32-bit counters" in said.text
    assert said.all("instructions") == [2 * TURNS]
    assert said.all("branches") == [TURNS]
    # A branch that is parted from its delay slot, which -icount makes possible, costs its cycles twice.
    assert said.all("cycles") == [2 * TURNS] or mode == "icount"
    assert said.all("samples") == [SAMPLES]
    assert said.all("samples-behind-timer")[0] <= SAMPLES // 100  # 35 of 999,000, beside a load
    for nothing in ("samples-outside", "samples-elsewhere", "other-records", "flags-wrong"):
        assert said.all(nothing) == [0], nothing
