# SPDX-License-Identifier: BSD-2-Clause
"""tools/gdb/quipu.py: what GDB reads out of a stopped machine's memory is what the shell said of it."""

import re
import shlex
import socket
import subprocess

import pytest

import guest

pytestmark = pytest.mark.skipif(bool(guest.need("gdb-multiarch")), reason=guest.need("gdb-multiarch") or "-")
# They move when the prompt is printed and while the machine waits at it.
MOVING = re.compile(r"com0|console|timer|clock|softserial|pin 4|irq 4|int [27]|reschedule|scheduler|timers")


def gdb(arch, socket, *commands):
    """What GDB's COMMANDS print about the machine, which stops for them."""
    words = ["gdb-multiarch", "-q", "-batch", "-nx", guest.ROOT / "build" / arch / "quipu-test.elf"]
    words += ["-x", guest.ROOT / "tools" / "gdb" / "quipu.py", "-ex", f"target remote {socket}"]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=guest.PATIENCE, check=True)
    return done.stdout


@pytest.mark.parametrize("cpus", [1, 3])
def test_counters_lines_and_threads(boot, arch, tmp_path, cpus):
    if arch == "mips" and cpus > 1:
        pytest.skip("a Malta has one CPU")
    socket = tmp_path / "gdb"
    machine = boot(cpus=cpus, test=True, arguments=["-gdb", f"unix:{socket},server=on,wait=off"])
    machine.prompt()
    machine.command("selftest trap evcnt-share")
    rows = re.findall(r"^(\S.*?) +(\d+) +\d+ (?:misc|intr|trap)\r?$", machine.command("vmstat -e -v"), re.M)
    told = {name: int(count) for name, count in rows}
    threads = re.findall(r"^ +(\d+) [rRSZ] +\d+ +(\d+) .* (idle\S* ?\d?|shell)\r?$", machine.command("ps"), re.M)
    assert len(told) > 40 and len(threads) == cpus + 1
    text = gdb(arch, socket, "quipu counters", "quipu threads", "quipu lines")
    read = {f"{group} {name}": int(count) for group, name, count in re.findall(r"^(\S.*?): (.*?) +(\d+)$", text, re.M)}
    assert sorted(set(told) - set(read)) == []
    still = {name: count for name, count in told.items() if not MOVING.search(name)}
    assert sum(map(bool, still.values())) > 5
    assert {name: read[name] for name in still} == still
    assert all(read[name] >= count for name, count in told.items())
    assert sorted(re.findall(r"^ +(\d+) +(\d+) [RrSZ] +\d+ (idle.*|shell)$", text, re.M)) == sorted(threads)
    # A line: COUNT = handlers + SPURIOUS - MULTIPLE.
    lines = re.findall(r"^(\S.{23}) +(\d+) +(\d+) +(\d+) +\d+ (.*)$", text, re.M)
    assert len(lines) >= 5
    for _, count, spurious, multiple, handlers in filter(lambda line: line[4], lines):
        served = sum(int(each.rsplit(" ", 1)[1]) for each in handlers.split(", ") if each)
        assert int(count) == served + int(spurious) - int(multiple), text


@pytest.mark.parametrize("arch", ["x86_64"], indirect=True)
def test_lines_before_the_other_cpus(boot, tmp_path):
    """They have cells of their own then, which no other CPU has raised: the PIT's interrupted while the clock was measured."""
    socket = tmp_path / "gdb"
    boot(cpus=4, test=True, arguments=["-gdb", f"unix:{socket},server=on,wait=off", "-S"])
    text = gdb("x86_64", socket, "hbreak smp_start", "continue", "quipu lines", "quipu counters")
    lines = re.findall(r"^(\S.{23}) +(\d+) +(\d+) +(\d+) +\d+ (.*)$", text, re.M)
    assert any(int(count) > 0 for _, count, *_ in lines), text


def test_help(arch):
    words = ["gdb-multiarch", "-q", "-batch", "-nx", "-x", guest.ROOT / "tools" / "gdb" / "quipu.py", "-ex", "help quipu"]
    text = subprocess.run(words, capture_output=True, text=True, timeout=guest.PATIENCE, check=True).stdout
    assert all(f"quipu {name} -- " in text for name in ("counters", "threads", "lines"))


def is_free(port):
    with socket.socket() as end:
        return end.connect_ex(("127.0.0.1", port)) != 0


RESET = {"x86_64": 0xFFF0, "mips": 0xFFFFFFFFBFC00000}  # where their CPUs begin


def test_run_waits_before_the_first_instruction(arch):
    """`run --gdb` prints the command that starts GDB; that finds the CPU where it begins, stops it in the kernel, reads its
    counters, and lets it go on to the end of the script."""
    if not is_free(1234):
        pytest.skip("somebody has port 1234")
    command = [guest.ROOT / "quipu", "run", "--gdb", "--arch", arch, "-c", "echo here"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=guest.environment()) as run:
        try:
            waiting = next(line for line in run.stderr if "waiting for: " in line)
            debugger = shlex.split(waiting.partition("waiting for: ")[2])
            for each in ('printf "%#lx\\n", $pc', "hbreak thread_boot", "continue", "delete", "quipu counters cpu0", "detach"):
                debugger += ["-ex", each]
            done = subprocess.run(
                [*debugger, "-batch", "-nx"], cwd=guest.ROOT, capture_output=True, text=True, timeout=guest.PATIENCE, check=True
            )
            out, _ = run.communicate(timeout=guest.PATIENCE)
        finally:
            run.kill()
    assert re.search(rf"^{RESET[arch]:#x}$", done.stdout, re.M), done.stdout + done.stderr
    assert "thread_boot" in done.stdout and (out, run.returncode) == ("here\n", 0), done.stdout + done.stderr + out
