# SPDX-License-Identifier: BSD-2-Clause
"""Debian 12's Linux on a Malta finds qpmu's counters as a 24K's, by its own driver: what they count is exact, and every sample
lies where it has to. Only where the timer interrupts at the same instruction, its pin goes first, and Linux comes to the
counters' when it enables interrupts."""

import os
import shutil
import subprocess

import pytest

import guest
import linux_guest
import probe

TURNS = 10_000_000  # the difference of the guest's two loops, of two instructions each
SAMPLES = 10_000_000 // 10_007
COMPILER = "mipsel-linux-gnu-gcc"
MODES = {"plain": [], "icount": ["-icount", "shift=1,sleep=off"]}
SHORT = ("plain",)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    reason = probe.transparent("qemu-system-mipsel")
    if reason:
        pytest.skip(reason)
    if not shutil.which(COMPILER):
        pytest.skip(f"{COMPILER} is not installed")
    image, reason = linux_guest.kernel("linux-image-4kc-malta", "mipsel", "bookworm")
    if reason:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("malta")
    source = guest.ROOT / "tests" / "guests" / "perf_guest.c"
    subprocess.run([COMPILER, "-O2", "-Wall", "-Werror", "-static", "-o", folder / "init", source], check=True)
    linux_guest.initrd(folder / "init", folder / "initrd.gz")
    return image, folder / "initrd.gz"


@pytest.mark.timeout(linux_guest.PATIENCE)
@pytest.mark.parametrize("mode", MODES)
def test_counts_and_samples_are_exact(parts, mode):
    if mode not in SHORT and os.environ.get("GUESTS") != "long":
        pytest.skip("GUESTS=long (make guests)")
    image, archive = parts
    said = linux_guest.run(
        ["qemu-system-mipsel", "-M", "malta", "-cpu", "24Kf", "-m", "256", "-display", "none", "-serial", "stdio", "-no-reboot",
         "-kernel", image, "-initrd", archive, "-append", "console=ttyS0 rdinit=/init loglevel=7 panic=-1",
         "-plugin", linux_guest.PLUGIN, *MODES[mode]]
    )  # fmt: skip
    assert "mips/24K PMU enabled, 2 32-bit counters" in said.text
    assert said.all("instructions") == [2 * TURNS]
    assert said.all("branches") == [TURNS]
    # A branch that is parted from its delay slot, which -icount makes possible, costs its cycles twice.
    assert said.all("cycles") == [2 * TURNS] or mode == "icount"
    assert said.all("samples") == [SAMPLES]
    assert said.all("samples-behind-timer")[0] <= SAMPLES // 100  # 35 of 999,000, beside a load
    for nothing in ("samples-outside", "samples-elsewhere", "other-records", "flags-wrong"):
        assert said.all(nothing) == [0], nothing
