# SPDX-License-Identifier: BSD-2-Clause
"""The tests' hands on a guest: a run of the launcher, and a machine whose serial line and monitor are sockets.

Nothing here knows what a command prints; see vmstat_layout.py for that.
"""

import dataclasses
import fcntl
import functools
import os
import pathlib
import re
import select
import shutil
import socket
import subprocess
import time

import emulator
import options
import qemu

ROOT = options.ROOT
PROMPT = b"quipu> "
# A new one: that of a line which is drawn anew, as a line of the log came, stands behind an end of line and a carriage return.
NEW_PROMPT = rb"(?<!\n\r)quipu> "
# Generous, because nothing that is tested here is about the host's speed. With a mutant most end after it.
PATIENCE = int(os.environ.get("QUIPU_PATIENCE", "100"))
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]")


def need(program):
    """A reason for pytest's skipif, or "" if the program is there."""
    return "" if shutil.which(program) else f"{program} is not installed"


def qemu_release():
    """(major, minor) of the QEMU that is installed."""
    return qemu.version("qemu-system-x86_64")


def twice(once, cpus=1):
    """What once() gives, which has to be the same twice in a row. QEMU 11.1 with several CPUs does not always do the
    same on a busy host, with no plugin loaded either (1 of 24 runs; 6 of 16 beside six others): there two of twelve
    have to agree."""
    seen = [once()]
    for _ in range(1 if cpus == 1 or qemu_release() < (11, 0) else 11):
        seen.append(once())
        if seen[-1] in seen[:-1]:
            return seen[-1]
    raise AssertionError(f"no two runs are the same: {seen}")


def environment():
    return {**os.environ, "QUIPU_NO_INSTALL": "1"}


@dataclasses.dataclass
class Result:
    stdout: bytes
    stderr: bytes
    status: int

    @property
    def text(self):
        return self.stdout.decode("ascii")

    @property
    def said(self):
        """For the message of a failed check: the end of either, where the reason stands."""
        return self.text[-2000:] + self.stderr.decode("ascii", "replace")[-6000:]

    def lines(self):
        return self.text.splitlines()


