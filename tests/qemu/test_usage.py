# SPDX-License-Identifier: BSD-2-Clause
"""Bad usage of the launcher: status 2, one line that says what was wrong, and nothing else happens."""

import pytest

import guest

BAD = [
    (["frobnicate"], "frobnicate"),
    (["run", "--frobnicate"], "--frobnicate"),
    (["run", "-x"], "-x"),
    (["run", "vmstat"], "vmstat"),
    (["run", "--arch", "vax"], "vax"),
    (["run", "--arch=vax"], "vax"),
    (["run", "--arch"], "--arch"),
    (["run", "--on", "simh"], "simh"),
    (["run", "--boot", "floppy"], "floppy"),
    (["run", "--boot", "iso", "--arch", "mips"], "iso"),
    (["run", "--on", "gxemul", "--arch", "x86_64"], "gxemul"),
    (["run", "--on", "bochs", "--arch", "mips"], "bochs"),
    (["run", "--on", "bochs", "--boot", "direct"], "bochs"),
    (["run", "--on", "gxemul", "--deterministic"], "--deterministic"),
    (["run", "--on", "bochs", "--gdb"], "--gdb"),
    (["run", "--cpus", "0"], "--cpus"),
    (["run", "--cpus", "17"], "--cpus"),
    (["run", "--cpus", "two"], "--cpus"),
    (["run", "--arch", "mips", "--cpus", "2"], "--cpus"),
    (["run", "--memory", "15"], "--memory"),
    (["run", "--memory", "4097"], "--memory"),
    (["run", "--memory", "128M"], "--memory"),
    (["run", "--memory", "99999999999999999999"], "--memory"),
    (["run", "--arch", "mips", "--memory", "2049"], "--memory"),
    (["run", "--timeout", "0"], "--timeout"),
    (["run", "--timeout", "-1"], "--timeout"),
    (["run", "--timeout", "soon"], "--timeout"),
    (["run", "--timeout", ""], "--timeout"),
    (["run", "-c"], "-c"),
    (["run", "-c", "x" * 16385], "16385"),
    (["run", "-c", "echo \r"], "printable"),
    (["run", "-c", "true", "-c", "true"], "twice"),
    (["run", "-c", "true", "--script", "-"], "twice"),
    (["run", "--script", "/no/such/file"], "--script"),
    (["run", "--script", "/"], "--script"),
    (["run", "--gdb", "-e"], "-e"),
    (["run", "-c", "echo \x7f"], "printable"),
    (["run", "-c", "echo \u00e9"], "printable"),
    (["run", "--append", "\u00e9"], "printable"),
    (["run", "--append", "w" * 193], "193"),
    (["run", "--disk", "/no/such/file"], "--disk"),
    (["run", "--cdrom", "/"], "--cdrom"),
    (["run", "--on", "gxemul", "--disk", __file__], "--disk"),
    (["run", "--on", "bochs", "--pmu", "rev=2.6"], "--pmu"),
    (["run", "--no-pmu", "--pmu", "rev=2.6"], "--no-pmu"),
    (["run", "--on", "gxemul", "--pmu", "rev=2.6"], "--pmu"),
    (["build", "--frobnicate"], "--frobnicate"),
    (["profile"], "-c"),
    (["profile", "-c", " "], "-c"),
    (["profile", "-e"], "-e"),
    (["profile", "-e", "a b", "-c", "true"], "a b"),
    (["profile", "-c", "echo; echo"], "--before"),
    (["profile", "-c", "true", "-o", "/no/such/folder/x.svg"], "x.svg"),
    (["profile", "-c", "true", "-o", "/"], "folder"),
    (["profile", "-c", "true", "--cpus", "99"], "--cpus"),
    (["profile", "-c", "true", "--cpus"], "--cpus"),
    (["profile", "-c", "true", "--gdb"], "--gdb"),
]


@pytest.mark.parametrize("arguments,said", BAD, ids=lambda value: "" if isinstance(value, str) else None)
def test_bad_usage(arguments, said):
    result = guest.launch(*arguments)
    assert result.status == 2
    assert result.stdout == b""
    assert result.stderr.count(b"\n") == 1 and result.stderr.endswith(b"\n")
    assert said in result.stderr.decode("ascii")


@pytest.mark.parametrize("arguments", [[], ["help"], *([verb, "--help"] for verb in ("run", "profile", "test", "build"))])
def test_help(arguments):
    result = guest.launch(*arguments)
    assert result.status == 0 and result.stderr == b""
    assert "./quipu" in result.text


def test_from_another_folder(tmp_path):
    assert guest.launch("run", "--arch", "vax", cwd=tmp_path).status == 2
