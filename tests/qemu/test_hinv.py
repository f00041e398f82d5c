# SPDX-License-Identifier: BSD-2-Clause
"""hinv(1) as a program: it prints what the shell's command prints, of all and of each class."""

import pytest

import guest

pytestmark = pytest.mark.programs

CLASSES = ("processor", "memory", "interrupt", "clock", "serial", "disk")


def test_as_the_shell(arch):
    commands = ["hinv", *(f"hinv -c {name}" for name in CLASSES)]
    script = "; ".join(f"{command}; echo then; /bin/{command}; echo end" for command in commands)
    result = guest.run(script, "--arch", arch, "--memory", 96)
    shown = [part.split("then\n") for part in result.text.split("end\n")[:-1]]
    assert len(shown) == len(commands) and result.status == 0, result.said
    for builtin, program in shown:
        assert builtin == program != ""
    every, *classes = [program for _, program in shown]
    assert sorted(every.splitlines()) == sorted("".join(classes).splitlines())
    assert "96 Mbytes" in classes[1]
    assert "vent counters" in classes[0]


def test_by_exec(arch, tmp_path):
    """`./quipu exec hinv -c processor`: the CPU, and its counters."""
    subject = guest.launch("run", "--arch", arch, "-c", "hinv -c processor")
    program = tmp_path / "hinv"
    program.write_bytes((guest.ROOT / "build" / arch / "user" / "perfex").read_bytes())
    result = guest.launch("exec", "-e", "none", program, "-c", "processor")
    assert result.text == subject.text and result.status == 0, result.said


def test_wrong_use(arch):
    for command, (text, status) in {
        "/bin/hinv -c none": ("hinv: nothing of class none\n", 1),
        "/bin/hinv -x": ("usage: hinv [-c CLASS]\n", 2),
        "/bin/hinv x": ("usage: hinv [-c CLASS]\n", 2),
    }.items():
        result = guest.run(command, "--arch", arch)
        assert text in result.said and result.status == status, (command, result.said)
