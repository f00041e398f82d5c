# SPDX-License-Identifier: BSD-2-Clause
"""`run -c`: boots, passes on exactly what the commands print, and turns the end into an exit status."""

import importlib
import os
import shlex
import sys
import time

import protocol
from emulator import Emulator
from saying import say

POLL_SECONDS = 0.02
# A machine that has said its last word switches itself off in no time; this is for one that hangs there.
GRACE_SECONDS = 5
# A machine that its guest cannot switch off: a panic report is over when nothing has come for so long.
QUIET_SECONDS = 1.5
# In the middle of its report a panic gives a CPU that does not answer some seconds of its own time, on a busy host more of ours.
PANIC_SECONDS = 60
LAST_LINES = 30
# The emulator writes what the serial line brings into a file, and does not say when that fails.
LEAST_ROOM = 4096

STATUS_EMULATOR = 1
STATUS_PANIC = 70
STATUS_TIMEOUT = 124


def show(data):
    """Guest bytes to stderr, ending with a line break."""
    sys.stderr.flush()
    sys.stderr.buffer.write(data if data.endswith(b"\n") or not data else data + b"\n")
    sys.stderr.flush()


def last_lines(data):
    """The end of what came, without the marks of our own protocol (protocol.py)."""
    lines = [line for line in bytes(data).rstrip(b"\n").split(b"\n") if not line.startswith(b"\x01")]
    return b"\n".join(lines[-LAST_LINES:])


def run(options, backend, work):
    return Run(options, backend, work).finish()


class Run:
    def __init__(self, options, backend, work):
        self._options = options
        self._work = work
        self._backend = backend
        self._tag = protocol.new_tag(options.deterministic)
        self._output = protocol.Output(self._tag)
        self._logged = 0
        self._stands = []
        module = protocol.module_bytes(self._tag, options.commands)
        serial = work / "serial"
        command = backend.script_command(options, work, module, serial)
        if options.verbose:
            say(shlex.join(command))
        if options.gdb:
            say(backend.debugger_hint(options))
        typed = getattr(backend, "DEBUGGER_INPUT", b"")
        on_terminal = not backend.ENDS_ITSELF
        self._emulator = Emulator(command, work, None if on_terminal else serial, typed)

    def finish(self):
        """The exit status of the whole run."""
        try:
            late = self._pump()
            return self._conclude(late)
        finally:
            self._emulator.stop(0)

    def _pump(self):
        """Copies until there is an end; True if there was none in time."""
        start = time.monotonic()
        limit = None if self._options.gdb else start + self._options.timeout
        last = start
        while True:
            running = self._emulator.running()
            data = self._emulator.read()
            if data:
                self._take(data)
                last = time.monotonic()
            if self._output.end is not None or not running:
                return False
            if limit is not None and self._output.panicked_early() and time.monotonic() > last + QUIET_SECONDS:
                return False
            if not data:
                if limit is not None and time.monotonic() > limit:
                    return True
                self._emulator.wait(POLL_SECONDS)
            elif limit is not None and time.monotonic() > limit:
                return True

    def _take(self, data):
        self._print(self._output.feed(data))

    def _print(self, printed):
        if self._options.verbose and len(self._output.log) > self._logged:
            show(bytes(self._output.log[self._logged :]))
            self._logged = len(self._output.log)
        if printed:
            sys.stdout.buffer.write(printed)
            sys.stdout.buffer.flush()

    def _conclude(self, late):
        """The same as _end(), unless what the machine printed had no room on the way."""
        status = self._end(late)
        usage = os.statvfs(self._work)
        if usage.f_bavail * usage.f_frsize >= LEAST_ROOM:
            return status
        say(f"no room left in {self._work.parent}: what the machine printed may be cut short")
        return status or STATUS_EMULATOR

    def _end(self, late):
        if self._output.end == "panic":
            return self._panic()
        if self._output.end is not None:
            self._emulator.stop(GRACE_SECONDS if self._backend.ENDS_ITSELF else 0)
            return self._output.status or 0
        if late:
            self._look()
            self._emulator.stop(0)
        self._take(self._emulator.read())
        if self._output.end is not None:
            return self._end(False)
        self._print(self._output.flush())
        if late:
            show(last_lines(self._output.everything))
            show("".join(line + "\n" for line in self._stands).encode())
            say(f"no end within {self._options.timeout:g} s")
            return STATUS_TIMEOUT
        show(last_lines(self._emulator.errors()))
        show(last_lines(self._output.everything))
        if self._output.panicked():
            return STATUS_PANIC
        say(f"the emulator ended (status {self._emulator.status()}) before the commands did")
        return STATUS_EMULATOR

    def _look(self):
        """Where the machine stands, while it is there."""
        if self._backend.ENDS_ITSELF:
            standstill = importlib.import_module("standstill")  # for few runs
            kernel = self._options.kernel.with_suffix(".elf")
            self._stands = standstill.look(self._work / "monitor", kernel, self._options.arch)

    def _panic(self):
        """Collects the report to its end."""
        longest = PANIC_SECONDS if self._backend.ENDS_ITSELF else QUIET_SECONDS
        start = quiet_since = time.monotonic()
        while time.monotonic() < min(quiet_since + longest, start + 2 * PANIC_SECONDS):
            running = self._emulator.running()
            data = self._emulator.read()
            if data:
                self._take(data)
                quiet_since = time.monotonic()
            elif not running:
                break
            else:
                self._emulator.wait(POLL_SECONDS)
        show(bytes(self._output.report))
        return STATUS_PANIC
