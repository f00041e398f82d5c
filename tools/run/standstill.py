# SPDX-License-Identifier: BSD-2-Clause
"""Where a guest stands that has not ended in time: each CPU's program counter, and what looks like return addresses
on its stack, by QEMU's monitor. A hint for whoever looks for the reason; nothing depends on it.
"""

import bisect
import re
import socket
import subprocess
import time

LOOKS = 3
PAUSE_SECONDS = 0.3
PATIENCE_SECONDS = 5
STACK_WORDS = 64
STACK_SHOWN = 12
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]")
PLACES = {
    "x86_64": re.compile(r"RSP=([0-9a-f]{16}).*?RIP=([0-9a-f]{16})", re.S),
    "mips": re.compile(r"sp ([0-9a-f]{16})", re.S),
}
MIPS_PC = re.compile(r"pc=0x([0-9a-f]{16})")
WORD = re.compile(r"0x([0-9a-f]{16})")


class Monitor:
    def __init__(self, path):
        self._end = socket.socket(socket.AF_UNIX)
        self._end.settimeout(PATIENCE_SECONDS)
        self._end.connect(str(path))
        self._reply()

    def _reply(self):
        reply = b""
        while not reply.endswith(b"(qemu) "):
            piece = self._end.recv(65536)
            if not piece:
                raise OSError("the monitor is closed")
            reply += piece
        return ESCAPES.sub(b"", reply).decode(errors="replace")

    def ask(self, line):
        self._end.sendall(line.encode() + b"\n")
        return self._reply()


class Symbols:
    """The functions of a kernel."""

    def __init__(self, elf, arch):
        tool = "mips64-linux-gnuabi64-nm" if arch == "mips" else "nm"
        listing = subprocess.run([tool, "-n", elf], capture_output=True, text=True, check=True).stdout
        rows = [line.split() for line in listing.splitlines()]
        self._rows = [(int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "tT"]
        self._starts = [row[0] for row in self._rows]
        self._end = next(int(row[0], 16) for row in rows if row[-1] == "kernel_text_end")

    def name(self, address):
        """symbol+0xoffset, or "" if that is no code."""
        at = bisect.bisect_right(self._starts, address) - 1
        if at < 0 or address >= self._end:
            return ""
        return f"{self._rows[at][1]}+{address - self._rows[at][0]:#x}"


def _cpu(monitor, symbols, arch, text):
    """One CPU's line: where it is, and who seems to have called."""
    if arch == "mips":
        stack, at = PLACES[arch].search(text).group(1), MIPS_PC.search(text).group(1)
    else:
        stack, at = PLACES[arch].search(text).groups()
    words = monitor.ask(f"x /{STACK_WORDS}gx 0x{stack}").split("\n", 1)[-1]
    callers = [symbols.name(int(word, 16)) for word in WORD.findall(words)]
    callers = [caller for caller in callers if caller and not caller.endswith("+0x0")][:STACK_SHOWN]
    return " < ".join([symbols.name(int(at, 16)) or "0x" + at, *callers])


def look(path, elf, arch):
    """Lines of text; none if QEMU does not answer."""
    lines = []
    try:
        monitor, symbols = Monitor(path), Symbols(elf, arch)
        for number in range(LOOKS):
            cpus = monitor.ask("info registers -a").split("CPU#")[1:]
            for cpu, text in enumerate(cpus):
                monitor.ask(f"cpu {cpu}")
                lines.append(f"cpu{cpu}: {_cpu(monitor, symbols, arch, text)}")
            if number + 1 < LOOKS:
                time.sleep(PAUSE_SECONDS)
    except (OSError, subprocess.CalledProcessError, AttributeError, StopIteration) as error:
        lines.append(f"where it stands cannot be said: {error!r}")
    return lines
