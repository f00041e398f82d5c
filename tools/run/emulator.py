# SPDX-License-Identifier: BSD-2-Clause
"""A running emulator: starts it, reads what its serial line has brought, ends it whatever happens.

It does not know what the bytes mean.
"""

import os
import pty
import subprocess
import time
import tty

LOOK_SECONDS = 0.005


def dying_with_parent(command, by="KILL"):
    """COMMAND, as one that no launcher's death leaves behind. By a program of util-linux: for a function in the child Python
    would fork, which is a quarter of what it does for a run."""
    return ["setpriv", "--pdeathsig", by, *command]


class Emulator:
    """serial: the file that the emulator writes; None if the serial line is the emulator's terminal."""

    def __init__(self, command, work, serial, typed=b""):
        self._errors = open(work / "errors", "w+b")
        self._reader = None
        self._serial = serial
        self._terminal = None
        if serial is None:
            self._terminal, theirs = pty.openpty()
            tty.setraw(theirs)
            os.set_blocking(self._terminal, False)
            streams = {"stdin": theirs, "stdout": theirs}
        else:
            streams = {"stdin": subprocess.PIPE, "stdout": self._errors}
        self._process = subprocess.Popen(
            dying_with_parent(command),
            stderr=self._errors,
            start_new_session=True,
            **streams,
        )
        if serial is None:
            os.close(theirs)
        elif typed:
            self._process.stdin.write(typed)
            self._process.stdin.flush()

    def read(self):
        """What has come since the last call; b"" if nothing has."""
        if self._terminal is not None:
            return self._read_terminal()
        if self._reader is None:
            try:
                self._reader = open(self._serial, "rb")
            except FileNotFoundError:
                return b""
        return self._reader.read()

    def _read_terminal(self):
        pieces = []
        while True:
            try:
                piece = os.read(self._terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            pieces.append(piece)
        return b"".join(pieces)

    def running(self):
        return self._process.poll() is None

    def status(self):
        return self._process.poll()

    def errors(self):
        """What the emulator itself had to say."""
        self._errors.seek(0)
        return self._errors.read()

    def wait(self, seconds):
        """Until it ends, or so long. (Popen.wait looks every 50 ms in the end.)"""
        limit = time.monotonic() + seconds
        while self.running() and time.monotonic() < limit:
            time.sleep(LOOK_SECONDS)

    def stop(self, grace):
        """Waits for its own end for `grace` seconds, then asks, then forces."""
        if grace:
            self.wait(grace)
        if self.running():
            self._process.terminate()
            self.wait(2)
        if self.running():
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                pass
