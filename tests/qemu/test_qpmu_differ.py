# SPDX-License-Identifier: BSD-2-Clause
"""Random instructions on a Malta (tests/qemu/qpmu/mips_differ.c) leave the same in all registers and in memory with the plugin
and without, also while a counter interrupts them. A PC's are in tests/guests."""

import subprocess

import pytest
from test_qpmu import PLUGIN, SOURCES, WAYS, build, command

import probe

EMULATORS = {"qemu-system-mips64": "-EB", "qemu-system-mips64el": "-EL"}
# public: by what every QEMU exports, with which interrupts come late.
PLUGINS = {"plain": "", "icount": "", "public": ",public=only,transparent=on"}
PERIODS = (10007, 1009, 101, 37)
EXECUTED = 400 * 8 * 120  # at least: streams, turns and instructions of each
PATIENCE = 300  # seconds, on a busy host

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="build/plugins/qpmu.so is not built")


def run(emulator, kernel, plugin, *more):
    argv = [emulator, *command("mips", kernel, *more, plugin=plugin)[1:]]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
    lines = done.stdout.splitlines()
    assert lines[-1:] == ["end 0"], done
    return lines[:-1]


@pytest.mark.timeout(2 * PATIENCE)
@pytest.mark.parametrize("way", PLUGINS)
@pytest.mark.parametrize("emulator", EMULATORS)
def test_random_instructions_do_the_same(emulator, way, tmp_path):
    reason = probe.transparent(emulator)
    if reason:
        pytest.skip(reason)
    kernel = build("mips", SOURCES / "mips_differ.c", tmp_path / "kernel", EMULATORS[emulator])
    more = WAYS.get(way, [])
    without = run(emulator, kernel, None, *more)
    said = run(emulator, kernel, str(PLUGIN) + PLUGINS[way], *more)
    streams = [line for line in without if line.startswith("stream ")]
    assert len(set(streams)) == 400
    assert without == streams + ["wrong 0", "taken 0"] * len(PERIODS)
    assert said[: len(streams)] == streams
    assert said[len(streams) :: 2] == ["wrong 0"] * len(PERIODS)
    taken = [int(line.split()[1]) for line in said[len(streams) + 1 :: 2]]
    assert all(count >= EXECUTED // (2 * period) for count, period in zip(taken, PERIODS)), taken
