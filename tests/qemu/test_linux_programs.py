# SPDX-License-Identifier: BSD-2-Clause
"""Static Linux programs in user mode, on both machines: the same words as on Linux, and exact counts."""

import hashlib
import io
import pathlib
import re
import subprocess

import linux_program
import pexpect
import program_script
import pytest

import archive
import guest

pytestmark = pytest.mark.programs

TURNS = 1000


@pytest.mark.parametrize("name", linux_program.CONFORM)
def test_conformance(name, arch):
    """The program's words do not depend on the machine: what it says under Linux here is the truth for both."""
    expected, status = linux_program.on_host(name)
    result = linux_program.run(name, arch)
    assert result.text == expected
    assert result.status == status


# Linux where nothing is taken from root; the machine that runs the tests may have done that.
REAL_TIME = """set(SCHED_FIFO, 10): 0 -
sched_setparam(0, &param): 0 -
sched_getparam(0, &param): 0 -
param.sched_priority: 20 -
sched_getscheduler(0): 1 -
child: exit 0
set(SCHED_OTHER, 0): 0 -
setuid(1000): 0 -
set(SCHED_RR, 1): -1 EPERM
set(SCHED_BATCH, 0): 0 -
child: exit 0
setrlimit(RLIMIT_RTPRIO, &limit): 0 -
setuid(1000): 0 -
set(SCHED_RR, 30): 0 -
set(SCHED_RR, 31): -1 EPERM
child: exit 0
"""


def test_real_time(arch):
    """Policies of real time are root's, or up to a limit."""
    result = linux_program.run("realtime", arch)
    assert (result.text, result.status) == (REAL_TIME, 0)


def test_sleep_by_own_time(arch):
    """Nothing of it runs while it sleeps; where the host's clock is none of the machine's, that can be seen."""
    result = program_script.run("cpu_sleep", "--deterministic", programs=("cpu_sleep",), arch=arch)
    assert (result.text, result.status) == ("interrupted, some is left: 1\n", 0), result.said


@pytest.mark.parametrize("name,cpus", [("threads", 4), ("forks", 2), ("gigabyte", 1), ("signals", 1)])
def test_load(name, cpus, arch):
    expected, status = linux_program.on_host(name)
    result = linux_program.run(name, arch, cpus=cpus if arch == "x86_64" else 1)
    assert (result.text, result.status) == (expected, status), result.stderr


def test_streams(arch):
    """Three streams and a status, kept apart; a megabyte of all bytes goes in and comes out."""
    data = bytes(range(256)) * 1000
    for end, status in (("7", 7), ("again", 0)):  # or by their names
        result = linux_program.run("streams", arch, end, data=data)
        assert (result.status, result.stdout, result.stderr) == (status, data, b"%d bytes\n" % len(data)), result.said
    ended = linux_program.run("streams", arch, "signal")
    assert (ended.status, ended.stdout, ended.stderr) == (128 + 15, b"", b"exec: /bin/streams: ended by SIGTERM\n")


def test_counts(arch):
    """User mode's instructions are the same in every run; a thousand more turns are the same number more each time."""

    def counted(turns):
        result = linux_program.run("measure", arch, "getpid", turns, options=["-e", "instructions:u", "--deterministic"])
        return linux_program.counted(result, "instructions:u")

    few = counted(1010)
    assert counted(1010) == few and counted(1010) == few
    thousand = counted(2010) - few
    assert 2000 <= thousand <= 8000
    assert counted(5010) - few == 4 * thousand


def test_events(arch):
    """Several -e are one list; of an event that does not exist the whole message arrives, and nothing is run."""
    options = ["-e", "instructions:u", "-e", "cycles:u", "--deterministic"]
    both = linux_program.run("measure", arch, "getpid", 10, options=options)
    assert both.status == 0, both.stderr
    assert min(linux_program.counted(both, event) for event in ("instructions:u", "cycles:u")) > 1000
    wrong = linux_program.run("measure", arch, "getpid", 10, options=["-e", "cycles", "-e", "nonesuch"])
    assert (wrong.stdout, wrong.stderr, wrong.status) == (b"", b'pmc: unknown event "nonesuch" (EINVAL)\n', 2)


