# SPDX-License-Identifier: BSD-2-Clause
"""Records of overflows by the million: N events with a period of P make floor(N / P), none lost where the guest takes them in time."""

import socket

import pytest

import test_qpmu
from test_qpmu import SOURCES, WAYS, boot, build

PERIOD = 251
RECORDS = 1000000

pytestmark = test_qpmu.pytestmark


def results(arch, folder, *more, cpus=1, records=RECORDS, own=0, flags=(), **how):
    """What each CPU says."""
    flags = [*flags, f"-DPERIOD={PERIOD}ull", f"-DRECORDS={records // cpus}", f"-DCPUS={cpus}", f"-DOWN={own}"]
    kernel = build(arch, SOURCES / "sampling.c", folder / "kernel", *flags)
    lines = boot(arch, kernel, *more, **how)
    assert len(lines) == 8 * cpus, lines
    numbers = [(name, int(number)) for name, number in (line.split() for line in lines)]
    return [dict(numbers[n : n + 8]) for n in range(0, len(numbers), 8)]


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


def bytes_sent(arch, folder, leave):
    """How often the guest was told, and its rounds; it does not answer."""
    path = folder / "irq"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        flags = [f"-DLEAVE={leave}", "-DINTERRUPT=1"]
        (each,) = results(arch, folder, records=4000, own=1024, flags=flags, plugin=f"{test_qpmu.PLUGIN},irq={path}")
        connection, _ = listener.accept()
    with connection:
        sent = b"".join(iter(lambda: connection.recv(4096), b""))
    assert set(sent) == set(b"!")
    return len(sent), each["rounds"]


def test_a_ring_that_is_never_empty(arch, tmp_path):
    """A guest that leaves one record each time, as one that makes the next while it takes the last, is told as the ring fills: at
    each sixteenth from the fourth to the twelfth, where it takes them. Besides, of the first one ever; and at the end it takes
    all, and then none: it is told of the first, and from the fourth to the fifteenth."""
    sent, rounds = bytes_sent(arch, tmp_path, 1)
    assert rounds == 5
    assert sent == 1 + 9 * rounds + 1 + 12
