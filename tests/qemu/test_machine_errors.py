# SPDX-License-Identifier: BSD-2-Clause
"""What the hardware reports of itself while the shell waits: each ends in a report, and the PC starts no second time."""

import pathlib
import re
import tempfile

import pytest

import gdb_remote
import guest

# A memory read error in bank 1 that was not put right, with an address (Intel SDM volume 3, 15.3.2.2).
STATUS, ADDRESS = 0xBD00000000000134, 0x123456789000
NMI_VECTOR, NMI_STATUS = 0xFFFFFFFFBFC00000, 0x00480084  # MIPS: in the ROM; BEV, NMI, ERL and KX of Status
GDB_STATUS, GDB_PC = 32, 37


def report(machine):
    text = machine.expect(rb"panic: (.*?)The machine has stopped\.")[1].decode().replace("\r", "")
    assert "stack trace:\n" in text and "last log lines:\n" in text
    return text


def starts(machine):
    return machine.received.count(guest.PROMPT)


@pytest.mark.parametrize("cpus, cpu", [(1, 0), (4, 0), (4, 2)])
def test_machine_check(arch, boot, cpus, cpu):
    if arch == "mips":
        pytest.skip("QEMU has no such command for MIPS")
    machine = boot(cpus=cpus)
    machine.prompt()
    machine.monitor(f"mce {cpu} 1 {STATUS:#x} 0x5 {ADDRESS:#x} 0x8c")
    text = report(machine)
    assert text.startswith(f"machine check, bank 1 status {STATUS:#x}, address {ADDRESS:#x}\ncpu{cpu}, ")
    assert starts(machine) == 1


def test_nmi_of_the_monitor(arch, boot):
    """QEMU's Malta has none, and says so; see the next test."""
    machine = boot()
    machine.prompt()
    answer = machine.monitor("nmi")
    if arch == "mips" and re.search("not currently supported|does not provide NMIs", answer):
        pytest.skip("QEMU's Malta has no NMI")
    assert report(machine).startswith("NMI, address 0xffffffff8")
    assert starts(machine) == 1


def test_nmi_by_the_reset_vector(arch, boot):
    """On MIPS the boot ROM is entered, and leads to the kernel's entry. A debugger does what the CPU would do."""
    if arch != "mips":
        pytest.skip("a PC's NMI has a vector of its own")
    with tempfile.TemporaryDirectory(prefix="quipu-nmi-") as folder:
        stub = pathlib.Path(folder, "gdb")
        machine = boot(arguments=["-chardev", f"socket,path={stub},server=on,wait=off,id=gdb", "-gdb", "chardev:gdb"])
        machine.prompt()
        machine.send(b"spin 3600000\r")  # a debugger does not wake a CPU that waits for an interrupt
        machine.expect(rb"spin 3600000\r\n")
        debugger = gdb_remote.Debugger(stub)
        debugger.set_among_all({GDB_STATUS: NMI_STATUS, GDB_PC: NMI_VECTOR})
        debugger.go_on()
        assert report(machine).startswith("NMI, address 0x")
        assert starts(machine) == 1


@pytest.mark.parametrize(
    "text, why",
    [
        (b"echo one\0; echo two", "not text: it has a NUL character"),
        (b"\0", "not text: it has a NUL character"),
        (b"echo one\0", "not text: it has a NUL character"),
        (b"#" * 16385, "longer than 16384 bytes"),
    ],
)
def test_script_that_is_no_text(boot, tmp_path, text, why):
    """Nothing of it is run, and the status says so."""
    module = tmp_path / "script"
    module.write_bytes(b"quipu-script 1 0123456789abcdef\n" + text)
    machine = boot(arguments=["-initrd", str(module)])
    printed = machine.expect(rb"\x010123456789abcdef begin\r?\n(.*?)\x010123456789abcdef exit (\d+)\r?\n")
    assert printed[1].decode() == f"quipu: the script is {why}; nothing of it was run\n"
    assert printed[2] == b"2"
