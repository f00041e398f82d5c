# SPDX-License-Identifier: BSD-2-Clause
"""A device that nobody serves holds a level-triggered line up, together with a disk that is served on the same line:
QEMU's `edu`, whose registers QEMU's qtest socket writes. On Malta QEMU has no such device; there the self-tests
interrupt-storm do it."""

import pathlib
import re
import socket
import tempfile
import time

import pytest

from test_virtio import count, crc, disk

EDU = "1234:11e8"
RAISE, LOWER = 0x60, 0x64
STORM = 1000


class Registers:
    """The edu device's, from outside."""

    def __init__(self, path, base):
        self._base = base
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))

    def write(self, offset, value):
        self._socket.sendall(f"writel {self._base + offset:#x} {value:#x}\n".encode())
        assert self._socket.recv(100).startswith(b"OK")


@pytest.fixture
def stuck(arch, boot, tmp_path):
    """(machine, registers, name of the line) with a disk on the same line."""
    if arch == "mips":
        pytest.skip("QEMU's Malta has no edu")
    with tempfile.TemporaryDirectory(prefix="quipu-edu-") as folder:
        path = pathlib.Path(folder, "qtest")
        arguments = disk(tmp_path / "source.img", seed=1) + ["-device", "edu"]
        machine = boot(words="quiet", arguments=arguments + ["-qtest", f"unix:{path},server=on,wait=off"])
        machine.prompt()
        cards = re.split(r"^(?=\S)", machine.command("lspci -v"), flags=re.M)
        edu = next(card for card in cards if EDU in card)
        line = re.search(r"line (\d+)", edu)[1]
        assert any("1af4:" in card and f"line {line}" in card for card in cards)
        machine.command("dd if=vd0 of=null count=1")  # the disk's handler is on its line
        yield machine, Registers(path, int(re.search(r"base 0: ([0-9a-f]+)", edu)[1], 16)), f"ioapic0 pin {line}"


def wait_for(machine, command, text, patience=60):
    deadline = time.monotonic() + patience
    while text not in (printed := machine.command(command)):
        assert time.monotonic() < deadline, printed
    return printed


def test_a_line_that_is_stuck(stuck, tmp_path):
    machine, registers, line = stuck
    data = (tmp_path / "source.img").read_bytes()
    assert count(machine, f"{line} storms") == 0
    registers.write(RAISE, 1)
    printed = wait_for(machine, "intrctl list", "nobody claims it")
    row = next(row for row in printed.splitlines() if row.startswith(line))
    assert row.endswith("vd0 (masked: nobody claims it)")
    for _ in range(3):  # one is told of, then all are counted
        before = count(machine, f"{line} storms")
        deadline = time.monotonic() + 60
        while count(machine, f"{line} storms") == before:
            assert time.monotonic() < deadline
    log = machine.command("dmesg")
    assert log.count(f"{line}: {STORM} interrupts in a row that no device claims: masked, tried each second") == 1
    # The disk on the line is slow, and right.
    assert machine.command("sum vd0 0 4") == crc(data[:2048]) + " vd0\n"
    registers.write(LOWER, 1)
    wait_for(machine, "dmesg", f"{line}: quiet again")
    assert "nobody claims it" not in machine.command("intrctl list")
    storms = count(machine, f"{line} storms")
    assert count(machine, f"{line} spurious") >= storms * STORM
    assert machine.command("sum vd0 0 4") == crc(data[:2048]) + " vd0\n"
    assert count(machine, f"{line} storms") == storms
    laws = machine.command("laws line")
    assert "ok" in laws and "BROKEN" not in laws.upper(), laws
