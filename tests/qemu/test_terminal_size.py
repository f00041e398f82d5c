# SPDX-License-Identifier: BSD-2-Clause
"""The size of the terminal: the launcher's, the terminal's own answer, what programs are told; who draws by it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import pytest

import guest
import linux_program

QUESTION = b"\x1b7\x1b[999;999H\x1b[6n\x1b8"


def answer(rows, columns):
    return b"\x1b[%d;%dR" % (rows, columns)


def resize(machine, rows, columns, before=b"", after=b""):
    """Says `resize`; the terminal answers so, with something typed before and behind."""
    machine.send(b"resize\r")
    machine.expect(re.escape(QUESTION))
    machine.send(before + answer(rows, columns) + after)
    machine.expect(b"rows %d, columns %d\r\n" % (rows, columns))


def frame(machine):
    """A screen that is complete: its lines."""
    return machine.expect(rb"\x1b\[H((?:(?!\x1b\[H).)*)\x1b\[J")[1].decode().replace("\x1b[K", "").split("\r\n")


def test_set_and_told(machine):
    assert machine.command("stty size") == "24 80\n"
    assert machine.command("stty rows 30 cols 100") == "" and machine.command("stty size") == "30 100\n"
    assert machine.command("stty columns 132") == "" and machine.command("stty") == "rows 30, columns 132\n"
    for bad in ("rows", "rows 0", "cols 70000", "rows x", "-echo", "sane", "rows 1 cols"):
        assert machine.command(f"stty {bad}").startswith("stty: ") and machine.status() == 2, bad
    assert machine.command("stty size") == "30 132\n"


def test_asked(machine):
    """What is typed before, behind and in place of an answer is not lost; no answer changes nothing."""
    resize(machine, 40, 100, before=b"echo one\r", after=b"echo two\r")
    machine.expect(rb"echo one\r\none\r\n.*echo two\r\ntwo\r\n")
    machine.prompt()
    assert machine.command("stty size") == "40 100\n"
    machine.send(b"resize\r")
    machine.expect(re.escape(QUESTION))
    machine.send(b"echo \x1b[C\x1b[1;2Rthree\x1b[;R\x1b[9R\r")
    machine.expect(rb"resize: the terminal does not say how large it is; rows 40, columns 100\r\n")
    machine.expect(rb"\r\nthree\r\n|three\r\n")
    machine.prompt()
    assert machine.command("stty size") == "40 100\n"


def test_interrupted(machine):
    machine.send(b"resize\r")
    machine.expect(re.escape(QUESTION))
    machine.send(b"\x03")
    machine.prompt()
    assert machine.status() == 130


@pytest.mark.parametrize("rows, columns", [(24, 80), (34, 120), (12, 40)])
def test_screens(machine, rows, columns):
    """top and systat fill the screen but for its last line, and never a line to its end."""
    for _ in range(30):
        machine.command("sleep 100000 &")
    resize(machine, rows, columns)
    for command in (b"top -d 0.2", b"systat vmstat 0.2"):
        machine.send(command + b"\r")
        machine.expect(re.escape(QUESTION))
        machine.send(answer(rows, columns))
        for _ in range(2):
            lines = frame(machine)
            assert lines[-1] == "" and len(lines) <= rows and max(map(len, lines)) < columns, lines
            if command.startswith(b"top"):
                assert len(lines) == rows, lines
        machine.send(b"q")
        machine.prompt()


def test_a_window_that_grows(machine):
    """^L asks again; the one that did not answer at first is 24 by 80."""
    for _ in range(30):
        machine.command("sleep 100000 &")
    machine.send(b"top -d 0.2\r")
    assert len(frame(machine)) == 24
    for _ in range(100):
        machine.send(b"\x0c")
        machine.expect(re.escape(QUESTION))
        machine.send(answer(30, 90))
        if len(frame(machine)) == 30:
            break
    machine.send(b"q")
    machine.prompt()
    assert machine.command("stty size") == "30 90\n"


def test_tables_and_lines(boot, arch):
    """As many CPUs beside each other as fit; a long line scrolls at the edge."""
    machine = boot(cpus=16 if arch == "x86_64" else 1)
    machine.prompt()
    machine.command("stty cols 200")
    text = machine.command("intrctl list")
    assert arch == "mips" or re.match(r"interrupt id( +CPU\d+){16}", text), text
    machine.command("stty cols 50")
    assert max(map(len, machine.command("intrctl list").splitlines())) <= 50
    machine.send(b"echo " + b"x" * 60)
    machine.expect(rb"x\r(?:\x1b\[\d+C)?quipu> ")  # it is drawn anew, scrolled
    machine.send(b"\r")
    machine.expect(b"\r\n" + b"x" * 60 + b"\r\n")


def test_scripts_are_not_asked(quipu):
    text = quipu("stty size; stty rows 50; stty size; resize; echo $?; top -b -n 1; systat -b vmstat 1 1; top -n 1").text
    assert text.startswith("24 80\n50 80\nresize: ") and "\x1b[6n" not in text and "\x1b7" not in text
    assert "\n1\n" in text[:200]


@pytest.mark.programs
def test_programs_are_told(boot, arch, tmp_path):
    """TIOCGWINSZ and TIOCSWINSZ are about the same place; who is in the foreground hears of a change by SIGWINCH, once."""
    running = linux_program.start(boot, tmp_path, {"terminal": linux_program.compiled("terminal", arch)})
    running.command("stty rows 33 cols 99")
    running.send(b"terminal\r")
    running.expect(b"tty 1 33 99")
    running.send(b"size 44 88\r")
    running.expect(b"changed 44 88\r\n")
    running.send(b"size 44 88\r")
    running.expect(b"size 44 88\r\n")
    running.send(b"last\r")
    assert b"changed" not in running.expect(b"(.*)line 'last'")[1]
    running.send(b"\x04")
    running.prompt()
    assert running.command("stty size") == "44 88\n"


@pytest.mark.parametrize(
    "word, size, said",
    [("terminal=50,132", "50 132", None), ("terminal=0,80", "24 80", "no terminal has a size of 0,80"),
     ("terminal=24,70000", "24 80", "no terminal has a size of 24,70000"), ("terminal=24", "24 80", 'bad value in "terminal=24"'),
     ("terminal=1111111111111111111111111,2", "24 80", "no terminal has a size of 111")],
)  # fmt: skip
def test_word(boot, word, size, said):
    machine = boot(words=word)
    machine.prompt()
    assert machine.command("stty size") == size + "\n"
    log = machine.command("dmesg")
    assert said in log if said else "terminal" not in re.sub(r'.*command line.*', "", log)


def read_until(descriptor, pattern):
    seen, deadline = b"", time.monotonic() + guest.PATIENCE
    while not re.search(pattern, seen):
        assert time.monotonic() < deadline, seen
        if select.select([descriptor], [], [], 1)[0]:
            seen += os.read(descriptor, 65536)
    return seen


def test_the_launchers_terminal(arch):
    """`./quipu run` on a terminal hands its size over."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 37, 113, 0, 0))
    process = subprocess.Popen(
        [str(guest.ROOT / "quipu"), "run", "--arch", arch], stdin=theirs, stdout=theirs, stderr=theirs, env=guest.environment(), start_new_session=True
    )
    try:
        read_until(ours, rb"quipu> $")
        os.write(ours, b"stty size\r")
        read_until(ours, rb"size\s+37 113\s+quipu> $")
        os.write(ours, b"poweroff\r")
        process.wait(guest.PATIENCE)
    finally:
        process.kill()
        os.close(ours)
        os.close(theirs)