def test_programs_by_name(arch):
    """pmc stat and tprof take a program where they take a command, and know whether there is one."""
    stats = "; ".join(f"pmc stat -e instructions:u walk {turns}" for turns in (1000, 2000, 4000))
    result = guest.run(f"{stats}; tprof monitor -e instructions,10007 walk 4000; pmc stat none; tprof monitor none", "--arch", arch, "--deterministic")
    first, second, third = (int(number) for number in re.findall(r"^ *(\d+) +instructions:u", result.text, re.M))
    assert third - second == 2 * (second - first) > 2 * 1000 * 1024 * 2  # walk.c: loads of a turn
    samples = int(re.search(r"^Number of samples: (\d+)", result.text, re.M)[1])
    assert third // 10007 <= samples <= third // 10007 * 1.2 + 100
    assert result.text.endswith("none: command not found\n" * 2) and result.status == 127


@pytest.mark.parametrize("options", ["-p", "-e none", "-e cycles"])
def test_no_second_line(arch, options):
    """What only `./quipu exec` has is missed aloud."""
    result = guest.run(f"exec {options} /bin/echo x", "--arch", arch)
    assert (result.text, result.status) == ("exec: this board has no second serial line\n", 126)


@pytest.fixture
def machine(boot, arch, tmp_path):
    def start(programs, **options):
        return linux_program.start(boot, tmp_path, {name: linux_program.compiled(name, arch) for name in programs}, **options)

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
    for times in (1, 2):
        assert "ENOSYS, 105 unknown, 0 others" in running.command("missing")
        assert (counter(running, "io_uring_setup"), counter(running, "unknown")) == (times, 105 * times)


def test_nothing_is_left(machine):
    """After programs have ended, memory is what it was."""
    names = ["threads", "forks", "conform_process", "conform_signals", "conform_files"]
    running = machine(names)
    everything = "; ".join(names)
    running.command(everything)
    before = memory(running)
    running.command(everything)
    assert memory(running) == before


def file_counts(machine):
    text = machine.command("kstat -p unix:0:fs")
    names = "open_files|vnodes|pipes|file_tables|epolls|epoll_entries|sockets"
    return {name: int(value) for name, value in re.findall(rf"^unix:0:fs:({names})\s+(\d+)", text, re.M)}


NEW_OBJECTS = ["epoll", "events", "sockets", "ipc", "mqueue", "unnamed", "pi", "rest", "copy", "paths", "asked"]


def test_no_object_is_left(machine):
    """Epolls, sockets, queues, segments and unnamed files go with who has them."""
    names = [f"conform_{name}" for name in NEW_OBJECTS]
    running = machine(names)
    everything = "; ".join(f"{name} > /tmp/said" for name in names)
    seen = []
    for _ in range(3):  # what is made once is there after the first: counters of calls, kstats
        running.command(everything)
        seen.append((file_counts(running), memory(running)))
    assert seen[1] == seen[2]
    assert seen[2][0]["epolls"] == seen[2][0]["epoll_entries"] == seen[2][0]["sockets"] == 0


def test_objects_are_counted(machine):
    """What a program is known to have is what the kstats say, and it is gone with the program's end."""
    running = machine(["holds"])
    running.command("holds &")
    running.command("sleep 0.5")
    counts = file_counts(running)
    assert (counts["epolls"], counts["epoll_entries"], counts["sockets"]) == (3, 10, 7)
    running.command("stop 1; wait 1")
    counts = file_counts(running)
    assert (counts["epolls"], counts["epoll_entries"], counts["sockets"]) == (0, 0, 0)


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


