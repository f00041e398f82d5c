# SPDX-License-Identifier: BSD-2-Clause
"""`run` without -c: the terminal is the serial console.

QEMU and GXemul take the terminal themselves. Bochs gets a terminal of its own, and the bytes are carried
between that and the user's.
"""

import os
import pty
import select
import shlex
import signal
import subprocess
import termios
import tty

from emulator import dying_with_parent
from saying import say

CTRL_A = 1
WORDS_MAX = 192  # bytes of kernel words that every way to boot has room for


def announce(options, backend, command):
    say(f"the serial console of {options.arch} on {options.on}; {backend.LEAVE}")
    if options.verbose:
        say(shlex.join(command))
    if options.gdb:
        say(backend.debugger_hint(options))


def on_own_terminal(options, backend, work):
    command = backend.interactive_command(options, work)
    announce(options, backend, command)
    saved = termios.tcgetattr(0) if os.isatty(0) else None
    try:
        child = subprocess.Popen(dying_with_parent(command))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        status = child.wait()
    finally:
        if saved is not None:
            termios.tcsetattr(0, termios.TCSADRAIN, saved)
    return status if status >= 0 else 128 - status


def on_carried_terminal(options, backend, work):
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    command = backend.interactive_command(options, work, os.ttyname(theirs))
    announce(options, backend, command)
    saved = termios.tcgetattr(0) if os.isatty(0) else None
    with open(work / "messages", "wb") as messages:
        child = subprocess.Popen(
            dying_with_parent(command),
            stdin=subprocess.PIPE,
            stdout=messages,
            stderr=messages,
            start_new_session=True,
        )
    child.stdin.write(backend.DEBUGGER_INPUT)
    child.stdin.flush()
    try:
        if saved is not None:
            tty.setraw(0)
        _carry(child, ours)
    finally:
        if saved is not None:
            termios.tcsetattr(0, termios.TCSADRAIN, saved)
        child.kill()
        child.wait()
    return 0


def _carry(child, serial):
    """Until the emulator ends or the user types Ctrl-A X."""
    sources = [0, serial]
    after_escape = False
    while child.poll() is None:
        ready, _, _ = select.select(sources, [], [], 0.2)
        if serial in ready:
            os.write(1, os.read(serial, 4096))
        if 0 not in ready:
            continue
        typed = os.read(0, 4096)
        if not typed:
            sources.remove(0)
        for byte in typed:
            if after_escape and byte in b"xX":
                return
            if byte == CTRL_A and not after_escape:
                after_escape = True
                continue
            after_escape = False
            os.write(serial, bytes([byte]))


def terminal_word():
    """The boot word with the size of the terminal that becomes the machine's; "" where there is none."""
    if not (os.isatty(0) and os.isatty(1)):
        return ""
    size = os.get_terminal_size(1)
    return f"terminal={size.lines},{size.columns}" if size.lines > 1 and size.columns > 1 else ""


def run(options, backend, work):
    words = f"{terminal_word()} {options.append}".strip()
    # An ISO with words of its own would have to be made first; and what has no room is said by `resize` as well.
    if options.boot != "iso" and len(words) <= WORDS_MAX:
        options.append = words
    if hasattr(backend, "DEBUGGER_INPUT"):
        return on_carried_terminal(options, backend, work)
    return on_own_terminal(options, backend, work)
