# SPDX-License-Identifier: BSD-2-Clause
"""The CPUs of a PC: as many come up as QEMU has, and what it says when some do not."""

import re
import subprocess

import pytest

import gdb_remote
import guest

COUNTS = [1, 2, 3, 8, 16]


def said(text):
    """The CPUs that hinv and the log speak of; the log says nothing of one alone."""
    log = re.search(r"smp: (\d+) CPUs$", text, re.M)
    return int(re.search(r"^Processors: (\d+)$", text, re.M).group(1)), int(log.group(1)) if log else 1


@pytest.mark.parametrize("arch", ["x86_64"], indirect=True)
@pytest.mark.parametrize("cpus", COUNTS)
def test_as_many_as_the_monitor_says(boot, cpus):
    machine = boot(cpus=cpus)
    machine.prompt()
    listed = re.findall(r"CPU #(\d+):", machine.monitor("info cpus"))
    assert said(machine.command("hinv; dmesg")) == (len(listed), len(listed)) == (cpus, cpus)


@pytest.mark.parametrize("arch", ["x86_64"], indirect=True)
def test_every_cpu_is_the_kernels(boot):
    """Each of them has its own GS base, a stride apart, and its own stack and task state; none is still in low memory."""
    machine = boot(cpus=4)
    machine.prompt()
    bases, tasks = [], []
    for cpu in range(4):
        machine.monitor(f"cpu {cpu}")
        registers = machine.monitor("info registers")
        bases.append(int(re.search(r"^GS =\S+ (\S+)", registers, re.M).group(1), 16))
        tasks.append(int(re.search(r"^TR =\S+ (\S+)", registers, re.M).group(1), 16))
        assert int(re.search(r"RIP=(\S+)", registers).group(1), 16) >= 0xFFFFFFFF80000000
        assert int(re.search(r"CR0=(\S+)", registers).group(1), 16) & 0xE0010001 == 0x80010001
    # The monitor has the base as a part of a segment, but all 64 bits of it.
    assert bases == [-cpu * 2**39 % 2**64 for cpu in range(4)]
    assert tasks == [tasks[0] - cpu * 2**39 for cpu in range(4)]


