# SPDX-License-Identifier: BSD-2-Clause
"""Pipes and redirections of the shell, of commands and of programs: what comes out is what went in, and nothing is left."""

import hashlib
import pathlib
import random
import re
import subprocess

import linux_program
import pytest

import guest


@pytest.fixture(autouse=True)
def programs(arch):
    """The programs of /bin are there."""
    why = linux_program.missing(arch)
    if why:
        pytest.skip(why)


def marked(text, *marks):
    """What stands between lines `== MARK`: {MARK: lines}."""
    pieces = re.split(r"^== (\w+)\n", text, flags=re.M)
    found = dict(zip(pieces[1::2], (piece.splitlines() for piece in pieces[2::2])))
    assert set(marks) <= set(found), text
    return found


def test_a_snapshot_by_all_tools(quipu):
    """One snapshot in a file: what grep, wc, sort, head and tail say of it is what Python says."""
    commands = "kstat -p > /tmp/all; echo == all; cat /tmp/all; echo == lines; wc -l < /tmp/all; echo == words; wc /tmp/all;"
    commands += " echo == intr; cat < /tmp/all | grep -c intr; echo == other; grep -v -i INTR /tmp/all | wc -l;"
    commands += " echo == sorted; sort /tmp/all; echo == most; cat /tmp/all | sort -t: -k 3,3r -k 4 | head -n 7;"
    commands += " echo == last; tail -n 3 /tmp/all; echo == both; kstat -p -c misc | grep -E '^unix:.*(free|total)' | wc -l"
    result = quipu(commands)
    found = marked(result.text, "all", "lines", "words", "intr", "other", "sorted", "most", "last", "both")
    lines = found["all"]
    assert len(lines) > 300
    text = "".join(line + "\n" for line in lines)
    assert found["lines"] == [str(len(lines))]
    assert found["words"][0].split() == [str(len(lines)), str(len(text.split())), str(len(text)), "/tmp/all"]
    assert found["intr"] == [str(sum("intr" in line for line in lines))]
    assert found["other"] == [str(sum("intr" not in line.lower() for line in lines))]
    assert found["sorted"] == sorted(lines)
    key = sorted(lines)
    key.sort(key=lambda line: line.split(":", 3)[3])
    key.sort(key=lambda line: line.split(":")[2], reverse=True)
    assert found["most"] == key[:7]
    assert found["last"] == lines[-3:]
    assert result.status == 0


def test_commands_in_pipes(quipu):
    """What the shell's own commands print goes where they are told, whole and once."""
    result = quipu(
        "hinv > /tmp/h; echo == h; cat /tmp/h; echo == piped; hinv | cat | cat; echo == plain; hinv;"
        " echo == log; dmesg | more | wc -l; echo == log2; dmesg | tee /tmp/d | wc -c; wc -c < /tmp/d;"
        " echo == more; vmstat -i > /tmp/v; vmstat -i >> /tmp/v; grep -c Total /tmp/v;"
        " echo == last; echo in | wc -c; time echo x | cat | grep -c x"
    )
    found = marked(result.text, "h", "piped", "plain", "log", "log2", "more", "last")
    assert found["h"] == found["plain"] == found["piped"] != []
    assert found["log2"][0] == found["log2"][1]
    assert int(found["log"][0]) > 2
    assert found["more"] == ["2"]
    assert found["last"][:2] == ["3", "1"]


def test_a_megabyte_through_three_stages(arch, tmp_path):
    data = random.Random(13).randbytes(1 << 20)
    (tmp_path / "data").write_bytes(data)
    commands = "cat /data | cat | cat > /tmp/copy; wc -c /tmp/copy; cat < /tmp/copy | tee /tmp/again | cat | cat"
    result = guest.run(commands, "--arch", arch, "--add", f"{tmp_path}/data=/data")
    head, rest = result.stdout.split(b"\n", 1)
    assert head.split() == [b"1048576", b"/tmp/copy"]
    assert hashlib.sha256(rest).digest() == hashlib.sha256(data).digest()


def test_sort_as_the_host_does(arch, tmp_path):
    chance = random.Random(4)
    lines = ["".join(chance.choices("abc d-.019", k=chance.randrange(12))) for _ in range(3000)]
    (tmp_path / "data").write_text("".join(line + "\n" for line in lines))
    result = guest.run("sort -u < /data; echo == n; sort -n -r -k 2 /data", "--arch", arch, "--add", f"{tmp_path}/data=/data")
    unique, numbers = result.text.split("== n\n")
    assert unique.splitlines() == sorted(set(lines))
    expected = subprocess.run(
        ["sort", "-n", "-r", "-k", "2", tmp_path / "data"], capture_output=True, check=True, env={"LC_ALL": "C"}
    ).stdout
    assert numbers.encode() == expected


