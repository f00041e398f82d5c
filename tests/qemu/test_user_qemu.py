# SPDX-License-Identifier: BSD-2-Clause
"""The same executables under QEMU's emulation of Linux' calls, where no kernel of a guest's is: what they print, how they
end and how many instructions they are, as an independent plugin counts them there."""

import re
import subprocess
import tempfile

import linux_program
import pytest

import guest

pytestmark = pytest.mark.programs

EMULATORS = {"x86_64": "qemu-x86_64", "mips": "qemu-mips64"}
PLUGIN = guest.ROOT / "build" / "plugins" / "instructions.so"
# In the language of tests/programs/interpreter.c: prime numbers, and the longest of Collatz' sequences.
PRIMES = b"n = 2 w n < 200 { p = 1 d = 2 w d * d < (n + 1) { i n % d = 0 { p = 0 } d = d + 1 } i p { ? n } n = n + 1 }"
COLLATZ = b"n = 1 w n < 300 { c = n l = 0 w 1 < c { i c % 2 = 0 { c = c / 2 } e = c % 2 i (c % 2) * (1 < c) { c = 3 * c + 1 } l = l + 1 } i m < l { m = l ? (n * 1000 + l) } n = n + 1 }"
PROGRAMS = [
    ("hello", ["world"], b""),
    ("json", ["200"], b""),
    ("benchmark", ["20"], b""),
    ("interpreter", [], PRIMES),
    ("interpreter", [], COLLATZ),
    ("interpreter", [], b"? 1 / 0"),
    ("streams", ["7"], bytes(range(256)) * 10),
    ("gigabyte", [], b""),
    ("signals", [], b""),
]
# Where QEMU says on Malta's side alone what Linux does not say, by the line's beginning. An unregistered executable of
# another machine cannot be executed by this machine's kernel, which is what QEMU does about execve.
MALTA_ALONE = {
    "conform_edges": ["wait(&status) > 0 && WEXITSTATUS(status) == 7:"],  # execve
    "conform_events": ["got[1].ssi_int: 77"],  # a union's half, by this machine's byte order
    "conform_memory": ["behind file read:", "cut read:"],  # the address in siginfo
    "conform_options": ["SO_SNDLOWAT:"],  # not translated
    "conform_process": ["spawned "],  # execve
    "conform_signals": ["division:", "timer 1 value 77 "],  # si_code: none of TEQ's; SI_TIMER by this machine's number
    "conform_unnamed": ["read(ready[0],", "open(\"program\",", "truncate(\"program\","],  # execve
    "conform_wait": ["setpgid(child, child):", "child: exit ", "exit "],  # execve
}

# What QEMU 7.2's user emulation does not survive, on this machine's side as little as on Malta's: shmat beside a thread
# (an assertion of its own), threads that end holding a lock with an owner; on Malta's alone mq_notify, for which it waits.
# And what is about QEMU itself there: /proc, limits of memory and of arguments; clone that shares some, but not all. Of timers, a program has
# 32 there, and memory to write to and execute, but not to read, ends it.

NOT_EMULATED = [
    *("conform_asked", "conform_code", "conform_forbidden", "conform_ipc", "conform_mappings", "conform_mqueue", "conform_pi"),
    *("conform_exec", "conform_proc", "conform_timers", "conform_unaligned"),
]


def under_emulator(executable, arch, *arguments, data=b"", plugin=""):
    """The Result of EXECUTABLE."""
    emulator = EMULATORS[arch]
    if why := guest.need(emulator):
        pytest.skip(why)
    command = [emulator, *(["-plugin", plugin] if plugin else []), executable, *arguments]
    # A program that is ended by a signal may leave a core where it ran.
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            list(map(str, command)), input=data, capture_output=True, cwd=folder, timeout=guest.PATIENCE, check=False
        )
    if plugin and b"plugin" in done.stderr:
        pytest.skip(f"{emulator} takes no plugins: {done.stderr.decode()[:200]}")
    return guest.Result(done.stdout, done.stderr, done.returncode)


@pytest.mark.parametrize("name,arguments,data", PROGRAMS)
def test_same_output(arch, name, arguments, data):
    executable = linux_program.compiled(name, arch)
    expected = under_emulator(executable, arch, *arguments, data=data)
    result = linux_program.run(name, arch, *arguments, data=data)
    assert expected.stdout or expected.stderr
    assert (result.stdout, result.stderr, result.status) == (expected.stdout, expected.stderr, expected.status)


def unlike_linux(name, arch):
    """{number: line of Linux'} where NAME says something else under the emulator."""
    expected = linux_program.on_host(name)[0].splitlines()
    lines = under_emulator(linux_program.compiled(name, arch), arch).text.splitlines()
    assert len(lines) == len(expected)
    return {number: line for number, line in enumerate(expected) if line != lines[number]}


@pytest.mark.parametrize("name", [name for name in linux_program.CONFORM if name not in NOT_EMULATED])
def test_conformance_of_malta(name):
    """What test_conformance demands of a Malta is this machine's word. The Malta's executable gives it too, under the
    emulator: what it says otherwise there is the emulator's doing, which says it on this machine's side as well."""
    if why := linux_program.missing("x86_64") or linux_program.missing("mips"):
        pytest.skip(why)
    both = unlike_linux(name, "x86_64")
    alone = [line for number, line in unlike_linux(name, "mips").items() if number not in both]
    known = tuple(MALTA_ALONE.get(name, ()))
    assert all(line.startswith(known) for line in alone), alone


