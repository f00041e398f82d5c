# SPDX-License-Identifier: BSD-2-Clause
"""The plugin qpmu when the machine starts again, or goes on at another time than the plugin: resets, snapshots, migration.

The guests are tests/qemu/qpmu/ARCH_reset.c and ARCH_snapshot.c; their lines are as in test_qpmu_hard.py.
"""

import contextlib
import pathlib
import re
import socket
import struct
import subprocess
import tempfile
import threading
import time

import pytest
from test_qpmu import MIPS, PLUGIN, SOURCES, boot, build, command, reads_registers

import guest
import qemu

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="build/plugins/qpmu.so is not built")

# A PC's image is to leave alone what the BIOS has below 1 MiB: the ELF header would lie there.
FLAGS = {"x86_64": ["-Wl,-Ttext=0x200000"], "mips": []}


class Emulator:
    """QEMU with a guest, its lines and its monitor."""

    def __init__(self, arch, kernel, *more, patience=guest.PATIENCE, **how):
        self.folder = tempfile.TemporaryDirectory(prefix="qpmu-")
        path = pathlib.Path(self.folder.name, "monitor")
        argv = [word for word in command(arch, kernel, *more, **how) if word != "-no-reboot"]
        argv[argv.index("-monitor") + 1] = f"unix:{path},server=on,wait=off"
        self.process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.alarm = threading.Timer(patience, self.process.kill)
        self.alarm.start()
        self.monitor = socket.socket(socket.AF_UNIX)
        self.seen = []
        for _ in range(100):
            with contextlib.suppress(OSError):
                self.monitor.connect(str(path))
                break
            time.sleep(0.1)
        self.answer()

    def answer(self):
        text = b""
        try:
            while not text.endswith(b"(qemu) "):
                text += self.monitor.recv(4096) or b"(qemu) "
        except OSError as error:
            self.process.kill()
            raise AssertionError(f"{error}: {self.process.communicate()}") from error
        return text.decode()

    def tell(self, words):
        self.monitor.sendall(words.encode() + b"\n")
        return self.answer()

    def proceed(self):
        """Without waiting for an answer: the guest may end before it comes."""
        self.monitor.sendall(b"cont\n")

    def until(self, last):
        """The lines up to LAST, which is one of them."""
        lines = []
        while not lines or lines[-1] != last:
            line = self.process.stdout.readline()
            assert line, f"ended: {self.seen + lines} {self.process.stderr.read()}"
            lines.append(line.strip())
        self.seen += lines
        return lines

    def end(self):
        """In good order, if it has not by itself: the plugin may have something to say."""
        with contextlib.suppress(OSError):
            self.monitor.sendall(b"quit\n")
        self.process.wait(guest.PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.alarm.cancel()
        self.process.kill()
        self.errors = self.process.communicate()[1]
        self.monitor.close()
        self.folder.cleanup()


def slot_of(arch, kernel):
    """Where its slot is in physical memory."""
    names = subprocess.run([(MIPS if arch == "mips" else "") + "nm", kernel], capture_output=True, text=True, check=True).stdout
    return next(int(line.split()[0], 16) for line in names.splitlines() if line.endswith(" slot")) & 0x1FFFFFFF


def wrong(lines):
    return [line for line in lines if " = " in line and line.split(" = ")[0].split()[1:] != line.split(" = ")[1].split()]


@pytest.mark.parametrize("arch,cpus", [("mips", 1), ("x86_64", 1), ("x86_64", 2)])
def test_reset(arch, cpus, tmp_path):
    """By the guest, in each way that it has, and by the monitor: counters are off, slots forgotten and left alone."""
    kernel = build(arch, SOURCES / f"{arch}_reset.c", tmp_path / "kernel", f"-DCPUS={cpus}", *FLAGS[arch])
    with Emulator(arch, kernel, *(["-smp", str(cpus)] if cpus > 1 else [])) as emulator:
        lines = emulator.until("ready 0")
        emulator.tell("system_reset")
        lines += emulator.until("end 0")
    assert not wrong(lines)
    boots = sum(line.startswith("pass") for line in lines)
    assert boots == {"mips": 4, "x86_64": 5}[arch]
    for name in ("head", "silent", "still", *(["second_silent"] if cpus > 1 else [])):
        assert sum(line.split()[0] == name for line in lines) == boots - 1, name


INIT_WAYS = {
    "multi": ["-accel", "tcg,thread=multi"],
    "single": ["-accel", "tcg,thread=single"],
    "icount": ["-icount", "shift=1,sleep=off"],
    "one": [] if guest.need("qemu-system-x86_64") else qemu.singlestep("qemu-system-x86_64"),
}


@pytest.mark.parametrize("way", INIT_WAYS)
def test_init_leaves_counters_alone(way, tmp_path):
    """Those of a CPU that another one starts again: stopped or running, wherever it was; registers too."""
    kernel = build("x86_64", SOURCES / "x86_64_init.c", tmp_path / "kernel")
    lines = boot("x86_64", kernel, "-smp", "2", *INIT_WAYS[way])
    assert lines[0] == "magic 1" and lines[-1] == "end 0" and not wrong(lines)
    names = {line.split()[0] for line in lines if " = " in line}
    modes = {"users"} if reads_registers() else set()
    assert names == {"stopped", "registers", "overflowed", "running", "halted", "string", "loop"} | modes


STOPPED = "qpmu: the guest's memory is of another time (loadvm, migration): its counters have stopped\n"
LINES = ["stopped", "refused", "off", "again"]
WAYS = {"plain": [], "icount": ["-icount", "shift=1,sleep=off"]}


def make_disk(path):
    """An empty disk of 1 MiB for snapshots. Four clusters: the header, the reference counts' table, their block, L1."""
    cluster = 1 << 16
    header = struct.pack(">IIQIIQIIQQIIQ", 0x514649FB, 2, 0, 0, 16, 1 << 20, 0, 1, 3 * cluster, cluster, 1, 0, 0)
    parts = [header, struct.pack(">Q", 2 * cluster), struct.pack(">4H", 1, 1, 1, 1), b""]
    path.write_bytes(b"".join(part.ljust(cluster, b"\0") for part in parts))


def snapshot_kernel(arch, folder, quiet=0):
    return build(arch, SOURCES / f"{arch}_snapshot.c", folder / "kernel", f"-DQUIET={quiet}")


def check_stopped(emulator):
    lines = emulator.until("end 0")
    assert [line.split()[0] for line in lines if " = " in line] == LINES and not wrong(lines)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("quiet", [0, 1])
def test_loadvm(arch, way, quiet, tmp_path):
    """The counters stop, clearly, and can be used again after a hypercall; also if none is touched for long (QUIET)."""
    disk = tmp_path / "disk"
    make_disk(disk)
    drive = ["-drive", f"if=none,id=d,format=qcow2,file={disk}", *WAYS[way]]
    with Emulator(arch, snapshot_kernel(arch, tmp_path, quiet), *drive) as emulator:
        emulator.until("ready 0")
        assert "rror" not in emulator.tell("savevm one")
        time.sleep(0.3)
        emulator.tell("stop")
        assert "rror" not in emulator.tell("loadvm one")
        emulator.proceed()
        check_stopped(emulator)
    assert emulator.errors.count(STOPPED) == 1
    # The same in a QEMU that begins with the snapshot.
    with Emulator(arch, tmp_path / "kernel", *drive, "-S", "-loadvm", "one") as emulator:
        emulator.proceed()
        check_stopped(emulator)
    assert emulator.errors.count(STOPPED) == 1


@pytest.mark.parametrize("way", WAYS)
def test_migration(arch, way, tmp_path):
    """Here they go on, there they have stopped."""
    kernel, state = snapshot_kernel(arch, tmp_path), tmp_path / "state"
    with Emulator(arch, kernel, *WAYS[way]) as emulator:
        emulator.until("ready 0")
        emulator.tell(f'migrate "exec:cat > {state}"')
        assert "completed" in emulator.tell("info migrate")  # and it has stopped
    assert STOPPED not in emulator.errors
    with Emulator(arch, kernel, *WAYS[way], "-S", "-incoming", f"exec:cat {state}") as emulator:
        emulator.proceed()
        check_stopped(emulator)
    assert emulator.errors.count(STOPPED) == 1


def test_a_snapshot_that_is_only_saved_changes_nothing(arch, tmp_path):
    disk = tmp_path / "disk"
    make_disk(disk)
    kernel = snapshot_kernel(arch, tmp_path)
    with Emulator(arch, kernel, "-drive", f"if=none,id=d,format=qcow2,file={disk}") as emulator:
        emulator.until("ready 0")
        emulator.tell("savevm one")
        time.sleep(0.3)
        emulator.tell("stop")
        assert not re.search(r": 0x0+\s", emulator.tell(f"xp /1xw {slot_of(arch, kernel):#x}"))
    assert emulator.errors == ""
