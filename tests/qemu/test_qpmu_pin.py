# SPDX-License-Identifier: BSD-2-Clause
"""The pin by which a MIPS' counters interrupt, shared with the timer (tests/qemu/qpmu/mips_pin.c), and what comes of it where
QEMU does not show its pins."""

import subprocess

import pytest
from test_qpmu import BOARDS, PLUGIN, SOURCES, WAYS, build, command
from test_qpmu_restart import Emulator

import guest
import probe

PIN, TIMER, COUNTERS = 100, 10, 1
# What mfc0 of Cause shows: R2's counters and timer say who it is, on others there is the pin.
LAYOUTS = {
    "r2": ("MIPS64R2-generic", "", ["-DRELEASE_2"], TIMER, COUNTERS),
    "r10k": ("MIPS64R2-generic", ",mips=r10k", ["-DRELEASE_2", "-DEVENT=15u"], TIMER, 0),
    "r10k-release-1": ("20Kc", ",mips=r10k", ["-DEVENT=15u", "-march=mips64"], 0, 0),
}

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="build/plugins/qpmu.so is not built")


def need():
    if reason := probe.transparent(BOARDS["mips"][0]):
        pytest.skip(reason)


def on(cpu):
    """The test machine's command with that CPU."""
    return [word if word != "MIPS64R2-generic" else cpu for word in BOARDS["mips"]]


@pytest.mark.parametrize("way", ("plain", "icount"))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_timer_and_counters_share_the_pin(layout, way, tmp_path, monkeypatch):
    need()
    cpu, more, defines, timer, counters = LAYOUTS[layout]
    monkeypatch.setitem(BOARDS, "mips", on(cpu))
    kernel = build("mips", SOURCES / "mips_pin.c", tmp_path / "kernel", *defines)
    with Emulator("mips", kernel, *WAYS[way], plugin=f"{PLUGIN}{more}") as emulator:
        lines = emulator.until("end 0")
        emulator.end()
    steps = {"new": 0, "counter": PIN + counters, "neither": 0, "timer": PIN + timer, "counter joins": PIN + timer + counters}
    steps |= {"counter leaves": PIN + timer, "timer leaves": PIN + counters}
    expected = [f"{name} {bits}" for name, bits in steps.items()] + ["neither 0"]
    if timer:
        expected += [f"timer joins {PIN + timer + counters}", f"timer leaves {PIN + counters}", "neither 0"]
    expected += ["neither 0"]
    assert lines == ["boot 0", *expected, f"both {PIN + timer + counters}", "boot 1", *expected, "end 0"]
    assert emulator.errors == ""


@pytest.mark.parametrize("argument,says", [("", False), (",pin=7", True), (",pin=4", False), (",mips=r10k", True)])
def test_where_pins_are_not_shown(argument, says, tmp_path):
    """Whoever wants or needs the timer's pin is told; the counters have the UART's."""
    need()
    kernel = build("mips", SOURCES / "mips_pmi.c", tmp_path / "kernel", "-DPIN=4", f"-DEVENT={15 if 'r10k' in argument else 1}u", "-DSAMPLES=50")
    plugin = f"{PLUGIN},transparent=on,public=only{argument}"
    done = subprocess.run(command("mips", kernel, plugin=plugin), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=guest.PATIENCE, check=False)
    assert done.stdout.splitlines()[0] == "boot 0", done
    assert any(line.startswith("even 50 ") for line in done.stdout.splitlines()), done
    assert ("qpmu: pin=7: this QEMU does not show its CPU's pins; overflows come at pin 4" in done.stderr) == says
