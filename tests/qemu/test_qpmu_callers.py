# SPDX-License-Identifier: BSD-2-Clause
"""Callers in records (tests/qemu/qpmu/callers.c): each one of every record is compared with what follows from the instructions that
the guest has executed, in their order, and from their disassembly. The plugin goes by neither, but by where return addresses lie."""

import re
import subprocess

import pytest

import test_qpmu
from test_qpmu import MIPS, SOURCES, WAYS, boot, build

ROOM = 64  # QPMU_CALLERS_MOST
INTERRUPT = 1
CUT = 2
VECTORS = (0xFFFFFFFF80000000, 0xFFFFFFFF80000080, 0xFFFFFFFF80000180)

pytestmark = test_qpmu.pytestmark


class Program:
    """What the disassembler says."""

    def __init__(self, arch, file):
        tool = MIPS if arch == "mips" else ""
        text = subprocess.run([tool + "objdump", "-d", "--no-show-raw-insn", file], check=True, capture_output=True, text=True).stdout
        self.arch, self.insn, self.function = arch, {}, {}
        name, before = "", None
        self.behind = {}
        symbols = subprocess.run([tool + "nm", file], check=True, capture_output=True, text=True).stdout
        self.entry = {line.split()[2]: int(line.split()[0], 16) for line in symbols.splitlines()}
        for line in text.splitlines():
            heading = re.match(r"([0-9a-f]+) <(.*)>:$", line)
            if heading:
                name = heading[2]
            elif found := re.match(r" *([0-9a-f]+):\t(.*)", line):
                at = int(found[1], 16)
                self.insn[at], self.function[at] = found[2].split("#")[0].strip(), name
                if before is not None:
                    self.behind[before] = at
                before = at

    def text(self, at):
        """Vectors are copies."""
        if self.arch == "mips" and VECTORS[0] <= at < VECTORS[2] + 0x80:
            at = self.entry["vector" if at >= VECTORS[2] else "refill"] + at % 0x80
        return self.insn.get(at, "")

    def kind(self, at):
        text = self.text(at)
        if self.arch == "mips":
            kinds = {"call": r"(jal|jalr|bal)\t", "return": r"jr\tra", "resume": "eret"}
        else:
            kinds = {"call": r"call\b", "return": r"ret\b", "resume": "iretq"}
        return next((kind for kind, pattern in kinds.items() if re.match(pattern, text)), "")

    def returns_to(self, call):
        return call + 8 if self.arch == "mips" else self.behind[call]


class Follower:
    """Who has called, as the trace goes on: addresses of calls; of an interrupt the function it came into, and INTERRUPT."""

    def __init__(self, program):
        self.program, self.now, self.others, self.jump = program, [], [], None
        self.doubt = False  # x86: a jump has left functions, and none was called since

    def words(self):
        return self.now[::-1]

    def is_vector(self, at):
        return at in VECTORS if self.program.arch == "mips" else at == self.program.entry["handler"]

    def passed(self, at, then, slot):
        """The instruction at AT, whose delay slot SLOT was, has been executed; THEN comes next."""
        kind, name = self.program.kind(at), self.program.function.get(at, "")
        if kind == "call" and then != self.program.returns_to(at):
            self.now.append(at)
            self.doubt = False
        elif kind == "return":
            self.returned(name, then)
        elif kind == "resume":
            assert self.now.pop() == INTERRUPT
            self.now.pop()
        elif name == "jump_to" and self.program.function.get(then) == "jumps":
            self.now, self.doubt = self.now[: self.jump], True
        if self.is_vector(then):
            # The instruction that raised an exception has not graduated, and so made no record.
            called = re.search(r"<(\w+)>$", self.program.insn.get(at, ""))
            self.now += [called[1] if kind == "call" else self.program.function.get(slot), INTERRUPT]

    def returned(self, name, then):
        if name == "jump_to":
            self.now = self.now[: self.jump]
        elif self.now and self.program.returns_to(self.now[-1]) == then:
            self.now.pop()
            self.doubt = False
        else:  # a thread goes on
            assert name == "swap"
            self.others.append(self.now)
            found = [other for other in self.others if other and self.program.returns_to(other[-1]) == then]
            if then == self.program.entry["other_start"]:
                self.now = []
            else:
                self.now = found[0][:-1]
                self.others.remove(found[0])
        if name == "jump_set":
            self.jump = len(self.now)


def records(lines):
    assert lines[-1] == "end 0" and "words 65536" in lines and "dropped 0" in lines
    for line in lines:
        if line.startswith("at "):
            at, flags, *words = (int(word, 16) for word in line.split()[1:])
            yield at, flags, words


def compare(program, trace):
    """(exact, short, cut): how many records had all callers, not all though there was room, and no room. Fails on a wrong one."""
    follower, exact, short, cut = Follower(program), 0, [], 0
    mips = program.arch == "mips"
    for n, (at, flags, words) in enumerate(trace):
        right = follower.words()
        for got, wanted in zip(words, right):
            got = program.function.get(got) if isinstance(wanted, str) else got
            assert got == wanted, f"record {n} at {at:x}: {[hex(word) for word in words]}; right: {right}"
        assert len(words) <= len(right), f"record {n} at {at:x}: {[hex(word) for word in words]}; right: {right}"
        if len(words) == len(right):
            exact += 1
            assert flags == 0  # nobody has told what called work()
        elif flags == CUT:
            cut += 1
            assert ROOM - 1 <= len(words) <= ROOM
        else:
            short.append((at, follower.doubt))
        if n + 1 == len(trace):
            break
        # A branch takes effect behind its delay slot.
        then = trace[n + 1][0]
        if not mips:
            follower.passed(at, then, at)
        elif n > 0 and program.kind(trace[n - 1][0]) in ("call", "return"):
            follower.passed(trace[n - 1][0], then, at)
        elif program.kind(at) not in ("call", "return"):
            follower.passed(at, then, at)
    return exact, short, cut


@pytest.fixture(scope="module")
def guests(tmp_path_factory):
    folder = tmp_path_factory.mktemp("callers")
    made = {}

    def make(arch):
        if arch not in made:
            kernel = build(arch, SOURCES / "callers.c", folder / arch)
            made[arch] = kernel, Program(arch, kernel if arch == "mips" else kernel.with_suffix(".elf"))
        return made[arch]

    return make


@pytest.mark.parametrize("way", WAYS)
def test_every_caller_of_every_instruction(arch, guests, way):
    kernel, program = guests(arch)
    trace = list(records(boot(arch, kernel, *WAYS[way])))
    names = {program.function.get(at) for at, _, _ in trace}
    assert {"leaf", "tail", "twice", "deep", "by_pointer", "far_leaf", "descend", "other_turn", "turn", "handle", "jump_to", "leaf_slot"} <= names
    exact, short, cut = compare(program, trace)
    # deep() is 71 functions deep; and a stack that was left by a jump is not trusted until the next call.
    assert cut > 50 and exact > 1000
    assert len(short) < 20 and all(doubt for _, doubt in short), short