def test_terminal_is_ready(machine):
    """poll(2) and its like wait for a line, or for as many keys as the terminal's settings say."""
    running = machine(["ready"])
    running.send(b"ready\r")
    running.expect(b"begin 0 0\r\nwithout waiting: EAGAIN\r\nhalf\r\n")
    running.send(b"ab")
    running.expect(b"ab")  # its echo: poll has seen it, and waits
    assert running.nothing_came()
    running.send(b"x\x7fc\r")
    running.expect(b"line 4\r\nline: 4 'abc'\r\nthen 0 0\r\nkey 0\r\n")
    running.send(b"k")
    running.expect(b"keys 1\r\nkey: 1 'k'\r\nthree\r\n")
    running.send(b"12")
    running.send(b"3")
    running.expect(b"keys 3\r\nflushed 0 0\r\n")
    running.prompt()


def test_suspended(machine):
    """^Z and ^\\ come at once, though nobody reads; what was typed before them is gone."""
    running = machine(["suspended"])
    running.send(b"suspended\r")
    running.expect(b"waits\r\n")
    running.send(b"never read\x1a")
    running.expect(b"stopped: Stopped[^\r]*\r\nours: 1\r\ncontinued\r\n")
    running.send(b"\x1c")
    running.expect(b"ended: Quit\r\n")
    running.prompt()
    running.send(b"\r")
    running.prompt()


def test_background(machine):
    """Who is in a terminal's background is stopped when it changes it, or is told so, as on this machine's terminal."""
    there = pexpect.spawn(str(linux_program.compiled("background", "x86_64")), timeout=guest.PATIENCE)
    there.expect(pexpect.EOF)
    lines = there.before.decode().splitlines()
    assert "end" in lines and lines.count("  stopped by TTOU, exits -1") == 4
    here = machine(["background"]).command("background")
    assert here.splitlines() == lines


# What is typed at each step of tests/programs/keys.c.
KEYS = {
    "line": b"abc\r", "pieces": b"abcdef\r", "empty": b"\r", "end": b"ab\x04cd\r\x04", "word": b"one two\x17three\x15four five\x17\x7f\r",
    "next": b"a\x16\x03\x16\x7fb\r", "eol": b"ab.cd\r", "eol2": b"ab:\x16:cd\r", "cr": b"ab\rcd\n", "igncr": b"a\rb\n", "strip": b"\xe1b\r", "plain": b"a\x16\x17b\r",
    "echo": b"ab\x7fc\x01d\r", "kill": b"abc\x15d\r", "echoed": b"a\x16\x01\x7fb\r", "both": b"ab\r", "echonl": b"ab\r", "newline": b"a\x16\nb\r",
    "long": b"x" * 4093 + b"\x16\n" * 20 + b"\r",
    "nosig": b"a\x03\x1a\x1cb\r", "erase": b"ab#c@de#f\r", "intr": b"ab!cd\r",
    "one": b"x", "three": b"xyz", "none": b"pq", "count": b"12345", "between": b"rst", "enough": b"uvw", "raw": b"a\r\x04\x7f",
    "cfmakeraw": b"a\r\n\x03\x04\x1a\xff\x11\x13", "nlcr": b"a\n\r",
}  # fmt: skip


def typed(expect, send):
    """What keys.c says when KEYS are typed."""
    said = ""
    while True:
        found = expect(rb"(.*?)(?:step (\w+)|end)\r\n")
        said += found[1].decode().replace("\r", "")
        if found[2] is None:
            return said
        step = found[2].decode()
        said += f"{step}: "
        send(KEYS[step])


def test_keys(machine):
    """A program reads of the same keys what it does on this machine's terminal: lines, editing, signals, raw, VMIN and VTIME."""
    there = pexpect.spawn(str(linux_program.compiled("keys", "x86_64")), timeout=guest.PATIENCE)

    def expect_there(pattern):
        there.expect(pattern)
        return there.match

    lines = typed(expect_there, there.send)
    assert lines.count("read") == 39
    running = machine(["keys"])
    running.send(b"keys\r")
    running.expect(rb"keys\r\n")
    assert typed(running.expect, running.send) == lines
    running.prompt()


