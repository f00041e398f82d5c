# SPDX-License-Identifier: BSD-2-Clause
"""Records of overflows by the million: N events with a period of P make floor(N / P), none lost where the guest takes them in time."""

import pytest

import test_qpmu
from test_qpmu import SOURCES, WAYS, boot, build

PERIOD = 251
RECORDS = 1000000

pytestmark = test_qpmu.pytestmark


def results(arch, folder, *more, cpus=1, records=RECORDS, own=0):
    """What each CPU says."""
    flags = [f"-DPERIOD={PERIOD}ull", f"-DRECORDS={records // cpus}", f"-DCPUS={cpus}", f"-DOWN={own}"]
    kernel = build(arch, SOURCES / "sampling.c", folder / "kernel", *flags)
    lines = boot(arch, kernel, *more)
    assert len(lines) == 7 * cpus, lines
    numbers = [(name, int(number)) for name, number in (line.split() for line in lines)]
    return [dict(numbers[n : n + 7]) for n in range(0, len(numbers), 7)]


def check(each, cpus, records, ring):
    assert sum(cpu["records"] for cpu in each) >= records
    for cpu in each:
        assert cpu["wrong"] == 0 and cpu["lost"] == 0, cpu
        assert cpu["records"] == cpu["events"] // PERIOD, cpu
        assert cpu["records"] >= records // cpus
        # Nobody takes any: the ring keeps what it has room for, and the rest is counted.
        assert cpu["full"] == ring and cpu["more"] > ring, cpu
        assert cpu["full"] + cpu["more"] == cpu["all"] // PERIOD, cpu


@pytest.mark.parametrize("own", [0, 8192])
def test_a_million_records(arch, own, tmp_path):
    check(results(arch, tmp_path, own=own), 1, RECORDS, own or 512)


@pytest.mark.parametrize("own", [0, 8192])
@pytest.mark.parametrize("cpus", [2, 4])
def test_a_million_records_on_several_cpus(cpus, own, tmp_path):
    check(results("x86_64", tmp_path, "-smp", str(cpus), cpus=cpus, own=own), cpus, RECORDS, own or 512)


@pytest.mark.parametrize("way", ["icount", "icount-3", "singlestep"])
def test_however_qemu_executes(arch, way, tmp_path):
    check(results(arch, tmp_path, *WAYS[way], records=20000, own=1024), 1, 20000, 1024)
