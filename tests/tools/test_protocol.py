# SPDX-License-Identifier: BSD-2-Clause
"""The script protocol's reader, byte by byte and in lumps: what it prints never depends on how bytes arrive."""

import pytest

import protocol

TAG = "0123456789abcdef"
MARK = b"\x01" + TAG.encode() + b" "


def read(stream, lump):
    output = protocol.Output(TAG)
    printed = b""
    for at in range(0, len(stream), lump):
        printed += output.feed(stream[at : at + lump])
    return output, printed + output.flush()


@pytest.mark.parametrize("lump", [1, 2, 3, 7, 19, 1000])
@pytest.mark.parametrize("body", [b"", b"a\nb", b"\x01", b"\x01\x01" + TAG[:9].encode(), MARK[:-1] + b"!", b"\x010\n"])
def test_exit(lump, body):
    output, printed = read(b"log\n" + MARK + b"begin\n" + body + MARK + b"exit 42\nrest", lump)
    assert (output.end, output.status, printed) == ("exit", 42, body)
    assert bytes(output.log) == b"log\n" and bytes(output.report) == b"rest"


@pytest.mark.parametrize("lump", [1, 5, 1000])
def test_panic_and_reboot(lump):
    output, printed = read(MARK + b"begin\nx" + MARK + b"panic\npanic: why\n", lump)
    assert (output.end, printed, bytes(output.report)) == ("panic", b"x", b"panic: why\n")
    output, printed = read(b"log" + MARK + b"panic\npanic: early\n", lump)
    assert (output.end, printed, output.begun) == ("panic", b"", False)
    output, printed = read(MARK + b"begin\nx" + MARK + b"reboot\n", lump)
    assert (output.end, printed) == ("reboot", b"x")


def test_output_is_not_held_back():
    output = protocol.Output(TAG)
    output.feed(MARK + b"begin\n")
    assert output.feed(b"now") == b"now"
    assert output.feed(b"x\x01") == b"x"
    assert output.feed(b"y") == b"\x01y"


def test_end_without_a_marker():
    output, printed = read(b"boot\npanic: too early\n", 4)
    assert output.end is None and output.panicked() and printed == b""
    output, printed = read(MARK + b"begin\nx" + MARK[:5], 4)
    assert output.end is None and not output.panicked() and printed == b"x" + MARK[:5]


def test_module():
    assert protocol.module_bytes(TAG, "echo 'x'") == b"quipu-script 1 0123456789abcdef\necho 'x'"
    assert protocol.module_bytes(TAG, "").endswith(b"\n ")
    assert protocol.new_tag(True) == protocol.new_tag(True) != protocol.new_tag(False)
    assert len(protocol.new_tag(False)) == len(protocol.new_tag(True)) == 16
