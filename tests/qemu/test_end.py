# SPDX-License-Identifier: BSD-2-Clause
"""How a run with -c ends: exit statuses, panics, reboots, timeouts, on every path that boots."""

import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

import guest

PATHS = [
    pytest.param([], id="x86_64"),
    pytest.param(["--boot", "iso"], id="iso"),
    pytest.param(["--arch", "mips"], id="mips"),
    pytest.param(
        ["--on", "gxemul"],
        id="gxemul",
        marks=pytest.mark.skipif(bool(guest.need("gxemul")), reason=guest.need("gxemul") or "-"),
    ),
    pytest.param(
        ["--on", "bochs"],
        id="bochs",
        marks=pytest.mark.skipif(bool(guest.need("bochs-bin")), reason=guest.need("bochs-bin") or "-"),
    ),
]


@pytest.fixture(params=PATHS)
def path(request):
    return request.param


def longest_command():
    """4096 bytes with every printable one, which echo prints as it got them."""
    plain = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "'")
    words = (plain * 50)[: 4096 - len("echo -n ''")]
    return f"echo -n '{words}'", words


def test_every_byte_arrives(path):
    command, words = longest_command()
    assert len(command) == 4096
    result = guest.run(command, *path)
    assert (result.stdout, result.stderr, result.status) == (words.encode(), b"", 0)


def test_quotes_arrive(path):
    result = guest.run("""echo "it's" 'a "b"' \\\\ \\$? "$?" ; echo -n end""", *path)
    assert (result.stdout, result.status) == (b"""it's a "b" \\ $? 0\nend""", 0)


def test_status_is_the_last_commands(path):
    assert guest.run("true; false", *path).status == 1
    result = guest.run("false; no_such_command; echo $?", *path)
    assert (result.lines()[-1], result.status) == ("127", 0)


def test_panic(path):
    result = guest.run("echo before; panic; echo after", *path)
    assert (result.stdout, result.status) == (b"before\n", 70)
    assert b"panic: " in result.stderr


def test_reboot(path):
    result = guest.run("echo before; reboot; echo after", *path)
    assert (result.stdout, result.status) == (b"before\n", 0)


def test_poweroff(quipu):
    result = quipu("echo before; poweroff; echo after")
    assert (result.stdout, result.status) == (b"before\n", 0)


def test_no_end_in_time(quipu):
    result = quipu("echo started; sleep 1000", "--timeout", 8)
    assert (result.stdout, result.status) == (b"started\n", 124)
    assert b"no end within 8 s" in result.stderr.splitlines()[-1]
    assert b"started" in result.stderr


def test_where_it_stands(arch):
    """Without an end in time: what each CPU executes, and who has called it."""
    result = guest.run("spin 1000000", "--arch", arch, "--timeout", 8)
    places = [line for line in result.stderr.decode().splitlines() if line.startswith("cpu0: ")]
    assert result.status == 124 and len(places) == 3
    assert all(re.search(r"^cpu0: \w+\+0x[0-9a-f]+ (< .*)?< command_run\+0x", place) for place in places), places


def test_unknown_command(quipu):
    result = quipu("frobnicate -x")
    assert result.status == 127
    assert result.lines() == ["frobnicate: command not found"]


def test_nothing_to_do(quipu):
    assert (quipu("").stdout, quipu("# a comment").stdout) == (b"", b"")
    assert quipu("").status == 0


def test_unterminated_quote(quipu):
    assert quipu("echo 'x").status == 2


def test_broken_emulator_argument(arch):
    result = guest.launch("run", "--arch", arch, "-c", "true", "--", "-frobnicate")
    assert result.status == 1 and result.stdout == b""
    assert b"frobnicate" in result.stderr


def test_verbose_shows_command_and_boot_log(quipu):
    result = quipu("echo x", "--verbose")
    assert (result.stdout, result.status) == (b"x\n", 0)
    assert b"qemu-system" in result.stderr
    assert len(result.stderr.splitlines()) >= 3


def test_interrupt_from_the_keyboard(arch):
    command = [str(guest.ROOT / "quipu"), "run", "--arch", arch, "-c", "echo started; sleep 1000"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=guest.environment()
    ) as run:
        assert run.stdout.readline() == b"started\n"
        os.kill(run.pid, signal.SIGINT)
        assert run.wait(guest.PATIENCE) == 130


def test_no_emulator_survives_its_launcher(arch):
    command = [str(guest.ROOT / "quipu"), "run", "--arch", arch, "-c", "echo started; sleep 1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=guest.environment()) as run:
        assert run.stdout.readline() == b"started\n"
        emulators = children(run.pid)
        assert len(emulators) == 1
        os.kill(run.pid, signal.SIGKILL)
    wait_until(lambda: not is_running(emulators[0]))


def test_no_emulator_survives_its_profiler(arch):
    """Which starts the launcher, which starts the emulator."""
    command = [str(guest.ROOT / "quipu"), "profile", "--arch", arch, "-c", "sleep 1000"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=guest.environment()) as run:
        emulators = []

        def is_there():
            emulators[:] = [child for launcher in children(run.pid) for child in children(launcher) if name(child).startswith("qemu-system")]
            return emulators

        wait_until(is_there)
        os.kill(run.pid, signal.SIGKILL)
    wait_until(lambda: not is_running(emulators[0]))


def children(process):
    try:
        return pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def name(process):
    try:
        return pathlib.Path(f"/proc/{process}/comm").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def wait_until(what):
    deadline = time.monotonic() + guest.PATIENCE
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(process):
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def test_output_comes_while_it_runs(arch):
    command = [str(guest.ROOT / "quipu"), "run", "--arch", arch, "-c", "echo early; sleep 3; echo late"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=guest.environment()) as run:
        assert run.stdout.readline() == b"early\n"
        early = time.monotonic()
        assert run.stdout.readline() == b"late\n"
        assert time.monotonic() - early > 1.5
        assert run.wait(guest.PATIENCE) == 0


DETERMINISTIC = "vmstat -e -v; intrstat; sleep 1; uptime; spin 20; vmstat -e -v; ps; mem; intrstat; dmesg"


def test_deterministic(quipu):
    first, second = (quipu(DETERMINISTIC, "--deterministic") for _ in range(2))
    assert first.status == 0 and len(first.stdout) > 1000
    assert first.stdout == second.stdout


def test_deterministic_with_several_cpus():
    first, second = (guest.run(DETERMINISTIC, "--deterministic", "--cpus", 4) for _ in range(2))
    assert first.status == 0 and first.stdout == second.stdout


@pytest.mark.parametrize("how", [[], ["--arch", "mips"]], ids=["x86_64", "mips"])
def test_panic_before_the_commands(how):
    """Too little memory is a panic of start-up: its report, 70, and no waiting for the end of time."""
    result = guest.run("true", *how, "--timeout", "60", "--", "-m", "4")
    assert result.status == 70 and result.stdout == b""
    assert b"too little memory" in result.stderr


def test_reboot_loses_nothing(quipu):
    result = quipu("echo before; reboot; echo never")
    assert result.status == 0 and result.stdout == b"before\n"
