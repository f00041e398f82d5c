# SPDX-License-Identifier: BSD-2-Clause
"""What a user's own arguments ask of QEMU: how much memory, which CPU, which board. And which of these cannot say
themselves that they cannot run the kernel, as not even its first instructions are executed there.
"""

import re

MIB = 1 << 20
UNITS = {"b": 1, "k": 1 << 10, "": MIB, "m": MIB, "g": 1 << 30, "t": 1 << 40}
# CPUs with other instructions altogether: QEMU's boot ROM jumps to the kernel's entry by 32 bits, where this machine has
# no memory.
NANOMIPS = ("I7200",)
# Boards that the kernel runs on, or tells that it does not; names may go on with -VERSION.
BOARDS = {"x86_64": ("pc", "q35", "isapc", "microvm"), "mips": ("malta",)}
# MiB from which on the kernel's beginning is in memory, and on Malta all of it.
LOADED = {"x86_64": 2, "mips": 4}
NEEDED = 8  # MiB; what boot(8) says


def _last(arguments, *options):
    """The value of the last of these OPTIONS among QEMU's ARGUMENTS, or ""."""
    named = [value for option, value in zip(arguments, arguments[1:]) if option.replace("--", "-", 1) in options]
    return named[-1] if named else ""


def memory(arguments):
    """Bytes of memory that QEMU's ARGUMENTS ask for; None if they do not, or in a way that is not known here."""
    size = _last(arguments, "-m").split(",")[0].removeprefix("size=")
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([bkmgt]?)", size.lower())
    return int(float(match[1]) * UNITS[match[2]]) if match else None


def _board(arguments):
    return _last(arguments, "-M", "-machine").split(",")[0].removeprefix("type=")


def refusal(arch, arguments):
    """Why the kernel cannot run there, or "" if it can, or says why itself."""
    size, board = memory(arguments), _board(arguments)
    if arch == "mips" and _last(arguments, "-cpu").split(",")[0] in NANOMIPS:
        return "this CPU executes nanoMIPS, of which the kernel has no instruction"
    if board and "=" not in board and board.split("-")[0] not in BOARDS[arch]:
        return f"the kernel runs on a {BOARDS[arch][0]} board, not on {board}"
    if size is not None and size < LOADED[arch] * MIB:
        return f"{size / MIB:g} MiB of memory are too little: the kernel needs {NEEDED} MiB"
    return ""
