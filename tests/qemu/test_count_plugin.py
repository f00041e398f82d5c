# SPDX-License-Identifier: BSD-2-Clause
"""tools/plugins/count.c, which `make bench` believes: its totals of all CPUs beside an independent plugin's, its ranges
beside the number of times that an instruction of them was executed."""

import subprocess

import pytest

import guest

PLUGINS = guest.ROOT / "build" / "plugins"
COMMAND = "bench idle 2"
BUSY = "on 1 spin 2000 & " + COMMAND  # so that another CPU does more than the one that counts


def machine(arch, cpus, plugin, commands):
    options = ["--deterministic", "--no-pmu", "--append", "quiet", "--", "-plugin", plugin]
    result = guest.run(commands, "--arch", arch, "--cpus", cpus, *options)
    assert result.status == 0, result.said


def independent(arch, cpus, commands, begin, end, out):
    """Instructions of all CPUs from BEGIN until END is executed; from there on the run is the same each time."""
    machine(arch, cpus, f"{PLUGINS}/instructions.so,out={out},guest=x86,from={begin:#x},until={end:#x}", commands)
    rows = [line.split() for line in out.read_text().splitlines()]
    assert cpus == 1 or sum(int(count) > 1000 for _, count in rows) > 1, rows
    return sum(int(count) for _, count in rows)


@pytest.mark.parametrize("cpus", [1, 3])
def test_totals_are_of_all_cpus(cpus, tmp_path):
    """On the PC: of a branch likely on MIPS that is not taken count.c counts the slot, as QEMU starts it."""
    arch = "x86_64"
    commands, out, at = BUSY if cpus > 1 else COMMAND, tmp_path / "out", guest.symbols(arch)
    begin, end = at["bench_idle_begin"], at["bench_idle_end"]
    expected = independent(arch, cpus, commands, begin, end, out) + 1  # the last one
    machine(arch, cpus, f"{PLUGINS}/count.so,out={out},from={begin:#x},until={end:#x}", commands)
    total = int(out.read_text().split()[3])
    assert total == expected > (1000000 if cpus > 1 else 500)


def test_ranges(arch, tmp_path):
    """Ranges of an instruction each: as often as hits.c saw two of them, and once each where counting begins and ends."""
    out, seen, at = tmp_path / "out", tmp_path / "seen", guest.symbols(arch)
    first, second = at["interrupt_dispatch"], at["timer_run"]
    begin, end = at["bench_idle_begin"], at["bench_idle_end"]
    ranges = ",".join(f"within={place:#x},to={place + 1:#x}" for place in (first, second, begin, end))
    count = f"{PLUGINS}/count.so,out={out},{ranges},from={begin:#x},until={end:#x}"
    hits = f"{PLUGINS}/hits.so,out={seen},addr={first:#x},addr={second:#x}"
    hits_until = {}
    for mark in (begin, end):
        machine(arch, 1, f"{hits},mark={mark:#x}", COMMAND)
        hits_until[mark] = [int(line.split()[1]) for line in seen.read_text().splitlines()]
    machine(arch, 1, count, COMMAND)
    within = int(out.read_text().split()[4])
    assert within - 2 == sum(hits_until[end]) - sum(hits_until[begin]) > 2
    assert all(b > a for a, b in zip(hits_until[begin], hits_until[end]))


@pytest.mark.parametrize("words", ["within=0x1000", "to=0x2000", "within=0x2000,to=0x1000", "within=1,within=2,to=3"])
def test_bad_ranges(words, tmp_path):
    plugin = f"{PLUGINS}/count.so,out={tmp_path / 'out'},{words},from=0,until=1"
    command = ["qemu-system-x86_64", "-display", "none", "-S", "-plugin", plugin]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0 and "count: " in done.stderr
