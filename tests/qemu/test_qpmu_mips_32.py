# SPDX-License-Identifier: BSD-2-Clause
"""A 24K's counters on 32-bit Maltas of both byte orders (tests/qemu/qpmu/mips_32.S), against what follows from the loop's instructions."""

import subprocess

import pytest
from test_qpmu import MIPS, PLUGIN, SOURCES, WAYS, command

import guest
import probe

EMULATORS = {"qemu-system-mips": "-EB", "qemu-system-mipsel": "-EL"}
SMALL, LARGE, TURNS = 1000, 501000, 100000
LOOP = 3  # instructions of a turn
BEFORE = 2  # counted besides: the write that begins, which is executed when it graduates, and ehb; not the write that ends
PRESETS = (5000, 5301, 5302)  # below the limit: the last one's overflow is before the delay slot
PCI = 1 << 26  # of Cause

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="build/plugins/qpmu.so is not built")


@pytest.mark.parametrize("way", ("plain", "icount"))
@pytest.mark.parametrize("pin", (7, 4))
@pytest.mark.parametrize("emulator", EMULATORS)
def test_counts_and_interrupts(emulator, pin, way, tmp_path):
    if reason := probe.transparent(emulator) or guest.need(MIPS + "gcc"):
        pytest.skip(reason)
    kernel = tmp_path / "kernel"
    flags = ["-mabi=32", "-march=24kf", "-mno-abicalls", "-fno-pic", "-G0", "-nostdlib", "-static", "-Wl,-Ttext=0x80100000,--build-id=none", f"-DPIN={pin}"]
    subprocess.run([MIPS + "gcc", *flags, EMULATORS[emulator], "-o", kernel, SOURCES / "mips_32.S"], check=True)
    argv = [emulator, *command("mips", kernel, "-cpu", "24Kf", *WAYS[way], plugin=f"{PLUGIN},pin={pin}")[1:]]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=guest.PATIENCE, check=False)
    said = [int(line, 16) for line in done.stdout.split()]
    assert len(said) == 4 + 5 * len(PRESETS), done
    config, control, small, large, *interrupts = said
    assert config & 1 << 4  # PC: it has counters
    assert control >> 26 & 7 == pin  # IPPCI
    assert (small, large) == (BEFORE + LOOP * SMALL, BEFORE + LOOP * LARGE)
    for n, preset in enumerate(PRESETS):
        left, offset, cause, afterwards, counter = interrupts[5 * n : 5 * n + 5]
        # The instruction that overflows is the PRESET'th; a delay slot behind it is not parted from its branch.
        executed = preset - BEFORE
        slot = executed % LOOP == 2
        turns, at = divmod(executed + slot, LOOP)
        assert (TURNS - left, offset) == (turns + (at > 0), 4 * at), preset
        assert (cause & (PCI | 256 << pin), afterwards & (PCI | 256 << pin)) == (PCI | 256 << pin, 0)
        assert counter == (1 << 31) + slot  # nothing is counted at exception level
