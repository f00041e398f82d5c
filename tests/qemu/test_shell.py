# SPDX-License-Identifier: BSD-2-Clause
"""The shell as someone at the terminal meets it: editing, history, completion, ^C, and bad input."""

import random
import re

import pytest

import guest

COMMANDS = """help vmstat uptime date dmesg ps mem lspci hinv intrstat sleep time echo true false spin selftest
panic reboot poweroff clear jobs wait stop kill on mpstat top watch intrctl""".split()


def typed(machine, keys):
    """What running the line that KEYS make prints."""
    machine.send(keys + b"\r")
    return machine.expect(rb"\r\n(.*?)quipu> ").group(1).replace(b"\r\n", b"\n").decode("ascii")


EDITS = [
    (b"ehco\x7f\x7f\x7fcho ok", "ok\n"),
    (b"echo ab\x02X", "aXb\n"),
    (b"echo axb\x02\x02\x04\x05!", "ab!\n"),
    (b"cho ab\x01e\x05c", "abc\n"),
    (b"echo one two\x17three", "one three\n"),
    (b"nonsense\x15echo fresh", "fresh\n"),
    (b"echo keep drop\x1b[D\x1b[D\x1b[D\x1b[D\x0b", "keep\n"),
    (b"cho home\x1b[He", "home\n"),
    (b"echo en\x1b[H\x1b[Fd", "end\n"),
    (b"echo a\x1b[D\x1b[Cb", "ab\n"),
    (b"echo axb\x1b[D\x1b[D\x1b[3~", "ab\n"),
    (b"echo \x1b[99~\x1b[Zgarbage\x1bOP", "garbage\n"),
]


def test_editing(machine):
    for keys, printed in EDITS:
        assert typed(machine, keys) == printed, keys


def test_history(machine):
    machine.command("echo first")
    machine.command("echo second")
    assert typed(machine, b"\x1b[A") == "second\n"
    assert typed(machine, b"\x1b[A\x1b[A") == "first\n"
    assert typed(machine, b"half\x1b[A\x1b[B\x15echo third") == "third\n"


def test_completion(machine):
    assert typed(machine, b"ech\tcompleted") == "completed\n"
    machine.send(b"help upt\t\r")
    machine.expect(rb"uptime.*?quipu> ")
    machine.send(b"\t\t")
    machine.expect(rb"vmstat")
    machine.send(b"\x15\r")
    machine.prompt()


def test_interrupting(machine):
    for command in (b"sleep 1000", b"spin 100000", b"vmstat -i 1"):
        machine.send(command + b"\r")
        machine.expect(rb"\r\n")
        machine.quiet(0.3)
        machine.send(b"\x03")
        machine.prompt()
        assert machine.status() != 0
    machine.send(b"half a line\x03")
    machine.prompt()
    assert machine.command("echo alive") == "alive\n"


def test_statuses_and_words(quipu):
    script = [
        "true; echo $?",
        "false; echo $?",
        "nonsense; echo $?",
        "sleep -z; echo $?",
        "echo 'a  b' \"c  'd'\" e\\ \\ f",
        "echo x # the rest is not run; echo y",
    ]
    lines = quipu("; ".join(script)).lines()
    assert lines[:3] == ["0", "1", "nonsense: command not found"] and lines[3] == "127"
    assert lines[-3:] == ["2", "a  b c  'd' e  f", "x"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_explained(name):
    text = guest.run(f"help {name}").text
    assert name in text and "xample" in text


def test_help_lists_every_command(quipu):
    words = quipu("help").text.split()
    assert set(COMMANDS) <= set(words)


def test_bad_options(quipu):
    names = [name for name in COMMANDS if name not in ("echo", "panic", "reboot", "poweroff", "true", "false", "time")]
    result = quipu("; ".join(f"{name} -Q; echo {name} $?" for name in names))
    for name in names:
        assert f"{name} 2" in result.lines()


def test_time_and_spin(quipu):
    lines = quipu("time spin 50; time sleep 0.5", "--deterministic").lines()
    spun, slept = (float(line.split()[1]) for line in lines if line.startswith("real"))
    assert 0.05 <= spun < 0.1 and 0.5 <= slept < 0.6


def test_a_megabyte_of_noise(machine):
    noise = random.Random(2).randbytes(1 << 20)
    before = int(machine.command("true; echo $?"))
    received, sent = counter(machine, "com0", "rx bytes"), machine.sent
    machine.send(noise)
    machine.quiet(1)
    # Whatever the noise has begun, ^C ends it and ^U clears the line; then the shell must answer.
    for _ in range(3):
        machine.send(b"\x03\x15\r")
        machine.quiet(0.5)
    assert before == 0
    assert machine.command("echo alive and well") == "alive and well\n"
    # Each byte of it came in, once, and none was bad. `received` was read when its own command had come.
    assert counter(machine, "com0", "rx bytes") - received == machine.sent - sent
    assert counter(machine, "com0", "rx errors") == counter(machine, "com0", "rx dropped") == 0


def test_a_long_line(machine):
    words = "y" * 4000
    assert machine.command(f"echo {words}").replace("\n", "") == words
    machine.send(b"echo " + b"z" * 6000 + b"\r")
    machine.expect(rb"shell: line too long: nothing of it was run\r\n" + guest.NEW_PROMPT)
    assert machine.status() == 2
    machine.send(b"echo " + b"z" * 6000)
    machine.in_step()
    assert machine.command("echo alive") == "alive\n"


def counter(machine, group, name):
    row = rf"^{group} +{name} +(\d+)"
    return int(re.search(row, machine.command("vmstat -e -v"), re.M).group(1))


PASTE = b"w" * 100_000


def test_nothing_typed_ahead_is_lost(machine):
    """More lines at once than there is room for: each is run."""
    machine.send(b"sleep 1\r" + b"".join(b"echo line %d\r" % n for n in range(3000)))
    printed = [int(machine.expect(rb"\nline (\d+)\r\n").group(1)) for _ in range(3000)]
    assert printed == list(range(3000))
    machine.prompt()


def test_a_paste_at_the_prompt(machine):
    machine.send(PASTE + b"\x03")
    machine.in_step()
    assert machine.command("echo alive") == "alive\n"


def test_a_paste_while_a_command_runs(machine):
    """What has no room waits in front of the machine, and the ^C behind it as well."""
    machine.send(b"sleep 5\r")
    machine.expect(rb"\r\n")
    machine.send(PASTE + b"\x03")
    machine.in_step()
    assert machine.command("echo alive") == "alive\n"


@pytest.mark.parametrize("waiting", [100, 8192, 16_000])
def test_interrupt_behind_type_ahead(machine, waiting):
    """A ^C that has been received counts at once, and what stood before it is thrown away."""
    machine.send(b"sleep 600\r")
    machine.expect(rb"\r\n")
    machine.send(b"#" * waiting + b"\x03")
    machine.expect(rb"\^C\r\nquipu> ")
    assert machine.nothing_came()
    machine.in_step()
    assert counter(machine, "console", "input dropped") == waiting
    machine.send(b"sleep 600\r")
    machine.expect(rb"\r\n")
    machine.send(PASTE[:20] + b"\x03")
    machine.expect(rb"\^C\r\nquipu> ")
