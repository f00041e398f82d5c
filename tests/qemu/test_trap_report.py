# SPDX-License-Identifier: BSD-2-Clause
"""The report of a trap in the kernel, line by line: its numbers against the image's symbols and instructions."""

import bisect
import re
import subprocess

import guest
import pytest

REGISTERS = {
    "x86_64": ["rax rbx rcx rdx", "rsi rdi rbp rsp", "r8 r9 r10 r11", "r12 r13 r14 r15", "rip rflags cs error cr2"],
    "mips": [
        *("at v0 v1 a0", "a1 a2 a3 a4", "a5 a6 a7 t0", "t1 t2 t3 s0", "s1 s2 s3 s4", "s5 s6 s7 t8", "t9 gp sp fp"),
        *("ra hi lo", "epc status cause badvaddr"),
    ],
}
DIGITS = {"rflags": 8, "cs": 2, "error": None, "status": 8, "cause": 8}

# Per fault: what the first line calls it, the address that goes with it (None: that of the instruction; a name: that
# variable's or function's, and what is added), the function that it happens in, and registers that it determines.
FAULTS = {
    "x86_64": {
        "null": ("page fault", 0, "provoke_null", {"error": 2, "cr2": 0}),
        "div": ("divide error", None, "provoke_divide", {"rax": 1, "rcx": 0, "rdx": 0, "error": 0}),
        "ill": ("invalid opcode", None, "provoke_illegal", {"error": 0}),
        "break": ("breakpoint", None, "provoke_breakpoint", {"error": 0}),
        "address": ("general protection", None, "provoke_protection", {"error": 0}),
        "text": ("page fault", ("provoke_text", 0), "provoke_text", {"error": 3}),
    },
    "mips": {
        "null": ("TLB store", 0, "provoke_null", {"badvaddr": 0}),
        "div": ("trap instruction", None, "provoke_divide", {}),
        "ill": ("reserved instruction", None, "provoke_illegal", {}),
        "break": ("breakpoint", None, "provoke_breakpoint", {}),
        "align": ("address error load", ("words", 1), "provoke_unaligned", {}),
        "address": ("address error store", 0x0123456789ABCDE0, "provoke_address", {"badvaddr": 0x0123456789ABCDE0}),
    },
}
CODES = {"null": 3, "div": 13, "ill": 10, "break": 9, "align": 4, "address": 5, "stack": 3}  # MIPS, of Cause
CALL = {"x86_64": r"call", "mips": r"(?:jal|jalr|bal)\b"}


class Image:
    """What nm and objdump say of a kernel."""

    def __init__(self, arch):
        prefix = "mips64-linux-gnuabi64-" if arch == "mips" else ""
        elf = guest.ROOT / "build" / arch / "quipu.elf"
        self.arch = arch
        rows = self._run(prefix + "nm", "-n", elf)
        self.symbols = [(int(row[0], 16), row[2], row[1]) for row in map(str.split, rows) if len(row) == 3]
        self.functions = [(address, name) for address, name, kind in self.symbols if kind in "tT"]
        code = self._run(prefix + "objdump", "-d", "--no-show-raw-insn", elf)
        found = (re.match(r"^ *([0-9a-f]+):\t(\S+)(.*)$", line) for line in code)
        self.instructions = [(int(match[1], 16), match[2], match[3].strip()) for match in found if match]

    @staticmethod
    def _run(*words):
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()

    def named(self, name):
        """Addresses of what is called so, the compiler's suffix apart."""
        return [address for address, found, _ in self.symbols if found.split(".")[0] == name]

    def instruction(self, address):
        """The one that the address is in."""
        return self.instructions[bisect.bisect_right(self.instructions, (address, "\x7f")) - 1]

    def begins(self, name, offset, address):
        """Whether a function of that name lies offset bytes before the address, and the address in it."""
        at = bisect.bisect_right(self.functions, (address, "\x7f")) - 1
        nearest = self.functions[at][0]
        return nearest == address - offset and (nearest, name) in self.functions


@pytest.fixture(scope="module")
def images():
    made = {}

    def image(arch):
        if arch not in made:
            made[arch] = Image(arch)
        return made[arch]

    return image