@functools.cache
def make(*goals):
    """Brings them up to date; once, for no test changes a source. As the launcher's, one build at a time: two of one
    library would spoil it."""
    with open(ROOT / "build" / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", *map(str, goals)], cwd=ROOT, capture_output=True, check=True)


def launch(*arguments, patience=2 * PATIENCE, **more):
    """./quipu ARGUMENTS, to its end; what it needs may have to be built first."""
    done = subprocess.run(
        [str(ROOT / "quipu"), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(),
        timeout=patience,
        check=False,
        **more,
    )
    return Result(done.stdout, done.stderr, done.returncode)


def needs_tests(commands):
    """Whether COMMANDS run self-tests, which are in the image quipu-test alone."""
    return re.search(r"\bselftest\b(?!:)", commands) is not None


def image(commands):
    """The launcher's option for the image that COMMANDS need."""
    return ["--test"] if needs_tests(commands) else []


def run(commands, *arguments, **more):
    """./quipu run -c COMMANDS ARGUMENTS, in the image that they need."""
    return launch("run", *image(commands), "-c", commands, *arguments, **more)


# All self-tests of a build that is made first, on a busy host; and what a test that runs them says it may take.
ALL_TESTS = 5 * PATIENCE
WITH_ALL_TESTS = ALL_TESTS + PATIENCE


def run_all_tests(*arguments):
    return run("selftest", "--timeout", ALL_TESTS, *arguments, patience=ALL_TESTS)


def elf(arch, commands=""):
    """The kernel that COMMANDS need, with its symbols."""
    return ROOT / "build" / arch / ("quipu-test.elf" if needs_tests(commands) else "quipu.elf")


def symbols(arch, commands=""):
    """{name: address} of the kernel that COMMANDS need."""
    prefix = "mips64-linux-gnuabi64-" if arch == "mips" else ""
    listing = subprocess.run(
        [prefix + "nm", elf(arch, commands)], capture_output=True, text=True, check=True
    )
    rows = (line.split() for line in listing.stdout.splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


class Machine:
    """A machine in QEMU with the shell on a socket.

    `received` is everything that its serial line has sent; `sent` counts the bytes it was sent.
    """

    def __init__(self, arch, folder, cpus=1, memory=128, words="", arguments=(), checked=False, test=False, core=False):
        self.arch = arch
        self.received = bytearray()
        self.sent = 0
        self._taken = 0
        self._steps = 0
        image = {"checked": checked, "test": test, "core": core}
        chosen = options.Options(arch=arch, cpus=cpus, memory=memory, append=words, emulator_args=list(arguments), **image)
        serial, monitor = folder / "serial", folder / "monitor"
        command = qemu.machine(chosen) + qemu.boot(chosen, folder, None)
        command += ["-chardev", f"socket,id=com,path={serial},server=on,wait=on"]
        command += ["-serial", "chardev:com", "-monitor", f"unix:{monitor},server=on,wait=off"]
        self.log = open(folder / "qemu.log", "wb")
        self.process = subprocess.Popen(
            emulator.dying_with_parent([*command, *chosen.emulator_args]),
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )
        self._serial = _connect(serial, self.process)
        self._monitor = _connect(monitor, self.process)
        self._monitor_reply()

    # --- the serial line ---

    def send(self, data):
        """All of it, reading meanwhile, so that neither side waits for the other for ever."""
        view = memoryview(data)
        deadline = time.monotonic() + PATIENCE
        while view:
            assert time.monotonic() < deadline, "the guest takes no input"
            readable, writable, _ = select.select([self._serial], [self._serial], [], 1)
            if readable:
                self._receive()
            if writable:
                count = self._serial.send(view[:4096])
                self.sent += count
                view = view[count:]
                deadline = time.monotonic() + PATIENCE  # a busy host is slow, and not stuck

    def expect(self, pattern, patience=PATIENCE):
        """Waits for a match in what was not taken yet; takes everything up to its end."""
        pattern = re.compile(pattern, re.S)
        deadline = time.monotonic() + patience
        while True:
            match = pattern.search(self.received, self._taken)
            if match:
                self._taken = match.end()
                return match
            left = deadline - time.monotonic()
            assert left > 0, f"{pattern.pattern!r} did not come after {bytes(self.received[-600:])!r}"
            if select.select([self._serial], [], [], min(left, 1))[0]:
                self._receive()

    def nothing_came(self):
        """Whether nothing stands behind what was taken."""
        while select.select([self._serial], [], [], 0)[0]:
            self._receive()
        return len(self.received) == self._taken

    def in_step(self):
        """Clears the line and waits for the answer to a command of our own, and for who ends then: all before it has been dealt with."""
        self._steps += 1
        word = b"step-%d" % self._steps
        self.send(b"\x15echo " + word + b"\r")
        self.expect(rb"[\r\n]" + word + rb"\r\n(\[\d+\] done [^\n]*\n)*" + NEW_PROMPT)

    def quiet(self, seconds=0.5):
        """Reads until nothing has come for so long; forgets it."""
        while select.select([self._serial], [], [], seconds)[0]:
            self._receive()
        self._taken = len(self.received)

    def _receive(self):
        data = self._serial.recv(65536)
        assert data, "QEMU has closed the serial line"
        self.received += data

    def prompt(self):
        self.expect(NEW_PROMPT)

    def command(self, line, patience=PATIENCE):
        """Types a line; what it printed up to the next prompt, as text with plain line ends."""
        self.send(line.encode("ascii") + b"\r")
        self.expect(rb"\r\n")
        self.echo_end = self._taken
        # Not "(.*?)" before the prompt: that is tried from each byte of a long text again.
        printed = self.received[self.echo_end : self.expect(NEW_PROMPT, patience).start()]
        return ESCAPES.sub(b"", bytes(printed)).replace(b"\r\n", b"\n").decode("ascii")

    def status(self):
        return int(self.command("echo $?"))

    # --- the monitor ---

    def monitor(self, line):
        self._monitor.sendall(line.encode() + b"\n")
        return self._monitor_reply()

    def _monitor_reply(self):
        reply = b""
        while not reply.endswith(b"(qemu) "):
            piece = self._monitor.recv(65536)
            assert piece, "QEMU has closed the monitor"
            reply += piece
        return ESCAPES.sub(b"", reply).decode(errors="replace")

    def raised(self):
        """{(chip, line): count} as QEMU's `info irq` has them."""
        counts, chip = {}, None
        for line in self.monitor("info irq").splitlines():
            heading = re.match(r"IRQ statistics for (\S+):", line)
            row = re.match(r"\s*(\d+): (\d+)", line)
            if heading:
                chip = heading.group(1)
            elif row and chip:
                counts[chip, int(row.group(1))] = int(row.group(2))
        return counts

    def wait_end(self, patience=PATIENCE):
        return self.process.wait(patience)

    def close(self):
        for end in (self._serial, self._monitor):
            end.close()
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def _connect(path, process):
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            end = socket.socket(socket.AF_UNIX)
            end.connect(str(path))
            return end
        except OSError:
            end.close()
            assert process.poll() is None, "QEMU did not start: " + _log(path)
            assert time.monotonic() < deadline, "QEMU opens no socket"
            time.sleep(0.02)


def _log(path):
    return pathlib.Path(path.parent, "qemu.log").read_text(errors="replace")
