# SPDX-License-Identifier: BSD-2-Clause
"""`./quipu run` in odd places and with odd streams: scripts, closed streams, links, full and read-only disks, signals."""

import os
import signal
import subprocess
import sys

import pytest

import guest

QUIPU = str(guest.ROOT / "quipu")
SCRIPT = "#!/usr/bin/env quipu\necho one\n\n  # a comment; false\nfalse\necho two $?\t| cat\n"


def run(*arguments, **more):
    given = {"stdin": subprocess.DEVNULL, "env": guest.environment(), **more}
    done = subprocess.run(
        [QUIPU, "run", "--no-pmu", *arguments], capture_output=True, timeout=2 * guest.PATIENCE, check=False, **given
    )
    assert b"Traceback" not in done.stderr, done.stderr
    return done


def in_shell(text, **more):
    """A shell line in which $QUIPU is the launcher with its verb."""
    done = subprocess.run(
        ["sh", "-c", text],
        capture_output=True,
        timeout=4 * guest.PATIENCE,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**guest.environment(), "QUIPU": f"{QUIPU} run --no-pmu", "ROOT": str(guest.ROOT), **more},
    )
    assert b"Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize("how", ["file", "dash", "stdin"])
def test_script(how, arch, tmp_path):
    """The lines of a file, of standard input, or of what is no terminal, one after the other."""
    path = tmp_path / "script"
    path.write_text(SCRIPT)
    chosen = {"file": ["--script", str(path)], "dash": ["--script", "-"], "stdin": []}[how]
    with open(os.devnull if how == "file" else path, "rb") as stdin:
        done = run("--arch", arch, *chosen, stdin=stdin)
    assert (done.stdout, done.returncode) == (b"one\ntwo 1\n", 0), done.stderr


# What is run with -e, as sh has it (what && and || test may fail), and what ends with exit: what it prints, and its status.
ENDS = [
    ("-e", "echo 1\nfalse\necho 2", b"1\n", 1),
    ("-e", "false || echo 1; false && true; true && false || true; echo 2", b"1\n2\n", 0),
    ("-e", "echo 1; true && false; echo 2", b"1\n", 1),
    ("-e", "nobody 2>/dev/null; echo 2", b"", 127),
    ("-e", "set +e; false; echo 2", b"2\n", 0),
    ("-e", "echo 1", b"1\n", 0),
    ("", "false; echo 2", b"2\n", 0),
    ("", "echo 1; exit 7; echo 2", b"1\n", 7),
    ("", "false || exit 3 || echo 2\necho 3", b"", 3),
    ("", "false; exit", b"", 1),
    ("", "exit 0 && echo 2", b"", 0),
    ("", "exit 256 2>/dev/null; echo $?", b"2\n", 0),
    ("", "exit 5 & wait; echo 2", b"2\n", 0),
]


@pytest.mark.parametrize("option,commands,printed,status", ENDS)
def test_ends(arch, option, commands, printed, status):
    done = run("--arch", arch, *option.split(), "-c", commands)
    assert (done.stdout, done.returncode) == (printed, status), done.stderr


def test_long_script(tmp_path):
    """As long as may be, and one byte more; both ends of it are run."""
    path = tmp_path / "script"
    line = "# " + "x" * 60 + "\n"
    head = "echo first\n" + 300 * line
    longest = 16384 - len("set -e\n")
    for extra in (0, 1):
        path.write_text(head[: longest - 10 - 1] + "\n" + "echo last\n" + extra * "\n")
        if extra == 0:
            assert path.stat().st_size == longest
        done = run("--script", str(path))
        if extra:
            assert done.returncode == 2 and done.stdout == b"" and str(longest).encode() in done.stderr
        else:
            assert done.stdout == b"first\nlast\n", done.stderr


@pytest.mark.parametrize("byte", ["\0", "\x7f", "\u00e4", "\x1b"])
def test_bytes_that_cannot_be(byte, tmp_path):
    """They are refused, with their line, before anything is run."""
    path = tmp_path / "script"
    path.write_text(f"echo one\necho {byte}\necho three\n")
    done = run("--script", str(path))
    assert done.returncode == 2 and done.stdout == b"" and b"line 2" in done.stderr


@pytest.mark.parametrize("option", ["-c", "--append"])
def test_value_of_dashes(option):
    done = run(*([option, "--"] if option == "-c" else [option, "--", "-c", "true"]))
    assert done.returncode == (127 if option == "-c" else 0), done.stderr


def test_closed_streams():
    assert in_shell("$QUIPU -c 'echo hi' >&-").returncode == 1
    assert b"standard output is closed" in in_shell("$QUIPU -c 'echo hi' >&-").stderr
    assert in_shell("$QUIPU -c 'echo hi' 2>&-").stdout == b"hi\n"
    assert in_shell("$QUIPU -c 'echo hi' <&-").stdout == b"hi\n"


def test_link(tmp_path):
    (tmp_path / "one").symlink_to(QUIPU)
    (tmp_path / "two").symlink_to("one")
    done = subprocess.run(
        [tmp_path / "two", "run", "--no-pmu", "-c", "echo hi"],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env=guest.environment(),
        timeout=2 * guest.PATIENCE,
        check=False,
    )
    assert done.stdout == b"hi\n", done.stderr


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_leave_nothing(number, tmp_path):
    with subprocess.Popen(
        [sys.executable, guest.ROOT / "tools/run/run.py", "--arch", "x86_64", "--on", "qemu", "--boot", "direct"]
        + ["--no-pmu", "--commands", "echo up; sleep 1000", "--timeout", "1000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env={**guest.environment(), "TMPDIR": str(tmp_path)},
        start_new_session=True,
    ) as process:
        assert process.stdout.readline() == b"up\n"
        assert len(list(tmp_path.iterdir())) == 1
        process.send_signal(number)
        assert process.wait(guest.PATIENCE) == 128 + number
    assert not list(tmp_path.iterdir())


def may_mount():
    return subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not may_mount(), reason="only root can mount")
def test_full_disk(tmp_path):
    """What was printed had no room on its way: the end is not taken for whole."""
    long = "; ".join(["kstat -p"] * 60)
    mount = f"mount -t tmpfs -o size=4m none {tmp_path} && cd / && TMPDIR={tmp_path} $QUIPU"
    done = in_shell(f"unshare -m sh -c \"{mount} -c '{long}'\"")
    assert done.returncode == 1, done.stderr[-500:]
    assert f"no room left in {tmp_path}".encode() in done.stderr, done.stderr[-500:]
    done = in_shell(f"unshare -m sh -c \"{mount.replace('4m', '100k')} -c 'echo hi'\"")
    assert done.returncode == 1 and b"no room left in" in done.stderr and str(tmp_path).encode() in done.stderr


@pytest.mark.skipif(not may_mount(), reason="only root can mount")
def test_read_only_checkout(tmp_path):
    """What is built runs; what is not cannot be, and that is said."""
    mount = f"mount --bind $ROOT {tmp_path} && mount -o remount,ro,bind {tmp_path} && exec {tmp_path}/quipu"
    done = in_shell(f"unshare -m sh -c \"{mount} run --no-pmu -c 'echo hi'\"")
    assert done.stdout == b"hi\n", done.stderr
    done = in_shell(f"unshare -m sh -c \"{mount} build build/x86_64/nothing/of/that/name\"")
    if done.returncode == 3:
        pytest.skip("some packages that `build` needs are missing")
    assert done.returncode == 1 and f"quipu: {tmp_path}/build cannot be written".encode() in done.stderr
    assert done.stderr.count(b"\n") == 1