class Report:
    """Taken apart; every line has to be one of those that belong there."""

    def __init__(self, arch, text):
        lines = iter(text.splitlines())
        head = re.fullmatch(r"panic: (.*), address 0x([0-9a-f]+)", next(lines))
        self.cause, self.address = head[1], int(head[2], 16)
        assert re.fullmatch(r"cpu0, thread \d+ \(shell\)", next(lines))
        self.registers = {}
        for names in map(str.split, REGISTERS[arch]):
            self._read_registers(names, next(lines))
        assert next(lines) == "stack trace:"
        self.trace, self.log = [], []
        for line in lines:
            if line == "last log lines:":
                break
            match = re.fullmatch(r"  ([0-9a-f]{16}) (\S+)\+0x([0-9a-f]+)", line)
            assert match, line
            self.trace.append((int(match[1], 16), match[2], int(match[3], 16)))
        self.log = list(lines)

    def _read_registers(self, names, line):
        digits = {name: "[0-9a-f]+" if DIGITS.get(name, 16) is None else f"[0-9a-f]{{{DIGITS.get(name, 16)}}}" for name in names}
        match = re.fullmatch(" ".join(f"{name} +({digits[name]})" for name in names), line)
        assert match, line
        self.registers.update((name, int(value, 16)) for name, value in zip(names, match.groups()))


def check_trace(image, trace):
    """Each function is where the report says, and every one but the first has called the one before it there."""
    for address, name, offset in trace:
        assert image.begins(name, offset, address), f"{address:x} {name}+{offset:x}"
    for (called, name, offset), (address, caller, _) in zip(trace, trace[1:]):
        _, word, operands = image.instruction(address)
        assert re.match(CALL[image.arch], word), f"{caller} does not call at {address:x}: {word} {operands}"
        direct = re.search(r"\b([0-9a-f]{16}) <", operands)
        if direct:
            assert int(direct[1], 16) == called - offset, f"{caller} calls {operands}, not {name}"


def take(arch, kind):
    result = guest.run(f"dmesg; panic -t {kind}", "--arch", arch)
    assert result.status == 70
    report = Report(arch, result.stderr.decode("ascii"))
    assert len(report.log) >= 2 and report.log == result.lines()[-10:]
    return report


@pytest.mark.parametrize("kind", sorted({kind for faults in FAULTS.values() for kind in faults}))
def test_trap_report(arch, images, kind):
    """All of it: cause and address, the thread, the registers, who called whom from the shell on, the last log lines."""
    if kind not in FAULTS[arch]:
        assert guest.run(f"panic -t {kind}", "--arch", arch).status == 2
        return
    image, report = images(arch), take(arch, kind)
    cause, address, function, registers = FAULTS[arch][kind]
    place = report.registers["rip" if arch == "x86_64" else "epc"]
    assert report.cause == cause
    if isinstance(address, tuple):
        assert report.address - address[1] in image.named(address[0])
    else:
        assert report.address == (place if address is None else address)
    assert {name: report.registers[name] & 0xFFFFFFFF if name == "rax" else report.registers[name] for name in registers} == registers
    if arch == "x86_64":
        assert report.registers["cs"] == 8 and report.registers["rflags"] & 2
    else:
        assert report.registers["cause"] >> 2 & 31 == CODES[kind] and report.registers["status"] & 2
    assert report.trace[0][0] == place
    names = [name for _, name, _ in report.trace if name != "panic_run_fault"]
    assert names[:3] == [function, "panic_run", "command_run"] and names[-2:] == ["shell_start", "thread_start"]
    assert len(names) == len(set(names)) <= 8
    check_trace(image, report.trace)


def test_stack_overflow_report(arch, images):
    image, report = images(arch), take(arch, "stack")
    assert report.cause.startswith("kernel stack overflow")
    pointer = report.registers["rsp" if arch == "x86_64" else "sp"]
    assert abs(report.address - pointer) < 4096, "it is the stack that the address is in"
    if arch == "mips":
        assert report.registers["cause"] >> 2 & 31 in (2, 3) and report.registers["badvaddr"] == report.address
    names = [name.split(".")[0] for _, name, _ in report.trace if name != "panic_run_fault"]
    first = names.index("trap_overflow_stack")
    assert first >= 5 and set(names[:first]) == {"overflow"}
    assert names[first + 1 : first + 3] == ["panic_run", "command_run"] and names[-1] == "thread_start"
    check_trace(image, report.trace)


def test_faults_are_listed(quipu, arch):
    assert {line.split()[0] for line in quipu("panic -l").lines()} == {*FAULTS[arch], "stack"}