def test_another_cpu_takes_little_memory():
    """Each CPU has a copy of the kernel's data: of what counts and what it runs on, and not of what only lies there."""
    symbols = guest.symbols("x86_64")
    copied = symbols["kernel_data_end"] - symbols["kernel_data_start"]
    owners, free = [], []
    for cpus in (15, 16):
        text = guest.run("mem", "--cpus", cpus).text
        owners.append({name: int(pages) for name, pages in re.findall(r"^(\D+?) +(\d+)$", text, re.M)})
        free.append(int(re.search(r"^free .* (\d+) pages$", text, re.M)[1]))
    more = {name: owners[1][name] - owners[0][name] for name in owners[0] if owners[1][name] != owners[0][name]}
    assert more == {"CPUs' data": copied // 4096, "counters' cells": 2, "page tables": 3}
    assert free[0] - free[1] == sum(more.values()) <= 64 << 10 >> 12


@pytest.mark.parametrize("commands", ["", "selftest"])
def test_what_is_shared_is_raised_by_pointer(commands):
    """No instruction looks for a CPU's own copy of what lies where there is one of all (lib/section.h)."""
    symbols = guest.symbols("x86_64", commands)
    listing = subprocess.run(["objdump", "-d", guest.elf("x86_64", commands)], capture_output=True, text=True, check=True)
    # Alone, as a distance from the next instruction, which objdump adds up, or with a register.
    named = re.findall(r"%gs:.*(?:# |:0x)([0-9a-f]{16})\b", listing.stdout)
    indexed = re.findall(r"%gs:(-?)0x([0-9a-f]+)\(,", listing.stdout)
    assert len(named) > 1000 and len(indexed) > 1
    places = [int(where, 16) for where in named] + [int(sign + where, 16) % 2**64 for sign, where in indexed]
    assert [hex(at) for at in places if symbols["kernel_writable_start"] <= at < symbols["kernel_data_start"]] == []


def test_iso():
    result = guest.run("hinv; dmesg", "--boot", "iso", "--cpus", 4)
    assert result.status == 0, result.said
    assert said(result.text) == (4, 4)


def test_little_memory():
    result = guest.run("hinv; dmesg", "--cpus", 16, "--memory", 16)
    assert result.status == 0, result.said
    assert said(result.text) == (16, 16)


def test_without_apic():
    result = guest.run("hinv; dmesg", "--cpus", 4, "--append", "apic=off")
    assert result.status == 0, result.said
    assert said(result.text) == (1, 1)
    assert "smp: 4 CPUs found, 1 used: without the APIC none can be started" in result.text
    assert "smp:" not in guest.run("dmesg", "--append", "apic=off").text


def test_more_than_there_is_room_for():
    result = guest.run("hinv; dmesg", "--", "-smp", "20")
    assert result.status == 0, result.said
    assert "smp: 20 CPUs found, 16 used" in result.text
    assert said(result.text) == (16, 16)


ALL_RAM = 0xFFFF800000000000  # where the kernel sees it


def rename_apic(debugger, old, new):
    """In the firmware's table of CPUs (MADT) the one whose APIC has the number OLD gets another; the sum stays right."""
    top = ALL_RAM + (128 << 20) - (128 << 10)
    ram = b"".join(debugger.read(top + at, 1024) for at in range(0, 128 << 10, 1024))
    (madt,) = [m.start() for m in re.finditer(rb"APIC.{4}.\0?.BOCHS ", ram, re.S)]
    entry = ram.index(bytes([0, 8, old, old, 1, 0, 0, 0]), madt)
    debugger.write(top + entry + 3, bytes([new]))
    debugger.write(top + madt + 9, bytes([(ram[madt + 9] + old - new) % 256]))


@pytest.mark.parametrize("arch", ["x86_64"], indirect=True)
def test_a_cpu_that_does_not_come(boot, tmp_path):
    """It is left out, and the numbers have no gap."""
    machine = boot(cpus=4, arguments=["-gdb", f"unix:{tmp_path}/gdb,server=on,wait=off", "-S"])
    debugger = gdb_remote.Debugger(tmp_path / "gdb")
    debugger.run_to(guest.symbols("x86_64")["acpi_madt_read"])
    rename_apic(debugger, 2, 77)
    debugger.go_on()
    machine.prompt()
    text = machine.command("hinv; dmesg; mpstat")
    assert said(text) == (3, 3)
    assert re.findall(r"smp: the CPU with APIC ID (\d+) does not answer", text) == ["77"]
    assert re.findall(r"^ *(\d)(?: +\d+){9}\r?$", text, re.M) == ["0", "1", "2"], text
    machine.command("on 2 true")
    machine.monitor("cpu 3")
    assert int(re.search(r"^GS =\S+ (\S+)", machine.monitor("info registers"), re.M).group(1), 16) == -2 * 2**39 % 2**64


def test_one_cpu_has_no_lines_for_others():
    """Nothing changes for a machine with one CPU: names, lines, log."""
    listed = guest.run("vmstat -i -v; dmesg").text
    assert "cpu0 timer" in listed
    assert not re.search(r"reschedule|shootdown|smp:", listed)
    several = guest.run("vmstat -i -v", "--cpus", 2).text
    for line in ["cpu timer", "cpu reschedule", "cpu call", "cpu TLB shootdown"]:
        assert re.search(rf"^{line}\b", several, re.M), several


def test_panic_stops_everybody():
    """The report has every CPU, whatever it was doing, and the run ends."""
    result = guest.run("panic -t null", "--cpus", 4)
    assert result.status != 0
    report = result.text + result.stderr.decode("ascii", "replace")
    for cpu in range(4):
        assert re.search(rf"^cpu{cpu}, thread \d+", report, re.M), report
    assert "does not answer" not in report