def test_lists_and_statuses(quipu):
    result = quipu(
        "false || echo a; true && echo b; false && echo c; true || echo d; false && echo e || echo f; echo $?;"
        " false | true; echo $?; true | false; echo $?; true | exec -z; echo $?; grep -q x < /tmp/none | true && echo g;"
        " grep none < /proc/mounts; echo $?; kill 1 | cat && echo h; > /tmp/empty; wc -c < /tmp/empty;"
        " cat /tmp/none 2> /tmp/err; echo $?; cat < /tmp/err; cat /tmp/none 2>&1 | wc -l; echo x > /tmp/e 2>&1; cat /tmp/e"
    )
    lines = [line for line in result.lines() if not line.startswith((" ", "usage: exec", "exec:", "kill:"))]
    assert lines[:9] == ["a", "b", "f", "0", "0", "1", "2", "shell: /tmp/none: No such file or directory", "g"], result.said
    assert lines[-6:] == ["h", "0", "1", "cat: /tmp/none: No such file or directory", "1", "x"], result.said


def test_a_reader_that_has_gone(quipu):
    """The writer ends, a command of the shell as well as a program, and says nothing."""
    result = quipu(
        "watch -n 0.001 -c 1000000 echo y | grep -c -m 2 y; echo $?; cat /bin/cat /bin/cat | head -c 4 | wc -c; echo $?;"
        " kstat -p | true; echo $?; kstat -p | false; echo $?; watch -n 0.001 kstat -p | head -n 1 | wc -l"
    )
    assert result.lines() == ["2", "0", "4", "0", "0", "1", "1"], result.said


def test_interrupted(machine):
    """^C ends all of a pipeline, whatever it is made of, and the rest of the line."""
    for line in ("sleep 1000 | cat; echo x", "cat | sleep 1000; echo x", "cat | cat && echo x", "watch sleep 2 | wc", "cat > /tmp/x | sleep 9999"):
        machine.send(line.encode() + b"\r")
        machine.expect(rb"\r\n")
        machine.quiet(1)
        machine.send(b"\x03")
        machine.prompt()
        assert machine.status() == 130, line
    assert machine.command("echo a | cat; echo b") == "a\nb\n"
    # The console is the shell's again after a program.
    machine.send(b"echo a | cat; sleep 1000\r")
    machine.expect(rb"a\r\n")
    machine.quiet(0.5)
    machine.send(b"\x03")
    machine.prompt()
    assert machine.status() == 130


def test_jobs(machine):
    """A pipeline, or a list of them, is one job; `stop` ends all of it."""
    assert machine.command("sleep 1000 | cat | wc -l && echo x &") == "[1] sleep\n"
    assert machine.command("cat | wc -l > /tmp/lines &") == "[2] cat\n"
    assert machine.command("wait 2; echo $?; cat /tmp/lines") == "0\n0\n"  # nobody types in the background
    assert machine.command("jobs") == "[1] running  sleep 1000 | cat | wc -l && echo x\n"
    assert machine.command("stop 1; wait 1; echo $?") == "130\n"
    machine.command("cat /dev/zero | wc -c &")  # reads and writes for ever: SIGINT ends it
    assert machine.command("sleep 0.3; stop 1; wait 1; echo $?") == "130\n"
    assert machine.command("jobs; false && echo x || echo y > /tmp/y & wait; cat /tmp/y").endswith("y\n")


def test_more_asks(machine):
    """A screen at a time, on a terminal."""
    machine.command("kstat -p > /tmp/k")
    machine.send(b"cat /tmp/k | more\r")
    machine.expect(rb"\r\n")
    first = machine.received[machine._taken : machine.expect(b"--More--").start()].count(b"\n")
    machine.send(b"\r")
    second = machine.received[machine._taken : machine.expect(b"--More--").start()].count(b"\n")
    machine.send(b" ")
    third = machine.received[machine._taken : machine.expect(b"--More--").start()].count(b"\n")
    machine.send(b"q")
    machine.prompt()
    assert (first, second, third) == (23, 1, 23)
    machine.send(b"more /tmp/k\r")
    machine.expect(b"--More--")
    machine.send(b"\x03")
    machine.prompt()
    assert machine.command("echo a | cat") == "a\n"