@pytest.fixture
def marked(arch, tmp_path):
    """tests/programs/marked.c, and its labels' addresses."""
    out = tmp_path / "marked"
    command = [linux_program.COMPILERS[arch], "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-O2"]
    command += ["-mno-abicalls", "-fno-pic", "-G0"] if arch == "mips" else []
    subprocess.run([*command, "-o", out, linux_program.SOURCES / "marked.c"], check=True)
    listed = subprocess.run(["nm", out], capture_output=True, text=True, check=True).stdout
    return out, {name: int(address, 16) for address, name in re.findall(r"^(\w+) \w (\w+)$", listed, re.M)}


def before(marked, arch, label, words, folder):
    """(instructions of marked with WORDS before its LABEL, its status), by the emulator and the plugin."""
    executable, labels = marked
    counts = folder / "counts"
    machine = "mips" if arch == "mips" else "x86"
    plugin = f"{PLUGIN},out={counts},guest={machine},until={labels[label]}"
    result = under_emulator(executable, arch, *words, plugin=plugin)
    return int(re.fullmatch(r"0 (\d+)\n", counts.read_text())[1]), result.status


def counted(marked, arch, words, *options):
    """(instructions:u of marked with WORDS, its status) on Quipu."""
    options = ["-e", "instructions:u", *options]
    result = linux_program.run(marked[0], arch, *words, options=options)
    return linux_program.counted(result, "instructions:u"), result.status


@pytest.mark.parametrize("options", [(), ("--deterministic",)])
def test_instructions_to_the_last(arch, marked, tmp_path, options):
    """From the first instruction to the system call that ends it. The call is one itself on a PC; a Malta's is an
    exception, which does not complete."""
    instructions, status = before(marked, arch, "last", [], tmp_path)
    last = 1 if arch == "x86_64" else 0
    assert counted(marked, arch, [], *options) == (instructions + last, status)


def test_instructions_between_marks(arch, marked, tmp_path):
    """What lies around the marks is the same for one word and for three, but for the digit sum, which is counted off."""
    few, more = [], ["a", "b"]

    def span(words):
        parts = {label: before(marked, arch, label, words, tmp_path)[0] for label in ("loop_begin", "loop_end", "last")}
        return parts["loop_end"] - parts["loop_begin"], parts["loop_begin"] + parts["last"] - parts["loop_end"]

    (loop, around), (long_loop, long_around) = span(few), span(more)
    between = counted(marked, arch, more)[0] - long_around - (counted(marked, arch, few)[0] - around)
    assert between == long_loop - loop > loop


# The instructions of user/workloads that are what it is about, by function, and how many of each a turn has.
OPERATIONS = {
    ("x86_64", "fp"): (r"fp", {r"mulsd": 1, r"addsd": 1}),
    ("mips", "fp"): (r"fp", {r"mul\.d": 1, r"add\.d": 1}),
    ("x86_64", "atomic"): (r"add", {r"lock addq": 4}),
    ("mips", "atomic"): (r"add", {r"daddiu\s+a(\d),a\2,1": 4}),  # behind LL, add and SC, which may fail
}
# Of the same function: what is made again as often as SC fails, which is up to the host.
TRIES = {("mips", "atomic"): [r"lld\s+at", r"daddiu\s+at,at,1", r"scd\s+at"]}


@pytest.mark.parametrize("name", ["fp", "atomic"])
def test_workloads_do_what_they_print(arch, name, tmp_path):
    """How often those instructions are executed, by a plugin that is told where they are."""
    prefix = "mips64-linux-gnuabi64-" if arch == "mips" else ""
    out, turns, hits = tmp_path / "workload", 1000, tmp_path / "hits"
    source = guest.ROOT / "user" / "workloads" / "workload.c"
    subprocess.run([linux_program.COMPILERS[arch], "-static", "-O2", "-pthread", "-o", out, source], check=True)
    listed = subprocess.run([f"{prefix}objdump", "-d", "--no-show-raw-insn", out], capture_output=True, text=True, check=True)
    function, operations = OPERATIONS[arch, name]
    body = re.search(rf"^\w+ <{function}>:\n(.*?)\n\n", listed.stdout, re.M | re.S)[1]
    tries = TRIES.get((arch, name), [])
    places = [list(re.finditer(rf"^ *(\w+):\s+{each}\b", body, re.M)) for each in [*operations, *tries]]
    assert all(len(found) == 1 for found in places), body
    plugin = f"{PLUGIN.with_name('hits.so')},out={hits}," + ",".join(f"addr=0x{found[0][1]}" for found in places)
    result = under_emulator(out, arch, name, turns, plugin=plugin)
    assert result.status == 0, result.said
    seen = [int(line.split()[1]) for line in hits.read_text().splitlines()]
    once, tried = seen[: len(operations)], seen[len(operations) :]
    assert once == [each * turns for each in operations.values()], seen
    assert len(set(tried)) <= 1 and all(once[0] <= each for each in tried), seen
