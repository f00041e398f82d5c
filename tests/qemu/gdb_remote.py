# SPDX-License-Identifier: BSD-2-Clause
"""Just enough of gdb's remote protocol to stop a machine in QEMU at an address and change a register or memory."""

import re
import select
import socket
import time


class Debugger:
    def __init__(self, path, patience=30):
        deadline = time.monotonic() + patience
        while True:
            self._end = socket.socket(socket.AF_UNIX)
            try:
                self._end.connect(str(path))
                break
            except OSError:
                self._end.close()
                assert time.monotonic() < deadline, "QEMU opens no debugger's socket"
                time.sleep(0.05)
        self._end.settimeout(patience)
        self._input = self._end.makefile("rb")
        # QEMU writes single registers only for a debugger that has asked for their description.
        self._send("qXfer:features:read:target.xml:0,ff0")
        while self._reply().startswith("T"):  # a machine that runs is stopped for the debugger, and says so
            pass

    def run_to(self, address):
        self.go_on_to(address)
        self.is_at(address)

    def go_on_to(self, address):
        """Without waiting for it, which is_at() does."""
        assert self._ask(f"Z1,{address:x},1") == "OK"
        self.go_on()

    def has_stopped(self, seconds):
        """Whether it says so within so many; then is_at() says where."""
        deadline = time.monotonic() + seconds
        while b"$" not in self._waiting() and time.monotonic() < deadline:
            time.sleep(0.02)
        return b"$" in self._waiting()

    def _waiting(self):
        """What has come and is not read yet, but for what `_input` has taken already."""
        return self._end.recv(64, socket.MSG_PEEK) if select.select([self._end], [], [], 0)[0] else b""

    def is_at(self, address):
        """Which CPU, counted from 1."""
        reply = self._reply()
        assert reply.startswith("T05")
        assert self._ask(f"z1,{address:x},1") == "OK"
        return int(re.search(r"thread:(?:p0*1\.)?(\w+);", reply).group(1), 16)

    def step(self, cpu):
        """One instruction of that CPU; the others, for which there may be no breakpoint now, stay where they are."""
        assert self._ask(f"vCont;s:p1.{cpu:x}").startswith("T05")

    def set_register(self, number, value):
        assert self._ask(f"P{number:x}={value.to_bytes(8, 'little').hex()}") == "OK"

    def set_among_all(self, values, order="big"):
        """{number: value} of registers of 8 bytes, where older QEMUs take only all registers together (and 11.1 then clears
        the highest bit of MIPS' PC)."""
        replies = {self._ask(f"P{number:x}={value.to_bytes(8, order).hex()}") for number, value in values.items()}
        if replies == {"OK"}:
            return
        registers = self._all()
        for number, value in values.items():
            registers[number * 8 : number * 8 + 8] = value.to_bytes(8, order)
        reply = self._ask(f"G{registers.hex()}")
        assert reply == "OK", reply

    def register(self, number, order):
        return int.from_bytes(self._all()[number * 8 : number * 8 + 8], order)

    def stop(self):
        """Where it is, after go_on()."""
        self._end.sendall(b"\3")
        assert self._reply().startswith("T")

    def read(self, address, length):
        return bytes.fromhex(self._ask(f"m{address:x},{length:x}"))

    def write(self, address, data):
        assert self._ask(f"M{address:x},{len(data):x}:{data.hex()}") == "OK"

    def go_on(self, actions=""):
        """ACTIONS, as "c:p1.1", are for single CPUs; those that are not named stay where they are."""
        self._send(f"vCont;{actions}" if actions else "c")

    def _all(self):
        return bytearray.fromhex(self._ask("g"))

    def _ask(self, text):
        self._send(text)
        return self._reply()

    def _reply(self):
        while self._input.read(1) != b"$":
            pass
        reply = b""
        while (byte := self._input.read(1)) != b"#":
            reply += byte
        self._input.read(2)
        self._end.sendall(b"+")
        return reply.decode()

    def _send(self, text):
        self._end.sendall(f"${text}#{sum(text.encode()) % 256:02x}".encode())
