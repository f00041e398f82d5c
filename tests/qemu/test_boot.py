# SPDX-License-Identifier: BSD-2-Clause
"""What the kernel makes of memory sizes, words, other emulators and nonsense."""

import re
import subprocess
import time

import pexpect
import pytest

import gdb_remote
import guest
import options
import qemu

SIZES = {"x86_64": [16, 17, 64, 1024, 3072, 4096], "mips": [16, 17, 64, 256, 257, 1024, 2048]}


@pytest.mark.parametrize("arch,size", [(arch, size) for arch, sizes in SIZES.items() for size in sizes])
def test_memory(arch, size):
    """`mem` speaks of what QEMU gave, less what firmware and the board keep (under 2 MiB)."""
    result = guest.run("mem", "--arch", arch, "--memory", size)
    assert result.status == 0, result.said
    kib = int(re.search(r"^memory +(\d+) KiB", result.text, re.M).group(1))
    assert size * 1024 - 2048 <= kib <= size * 1024


def test_iso_is_small():
    iso = options.ROOT / "build" / "x86_64" / "quipu.iso"
    assert iso.stat().st_size < 3 << 20


def test_iso_has_programs(tmp_path):
    """The ISO as `make iso` leaves it, without a script: its programs are in /bin."""
    iso = options.ROOT / "build" / "x86_64" / "quipu.iso"
    chosen = options.Options(arch="x86_64", pmu=False)
    command = qemu.machine(chosen) + ["-cdrom", str(iso), "-boot", "d", "-monitor", "none", "-serial", "stdio"]
    machine = pexpect.spawn(command[0], command[1:], timeout=guest.PATIENCE)
    machine.expect_exact("quipu> ")
    machine.send("echo abcd | /bin/sort | wc -c\r")
    machine.expect(r"\n5\r")
    machine.close(force=True)


def test_iso_with_words():
    result = guest.run("vmstat -i -v", "--boot", "iso", "--append", "apic=off")
    assert result.status == 0, result.said
    assert "i8259 irq 4" in result.text and "ioapic0" not in result.text


def test_i8259_fallback():
    result = guest.run("sleep 0.1; vmstat -i -v", "--append", "apic=off")
    assert result.status == 0, result.said
    assert "i8259 irq 4" in result.text and "ioapic0" not in result.text
    assert "ioapic0 pin 4" in guest.run("vmstat -i -v").text


def test_unknown_word(quipu):
    result = quipu("dmesg", "--append", "frobnicate=7 quiet")
    assert result.status == 0, result.said
    assert 'boot: unknown word "frobnicate=7"' in result.text
    assert '"quiet"' not in result.text


def test_first_word_is_no_unknown_word(quipu):
    assert "unknown word" not in quipu("dmesg").text
    assert "unknown word" not in guest.run("dmesg", "--boot", "iso").text


def test_help_boot(quipu):
    assert "quiet" in quipu("help boot").text
    assert "apic" in guest.run("help boot").text


def test_no_multiboot_magic(tmp_path):
    """Entered with another EAX than multiboot's, the kernel says so on the serial line."""
    entry = guest.symbols("x86_64")["start"] & 0x7FFFFFFF
    serial, stub = tmp_path / "serial", tmp_path / "gdb"
    chosen = options.Options(arch="x86_64", pmu=False)
    command = qemu.machine(chosen) + qemu.boot(chosen, tmp_path, None)
    command += ["-monitor", "none", "-serial", f"file:{serial}", "-S", "-gdb", f"unix:{stub},server=on"]
    command += ["-no-reboot"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as machine:
        try:
            debugger = gdb_remote.Debugger(stub)
            debugger.run_to(entry)
            debugger.set_register(0, 0x12345678)
            debugger.go_on()
            deadline = time.monotonic() + guest.PATIENCE
            while b"multiboot" not in serial.read_bytes():
                assert time.monotonic() < deadline, serial.read_bytes()
                time.sleep(0.1)
        finally:
            machine.kill()


@pytest.mark.skipif(bool(guest.need("gxemul")), reason=guest.need("gxemul") or "-")
def test_gxemul_is_an_r10000():
    result = guest.run("hinv; sleep 0.2; vmstat -i", "--on", "gxemul")
    assert result.status == 0, result.said
    assert "R10000" in result.text and "2.6" in result.text
    assert re.search(r"^Event counters: R10000 Revision 2.6$|^Event counters: none; cycles", result.text, re.M)
    assert "cpu0 timer" in result.text


# The line of the event counters by board, and by whether qpmu is there.
EVENT_COUNTERS = {
    ("x86_64", True): r"Intel version \d, \d general and \d fixed of 48 bits \(qpmu\)",
    ("x86_64", False): "none",
    ("mips", True): r"R10000 Revision [23]\.x \(qpmu\)",
    ("mips", False): "none; cycles and TLB refills by the kernel",
}


@pytest.mark.parametrize("pmu", [True, False])
def test_inventory(arch, pmu):
    """The classes are parts of the whole; a Malta's CPU is no R10000 where PRId does not say so."""
    classes = ("processor", "memory", "interrupt", "clock", "serial", "disk")
    commands = "; echo =; ".join(["hinv", *(f"hinv -c {each}" for each in classes)])
    result = guest.run(f"{commands}; echo =; hinv -c tape || hinv extra", "--arch", arch, *([] if pmu else ["--no-pmu"]))
    whole, *parts, wrong = result.text.split("=\n")
    assert sorted("".join(parts).splitlines()) == sorted(whole.splitlines())
    assert all(part.strip() for part in parts)
    assert re.search(rf"^Event counters: {EVENT_COUNTERS[arch, pmu]}$", parts[0], re.M), parts[0]
    assert "R10000" not in re.search("^CPU: .*$", parts[0], re.M)[0]
    assert "hinv: nothing of class tape\n" in wrong and "usage: hinv [-c CLASS]" in wrong and result.status == 2


@pytest.mark.skipif(bool(guest.need("gxemul")), reason=guest.need("gxemul") or "-")
@pytest.mark.parametrize("size", [16, 64, 512])
def test_gxemul_memory(size):
    result = guest.run("mem", "--on", "gxemul", "--memory", size)
    assert result.status == 0, result.said
    kib = int(re.search(r"^memory +(\d+) KiB", result.text, re.M).group(1))
    # What lies above 256 MiB is for whoever finds it.
    assert min(size, 256) * 1024 - 2048 <= kib <= size * 1024


@pytest.mark.skipif(bool(guest.need("bochs-bin")), reason=guest.need("bochs-bin") or "-")
def test_bochs_boots_the_iso():
    result = guest.run("sleep 0.2; vmstat -i; lspci; hinv", "--on", "bochs")
    assert result.status == 0, result.said
    assert "cpu0 timer" in result.text and "8086:7000" in result.text


def test_devices(quipu, arch):
    listed = quipu("lspci").text
    ids = {"x86_64": ["8086:1237", "8086:7000", "8086:7010", "8086:7113"]}
    ids["mips"] = ["11ab:4620", "8086:7110", "8086:7111", "8086:7113"]
    for each in ids[arch]:
        assert each in listed


def test_wall_clock(quipu):
    """Under --deterministic the board's clock starts at the first second of 2000."""
    assert "2000" in quipu("date", "--deterministic").text
