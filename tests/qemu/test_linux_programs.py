# SPDX-License-Identifier: BSD-2-Clause
"""Static Linux programs in user mode, on both machines: the same words as on Linux, and exact counts."""

import pathlib
import re
import sys

import linux_program
import pytest

import guest

sys.path.insert(0, str(guest.ROOT / "tools" / "run"))

import archive  # pylint: disable=wrong-import-position

TURNS = 1000


@pytest.fixture(params=linux_program.ARCHES)
def arch(request):
    why = linux_program.missing("x86_64") or linux_program.missing(request.param)
    if why:
        pytest.skip(why)
    return request.param


@pytest.mark.parametrize("name", linux_program.CONFORM)
def test_conformance(name, arch):
    """The program's words do not depend on the machine: what it says under Linux here is the truth for both."""
    expected, status = linux_program.on_host(name)
    result = linux_program.run(name, arch)
    assert result.text == expected
    assert result.status == status


@pytest.mark.parametrize("name,cpus", [("threads", 4), ("forks", 2), ("gigabyte", 1), ("signals", 1)])
def test_load(name, cpus, arch):
    expected, status = linux_program.on_host(name)
    result = linux_program.run(name, arch, cpus=cpus if arch == "x86_64" else 1)
    assert (result.text, result.status) == (expected, status), result.stderr


def test_streams(arch):
    """Three streams and a status, kept apart; a megabyte of all bytes goes in and comes out."""
    data = bytes(range(256)) * 1000
    result = linux_program.run("streams", arch, "7", data=data)
    assert result.stdout == data
    assert result.stderr == b"%d bytes\n" % len(data)
    assert result.status == 7
    assert linux_program.run("streams", arch, "signal").status == 128 + 15


def test_counts(arch):
    """User mode's instructions are the same in every run; those of TURNS more turns are TURNS times a loop's."""
    few, more = 10, 1010
    options = ["-e", "instructions:u", "--deterministic"]
    seen = set()
    for _ in range(3):
        result = linux_program.run("measure", arch, "getpid", few, options=options)
        seen.add(linux_program.counted(result, "instructions:u"))
    assert len(seen) == 1
    result = linux_program.run("measure", arch, "getpid", more, options=options)
    # The number's digits are read by the program itself, a few instructions for each.
    turn, rest = divmod(linux_program.counted(result, "instructions:u") - seen.pop(), more - few)
    assert 2 <= turn <= 8 and rest < 200


@pytest.fixture
def machine(boot, arch, tmp_path):
    def start(programs, **options):
        module = tmp_path / "archive"
        files = [archive.File(f"bin/{name}", linux_program.compiled(name, arch).read_bytes()) for name in programs]
        module.write_bytes(archive.pack(files))
        running = boot(arguments=["-initrd", str(module)], **options)
        running.prompt()
        return running

    return start


def counter(machine, name):
    found = re.search(rf"^syscall {name} +(\d+)", machine.command("vmstat -e"), re.M)
    return int(found[1]) if found else 0


def memory(machine):
    """Objects and pages in use."""
    text = machine.command("mem")
    objects = re.findall(r"^ +(\d+|larger) +(\d+) +\d+ +\d+", text, re.M)
    return dict(objects), re.findall(r"^(pipes|processes|memory objects|files) +(\d+)", text, re.M)


def test_calls_are_counted(machine):
    """One counter for each call by name, exact, also of what is missing."""
    running = machine(["measure", "missing"])
    running.command("measure getpid 1")
    before = counter(running, "getpid")
    running.command(f"measure getpid {TURNS}")
    assert counter(running, "getpid") - before == TURNS
    assert "ENOSYS 38" in running.command("missing") or "ENOSYS 89" in running.command("missing")
    assert counter(running, "io_uring_setup") >= 1
    assert counter(running, "unknown") >= 1


def test_nothing_is_left(machine):
    """After programs have ended, memory is what it was."""
    names = ["threads", "forks", "conform_process", "conform_signals", "conform_files"]
    running = machine(names)
    everything = "; ".join(names)
    running.command(everything)
    before = memory(running)
    running.command(everything)
    assert memory(running) == before


def test_hogs(machine, arch):
    """Who takes everything is ended or refused; the shell goes on."""
    running = machine(["hog", "measure"], **({"cpus": 4} if arch == "x86_64" else {}))
    running.command("hog memory")
    assert "137" in running.command("echo $?")
    assert "forks 1 ended 1" in running.command("hog forks")
    assert "files 1" in running.command("hog files")
    running.command("measure fork 10")
    assert running.command("echo $?").strip().endswith("0")


def test_terminal(machine):
    """Lines are edited; ^C is the program's; ^D ends its input."""
    running = machine(["terminal"])
    running.send(b"terminal\r")
    running.expect(b"tty 1 24 80")
    running.send(b"abcx\x7fd\r")
    running.expect(b"line 'abcd'")
    running.send(b"zzz\x15new\r")
    running.expect(b"line 'new'")
    running.send(b"\x03")
    running.expect(b"interrupted")
    running.send(b"\x04")
    running.expect(b"end of input")
    running.prompt()


def test_not_programs(machine):
    running = machine(["measure"])
    assert "command not found" in running.command("nosuch")
    assert "No such file" in running.command("exec nosuch")
    assert "Permission denied" in running.command("exec /bin")


BUSYBOX = "/bin/busybox"


def test_busybox(boot, arch, tmp_path):
    """Debian's busybox-static, if it is here: scripts, pipes, sums."""
    if arch != "x86_64":
        pytest.skip("there is no busybox of Debian's for it")
    if not pathlib.Path(BUSYBOX).exists():
        pytest.skip("busybox-static is not installed")
    module = tmp_path / "archive"
    files = [archive.File("bin/busybox", pathlib.Path(BUSYBOX).read_bytes())]
    files += [archive.link(f"bin/{name}", "busybox") for name in ("sh", "seq", "sort", "head", "sha256sum", "awk", "xargs")]
    module.write_bytes(archive.pack(files))
    running = boot(arguments=["-initrd", str(module)])
    running.prompt()
    assert "5 4" in running.command("sh -c 'seq 1 5 | sort -r | head -2 | xargs'")
    assert "45" in running.command("""sh -c 'awk "BEGIN{for(i=0;i<10;i++)s+=i; print s}"'""")