@pytest.mark.parametrize(
    "line,said,status",
    [
        ("cat < /tmp/none", "shell: /tmp/none: No such file or directory", 1),
        ("echo x > /none/x", "shell: /none/x: No such file or directory", 1),
        ("echo x > /x", "shell: /x: Read-only file system", 1),
        ("echo x > /tmp", "shell: /tmp: Is a directory", 1),
        ("echo x > /bin/cat/y", "shell: /bin/cat/y: Not a directory", 1),
        ("true | | true", "shell: syntax error near '|'", 2),
        ("echo x |", "shell: syntax error at the end of the line", 2),
        ("echo x >", "shell: syntax error at the end of the line", 2),
        ("&& echo x", "shell: syntax error near '&&'", 2),
        ("echo x | nothing", "nothing: command not found", 127),
        ("/proc/meminfo", "exec: /proc/meminfo: Permission denied", 126),
        ("echo x | /proc/meminfo", "exec: /proc/meminfo: Permission denied", 126),
    ],
)
def test_errors(line, said, status, arch):
    if arch != "x86_64" and status != 1:
        pytest.skip("once is enough")
    result = guest.run(line, "--arch", arch)
    assert (result.text, result.status) == (said + "\n", status)


def test_busybox_comes_last(arch):
    """What neither the shell nor /bin has is left to a busybox."""
    busybox = pathlib.Path("/bin/busybox")
    if arch != "x86_64" or not busybox.exists():
        pytest.skip("no static busybox for this machine")
    commands = "cat /bin/busybox | sha256sum; echo abc | tr a-z A-Z | rev; echo x | wc -l; nosuch; echo $?; uptime | wc -l; cut"
    result = guest.run(commands, "--arch", arch, "--add", f"{busybox}=/bin/busybox")
    lines = result.lines()
    assert lines[0].split() == [hashlib.sha256(busybox.read_bytes()).hexdigest(), "-"]
    # Ours is wc; busybox' would fill the number's column as well, but says nothing of applets that it lacks.
    assert lines[1:6] == ["CBA", "1", "nosuch: applet not found", "127", "1"], result.said


def test_added_files(arch, tmp_path):
    """A folder, two names of ours replaced; what cannot be added is refused."""
    if arch != "x86_64":
        pytest.skip("once is enough")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a b").write_text("one\n")
    added = ("--add", f"{tmp_path}=/here", "--add", f"{tmp_path}/in/a b=/bin/wc")
    result = guest.run("cat '/here/in/a b'; ls -l /here; cat /bin/wc", *added)
    assert re.fullmatch(r"one\ndrwx.* in\none\n", result.text), result.said
    for wrong, why in (("/none=/x", "no such file"), ("/etc", "not HOST=/GUEST"), ("/etc=x", "not HOST=/GUEST")):
        result = guest.run("true", "--add", wrong)
        assert (result.status, result.stderr.decode()) == (2, f"quipu: run: --add '{wrong}': {why}\n")
    assert guest.run("true", "--core", "--add", "/etc=/x").status == 2


def test_the_core_has_none(arch):
    result = guest.run("hinv > /x || vmstat -i; hinv | cat", "--arch", arch, "--core")
    refused = "shell: this kernel has no pipes and no files"
    lines = result.lines()
    assert [line for line in lines if line.startswith("shell:")] == [refused] * 2
    assert (lines[0], lines[-1], result.status) == (refused, refused, 1) and "Total" in result.text


def test_a_full_tmp(quipu):
    """/tmp takes half of the memory; the command is told, and ends."""
    result = quipu("watch -n 0.001 kstat -p > /tmp/x; echo $?; wc -c /tmp/x | grep -c -E '[0-9]{7}'", "--memory", "16")
    assert result.lines() == ["shell: watch: write error: No space left on device", "1", "1"], result.said


def test_nothing_is_left(machine):
    """Pages, pipes, files and threads are what they were, 200 pipelines later."""

    def figures():
        # Once a command has ended, its thread's stack goes soon.
        machine.command("sleep 0.2")
        names = ("system_pages:freemem", "fs:open_files", "fs:pipes", "fs:vnodes", "threads:total")
        text = machine.command("kstat -p " + " ".join(f"unix:0:{name}" for name in names))
        return {line.split()[0]: int(line.split()[1]) for line in text.splitlines()}

    def pipelines(rounds):
        for _ in range(rounds):
            machine.command("kstat -p | grep intr | sort | head -n 2 > /tmp/x; echo a | cat > /tmp/y; foo | cat; true | cat < /none; echo a > /tmp/z | cat; hinv > /tmp/v; cat < /tmp/v > /tmp/w")
            machine.command("watch -n 0.001 echo y | true; cat /tmp/x | tee /tmp/y | wc > /tmp/x & wait")

    # A cache of the kernel may grow by a slab's pages; what is leaked is leaked in each round.
    pipelines(5)
    before = figures()
    for _ in range(3):
        pipelines(34)
        after = figures()
        taken = before.pop("unix:0:system_pages:freemem") - after["unix:0:system_pages:freemem"]
        assert before.items() <= after.items() and len(before) == 4
        if taken <= 2:
            return
        before = after
    assert False, f"{taken} pages in a third round, too"
