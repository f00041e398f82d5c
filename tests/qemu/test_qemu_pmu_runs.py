# SPDX-License-Identifier: BSD-2-Clause
"""qemu-pmu with real QEMUs, and what the launcher makes of it."""

import os
import shlex
import signal
import socket
import subprocess
import time

import pytest

import guest
import test_qpmu

WRAPPER = guest.ROOT / "tools" / "qpmu" / "qemu-pmu"

pytestmark = pytest.mark.skipif(not test_qpmu.PLUGIN.exists(), reason="build/plugins/qpmu.so is not built")


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """The PC's example."""
    source = guest.ROOT / "tools" / "qpmu" / "example" / "pc.c"
    return test_qpmu.build("x86_64", source, tmp_path_factory.mktemp("pc") / "guest")


def real(*arguments, qemu="qemu-system-x86_64"):
    command = [WRAPPER, "--plugin", test_qpmu.PLUGIN, qemu, "-display", "none", "-no-reboot", *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "-m 64",
        "-m 0.25G",
        "-m 16400k",
        "-m 5000",
        "-m size=64M,slots=2,maxmem=1G",
        "-M q35",
        "-machine type=pc,accel=tcg",
        "--machine q35 -accel tcg -smp 2",
        "-M pc,memory.size=64M",
        "-object memory-backend-memfd,id=a,size=64M -M pc,memory-backend=a",
        "-object memory-backend-file,id=a,size=64M,share=on,mem-path=FILE -M pc,memory-backend=a",
    ],
)
def test_counts(line, kernel, tmp_path):
    done = real("-serial", "stdio", "-kernel", kernel, *line.replace("FILE", f"{tmp_path}/ram").split())
    assert (done.returncode, done.stdout, done.stderr) == (0, "2003 instructions\n", "")


def test_counts_on_qemus_own_console(kernel):
    done = real("-nographic", "-kernel", kernel)
    assert done.returncode == 0 and "2003 instructions" in done.stdout and done.stderr == ""


def test_overflow_interrupts(tmp_path):
    """Over the abstract socket; the guest says so."""
    kernel = test_qpmu.build("mips", test_qpmu.SOURCES / "mips.c", tmp_path / "kernel")
    done = real("-cpu", "MIPS64R2-generic", "-serial", "stdio", "-kernel", kernel, qemu="qemu-system-mips64")
    assert done.stdout.splitlines()[-3:] == [f"byte {ord('!')}", "records 1", "end 0"]


def test_status_is_qemus(tmp_path):
    kernel = test_qpmu.build("x86_64", test_qpmu.SOURCES / "x86_64.c", tmp_path / "kernel")
    assert real("-frobnicate").returncode == 1
    done = real("-cpu", "max", "-serial", "stdio", "-kernel", kernel, "-device", "isa-debug-exit,iobase=0xf4")
    assert done.returncode == 1 and done.stdout.endswith("end 0\n"), done.stderr


def connected(path, process):
    deadline = time.monotonic() + guest.PATIENCE
    while True:
        end = socket.socket(socket.AF_UNIX)
        try:
            end.connect(str(path))
            return end
        except OSError:
            end.close()
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)


@pytest.mark.parametrize("number,status", [(signal.SIGTERM, 0), (signal.SIGKILL, -signal.SIGKILL)])
def test_becomes_qemu(number, status, tmp_path):
    """The process that was started is QEMU, with its signals; nothing is left behind."""
    here, monitor, pidfile = tmp_path / "here", tmp_path / "monitor", tmp_path / "pid"
    here.mkdir()
    command = [WRAPPER, "--plugin", test_qpmu.PLUGIN, "qemu-system-x86_64", "-S", "-display", "none", "-pidfile", pidfile]
    command += ["-monitor", f"unix:{monitor},server=on,wait=off"]
    environment = {**os.environ, "TMPDIR": str(here)}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd=here, env=environment) as process:
        with connected(monitor, process) as end:
            while b"(qemu)" not in end.recv(65536):
                pass
        assert int(pidfile.read_text()) == process.pid
        process.send_signal(number)
        assert process.wait(guest.PATIENCE) == status
    assert not list(here.iterdir())


# --- ./quipu run ---


def lame_qemu(folder, monkeypatch):
    """A QEMU of this name that has no plugins, else the real one."""
    program = "qemu-system-x86_64"
    real_one = subprocess.run(["sh", "-c", f"command -v {program}"], capture_output=True, text=True, check=True).stdout.strip()
    path = folder / program
    refuse = """case " $* " in *" -plugin "*) echo "$0: -plugin: invalid option" >&2; exit 1 ;; esac"""
    path.write_text(f'#!/bin/sh\n{refuse}\nexec {real_one} "$@"\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))


def test_launcher_runs_without_counters(tmp_path, monkeypatch):
    lame_qemu(tmp_path, monkeypatch)
    result = guest.run("pmc list; echo fine")
    assert result.status == 0 and result.lines()[-1] == "fine", result.said
    assert result.stderr.count(b"\n") == 1 and b"no performance counters" in result.stderr and b"invalid option" in result.stderr
    assert guest.run("true", "--no-pmu").stderr == b""


def test_launcher_refuses_what_cannot_count():
    result = guest.run("true", "--", "-accel", "kvm")
    assert result.status == 2 and result.stderr.count(b"\n") == 1 and b"kvm" in result.stderr


def test_launcher_shows_qemus_own_command_line():
    said = guest.run("true", "--verbose").stderr.decode()
    line = next(line for line in said.splitlines() if "-plugin" in line)
    assert shlex.split(line)[1] == "qemu-system-x86_64" and "memory-backend-memfd" in line
