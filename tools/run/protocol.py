# SPDX-License-Identifier: BSD-2-Clause
"""The words that the launcher and the kernel exchange in script mode (`run -c`).

The launcher hands the kernel a module: a header line with a tag, then the command bytes. The kernel puts
lines that begin with the byte 1 and that tag among its output on the serial line: `begin` before the first
command, `exit N` after the last, `panic` before a panic's report, `reboot` when the board is about to be
reset. This file knows nothing of emulators, files or terminals.
"""

import os
import re

FIXED_TAG = "00000000c0de0001"
_END = re.compile(rb"exit (\d{1,3})|panic|reboot")
# Firmware may have left the cursor in a line.
_PANIC = re.compile(rb"^(?:Booting from ROM\.\.)?panic: ", re.M)


def new_tag(deterministic):
    """16 hexadecimal digits that no command can know, unless every run is to be the same."""
    return FIXED_TAG if deterministic else os.urandom(8).hex()


def module_bytes(tag, commands):
    """The boot module. The kernel wants at least one command byte."""
    return f"quipu-script 1 {tag}\n{commands or ' '}".encode("ascii")


class Output:
    """Takes apart what the serial line brings.

    feed() returns the bytes that the commands printed, as soon as they cannot be part of a marker.
    `log` is what came before the commands, `report` what came after the panic marker, `everything` all of
    it; `end` is None, "exit", "panic" or "reboot", and `status` the number of an exit.
    """

    def __init__(self, tag):
        self._lead = b"\x01" + tag.encode("ascii") + b" "
        self._waiting = b""
        self.begun = False
        self.end = None
        self.status = None
        self.log = bytearray()
        self.report = bytearray()
        self.everything = bytearray()

    def feed(self, data):
        self.everything += data
        self._waiting += data
        printed = b""
        while self._waiting and self.end is None:
            plain, marker = self._next_piece()
            if self.begun:
                printed += plain
            else:
                self.log += plain
            if marker is None:
                break
            self._obey(marker)
        if self.end is not None:
            self.report += self._waiting
            self._waiting = b""
        return printed

    def flush(self):
        """The emulator has ended: whatever looked like the start of a marker was not one."""
        rest, self._waiting = self._waiting, b""
        if self.begun:
            return rest
        self.log += rest
        return b""

    def panicked(self):
        """A panic that came too early for a marker shows only as a line."""
        return self.end == "panic" or _PANIC.search(self.everything) is not None

    def panicked_early(self):
        """Before the first command, from code that knows no marks: it may not be able to switch off either."""
        return not self.begun and self.end is None and _PANIC.search(self.log) is not None

    def _next_piece(self):
        """(bytes before a marker, marker text or None); leaves in _waiting what is still undecided."""
        at = self._waiting.find(self._lead)
        if at >= 0:
            stop = self._waiting.find(b"\n", at)
            plain = self._waiting[:at]
            if stop < 0:
                self._waiting = self._waiting[at:]
                return plain, None
            marker = self._waiting[at + len(self._lead) : stop]
            self._waiting = self._waiting[stop + 1 :]
            return plain, marker
        keep = self._partial_lead()
        plain = self._waiting[: len(self._waiting) - keep]
        self._waiting = self._waiting[len(plain) :]
        return plain, None

    def _partial_lead(self):
        """How many bytes at the end could be the beginning of a marker."""
        for count in range(min(len(self._lead) - 1, len(self._waiting)), 0, -1):
            if self._waiting.endswith(self._lead[:count]):
                return count
        return 0

    def _obey(self, marker):
        if marker == b"begin":
            self.begun = True
            return
        end = _END.fullmatch(marker)
        if end:
            self.end = marker.split()[0].decode()
            self.status = int(end.group(1)) if end.group(1) else None
