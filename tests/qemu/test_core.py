# SPDX-License-Identifier: BSD-2-Clause
"""The core (make core): what it has, what it has not, and that it counts as the whole kernel does."""

import re
import subprocess

import pytest

import guest
import vmstat_layout

COMMANDS = ["exit", "help", "hinv", "intrstat", "mem", "poweroff", "ps", "selftest", "set", "vmstat"]
TEXT = {"x86_64": 100_000, "mips": 110_000}
PREFIX = {"x86_64": "", "mips": "mips64-linux-gnuabi64-"}
# What begins so is of a room that the core is without.
OTHERS = r"(block|net|ipv4|udp|icmp|arp|pci|kstat|devstat|pmc|sysctl|virtio|ide|piix_ide|pcnet|ramdisk)_"
# How the board reaches the chip that switches it off.
BRIDGE = "pci_ports"


def core(commands, arch, *arguments):
    return guest.run(commands, "--core", "--arch", arch, *arguments)


def tool(arch, name, *arguments):
    elf = guest.ROOT / "build" / "core" / arch / "quipu.elf"
    return subprocess.run([PREFIX[arch] + name, *arguments, elf], capture_output=True, text=True, check=True).stdout


def test_a_shell_with_these_commands(arch):
    result = core("help", arch)
    assert result.status == 0, result.said
    assert [line.split()[0] for line in result.lines()[: len(COMMANDS) + 1] if line] == COMMANDS
    assert core("kstat", arch).status == 127


def test_it_is_small_and_has_nothing_of_the_other_rooms(arch):
    assert core("help", arch).status == 0  # built
    text = int(re.search(r"^\.text +(\d+)", tool(arch, "size", "-A", "-d"), re.M).group(1))
    assert text < TEXT[arch], text
    names = {line.split()[-1] for line in tool(arch, "nm").splitlines()}
    assert {"thread_create", "evcnt_attach_static", "interrupt_establish"} <= names
    assert not {name for name in names if re.match(OTHERS, name) and not name.startswith(BRIDGE)}


def test_its_own_tests_pass(arch):
    result = core("selftest", arch)
    assert result.status == 0, result.said
    passed, failed = map(int, re.search(r"^(\d+) passed, (\d+) failed", result.text, re.M).groups())
    assert passed >= 100 and failed == 0


def test_what_several_cpus_count():
    result = core("selftest cpus evcnt softint interrupt", "x86_64", "--cpus", 4, "--timeout", 170)
    assert result.status == 0, result.said
    assert re.search(r"^\d+ passed, 0 failed$", result.text, re.M), result.said


def test_it_counts_what_was_sent(boot, arch):
    """Between two reports the core's counter moves by exactly what was typed."""
    assert core("help", arch).status == 0  # built
    machine = boot(core=True)
    machine.prompt()
    first, sent = vmstat_layout.totals(machine.command("vmstat -e -v")), machine.sent
    machine.send(b"#" * 17 + b"\r")
    machine.prompt()
    second = vmstat_layout.totals(machine.command("vmstat -e -v"))
    assert second["com0 rx bytes"] - first["com0 rx bytes"] == machine.sent - sent


@pytest.mark.parametrize("goal", ["PROFILE=nothing"])
def test_an_unknown_profile_is_refused(goal):
    done = subprocess.run(["make", "-n", goal], cwd=guest.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "PROFILE=nothing: there is core" in done.stderr
