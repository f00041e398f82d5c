# SPDX-License-Identifier: BSD-2-Clause
"""A line of the kernel's log that comes while a line is typed: it stands above that, which is drawn anew."""

import re

from test_virtio import disk

LINE = rb"\[ *\d+\.\d+\] vd0: a request was not done in time; resetting\r\n"


def stall(machine):
    """The disk is so slow from now on that requests are late; who waits for them says so in the log."""
    machine.monitor("block_set_io_throttle slow 0 0 0 1 0 0")


def test_log_while_a_line_is_typed(boot, tmp_path):
    machine = boot(arguments=disk(tmp_path / "slow.img", device=",request-merging=off"))
    machine.prompt()
    machine.command("devctl inject vd0 timeout=300")
    machine.command("watch -n 0.01 dd if=vd0 of=null bs=4k jobs=32 > /tmp/said &")
    machine.send(b"echo abcd\x1b[D\x1b[D")
    machine.expect(rb"echo abcd\x08\x08")
    stall(machine)
    machine.expect(rb"\r\x1b\[K" + LINE + rb"(?:\[[^\r\n]*\r\n)*\rquipu> echo abcd\x1b\[K\x1b\[2D")
    machine.send(b"X")
    machine.expect(rb"Xcd")
    machine.expect(rb"\r\x1b\[K" + LINE + rb"(?:\[[^\r\n]*\r\n)*\rquipu> echo abXcd\x1b\[K\x1b\[2D")
    machine.send(b"\r")
    machine.expect(rb"\r\nabXcd\r\n")
    machine.prompt()
    # In a search, too; and what came is what dmesg has, line for line.
    machine.send(b"\x12ech")
    machine.expect(rb"\(search\)'ech': ")
    machine.expect(rb"\r\x1b\[K" + LINE + rb"(?:\[[^\r\n]*\r\n)*\r\(search\)'ech': echo abXcd\x1b\[K")
    machine.send(b"\x03")
    machine.expect(rb"\^C\r\n")
    machine.prompt()
    machine.monitor("block_set_io_throttle slow 0 0 0 0 0 0")
    machine.command("stop 1; wait")
    shown = re.findall(LINE, bytes(machine.received))
    log = machine.command("dmesg")
    assert [line.decode().replace("\r", "") for line in shown] == re.findall(LINE.replace(rb"\r", b"").decode(), log)
    assert len(shown) >= 3