def test_pipe_is_ready(arch):
    """The same where standard input is the host's pipe: a byte, then its end."""
    executable = linux_program.compiled("ready", arch)
    command = [guest.ROOT / "quipu", "exec", "-e", "none", executable]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=guest.environment(), bufsize=0) as running:
        said = io.BufferedReader(running.stdout)
        assert [said.readline() for _ in range(3)] == [b"begin 0 0\n", b"without waiting: EAGAIN\n", b"half\n"]
        running.stdin.write(b"z")
        assert [said.readline() for _ in range(3)] == [b"line 1\n", b"line: 1 'z'\n", b"then 0 0\n"]
        running.stdin.close()
        assert said.read() == b"last: 0 ''\n"
        assert running.wait() == 0


def test_not_programs(machine):
    running = machine(["measure"])
    assert "command not found" in running.command("nosuch")
    assert "No such file" in running.command("exec nosuch")
    assert "Permission denied" in running.command("exec /bin")


BUSYBOX = "/bin/busybox"
TOOLS = ("sh", "seq", "sort", "head", "sha256sum", "awk", "xargs", "gzip", "gunzip", "find", "mkdir", "cp", "wc")


def test_busybox(boot, arch, tmp_path):
    """Debian's busybox-static, if it is here: scripts, pipes, sums."""
    if arch != "x86_64":
        pytest.skip("there is no busybox of Debian's for it")
    if not pathlib.Path(BUSYBOX).exists():
        pytest.skip("busybox-static is not installed")
    module = tmp_path / "archive"
    files = [archive.File("bin/busybox", pathlib.Path(BUSYBOX).read_bytes())]
    files += [archive.link(f"bin/{name}", "busybox") for name in TOOLS]
    module.write_bytes(archive.pack(files))
    running = boot(arguments=["-initrd", str(module)])
    running.prompt()
    assert "5 4" in running.command("sh -c 'seq 1 5 | sort -r | head -2 | xargs'")
    assert "45" in running.command("""sh -c 'awk "BEGIN{for(i=0;i<10;i++)s+=i; print s}"'""")
    lines = "".join(f"{n}\n" for n in range(1, 20001)).encode()
    total = hashlib.sha256(lines).hexdigest()
    assert total in running.command("sh -c 'seq 1 20000 | sha256sum'")
    assert total in running.command("sh -c 'seq 1 20000 | gzip -9 | gunzip | sha256sum'")
    found = running.command("sh -c 'mkdir -p /tmp/a/b; seq 1 20000 >/tmp/a/b/c; cp /tmp/a/b/c /tmp/a; find /tmp/a -type f | sort | xargs wc -c'")
    assert re.findall(r"^ *(\d+) (\S+)", found, re.M) == [(str(len(lines)), "/tmp/a/b/c"), (str(len(lines)), "/tmp/a/c"), (str(2 * len(lines)), "total")]


def test_counts_of_a_position_independent_program(arch, tmp_path):
    """A static-PIE is counted as the other kind: two instructions a turn, wherever it lies."""
    out = tmp_path / "measure"
    source = linux_program.SOURCES / "measure.c"
    command = [linux_program.COMPILERS[arch], "-static-pie", "-fPIE", "-O2", "-pthread", "-w", "-o", out, source]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("this compiler makes no static-PIE")
    differences = []
    for program in (out, "measure"):
        few, more = (
            linux_program.counted(linux_program.run(program, arch, "getpid", n, options=["-e", "instructions:u", "--deterministic"]), "instructions:u")
            for n in (1000, 3000)
        )
        differences.append(more - few)
    assert differences[0] == differences[1] >= 2 * 2000
