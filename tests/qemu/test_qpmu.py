# SPDX-License-Identifier: BSD-2-Clause
"""The plugin qpmu with guests of its own (tests/qemu/qpmu), whose pieces of code have known counts."""

import mmap
import os
import pathlib
import random
import re
import signal
import subprocess

import pytest

import guest
import qemu
import test_pmu_numbers

SOURCES = guest.ROOT / "tests" / "qemu" / "qpmu"
PLUGIN = guest.ROOT / "build" / "plugins" / "qpmu.so"
INSTRUCTIONS = guest.ROOT / "build" / "plugins" / "instructions.so"
MIPS = "mips64-linux-gnuabi64-"
COMMON = ["-O2", "-ffreestanding", "-nostdlib", "-static", "-fno-stack-protector", "-fno-pic", "-Wall", "-Wextra"]
COMMON += ["-Werror", "-Wno-unused-function", f"-I{guest.ROOT}", "-Wl,--build-id=none"]
MIPS_FLAGS = ["-mabi=64", "-msym32", "-mno-abicalls", "-G0", "-msoft-float"]
MIPS_FLAGS += ["-Wl,-Ttext=0xffffffff80100000", "-Wl,-e,__start"]
PC_FLAGS = ["-m64", "-no-pie", "-mno-red-zone", "-mno-sse", "-mno-mmx", "-fcf-protection=none", "-Wl,-Ttext=0x100000"]
PC_FLAGS += ["-Wl,-z,max-page-size=4096", "-Wl,-z,noexecstack", "-Wl,-e,_start"]
BOARDS = {
    "mips": ["qemu-system-mips64", "-cpu", "MIPS64R2-generic", "-M", "malta,memory-backend=ram"],
    "x86_64": [
        *("qemu-system-x86_64", "-cpu", "max", "-device", "isa-debug-exit,iobase=0xf4,iosize=4"),
        *("-M", "pc,memory-backend=ram"),
    ],
}
# How QEMU executes makes no difference: blocks of many instructions, of one, of whatever the instruction count allows.
WAYS = {
    "plain": [],
    "icount": ["-icount", "shift=1,sleep=off"],
    "icount-3": ["-icount", "shift=3,sleep=off"],
    "singlestep": [] if guest.need("qemu-system-x86_64") else qemu.singlestep("qemu-system-x86_64"),
}
# The comments in the guests tell where the numbers come from.
EXPECTED = {
    "mips": """
        magic 1\nnothing 2\nloop 403\nmemory 403\ndevice 504\nslot 404\nlikely 200\nlikely_load 298\ntrap 5
        syscall 5\nrefill 8\nloads_issued 21\nstores_issued 20\nbranches 20\nsc_issued 10\nsc_good 0\nsc_same 0
        sc_changed 10\nsc_elsewhere 10\nexl 8\nexl_refill 11\nall 12\ninterrupted 8000013\nhandled_rest 0
        walk 2048\nwalk 2048\nwalk 2048\npattern_loop 403\npattern 8\npattern_loop 403\npattern 6
        records 400\ninside 400\ndistance 1000\ndropped 0\nfull 512\ndropped 88\nend 0""",
    "x86_64": """
        magic 1\nnothing 4\nloop 405\nmemory 405\ncalls 705\ndevice 506\nscreen 506\nstring 8\nempty 8\nstrings 255
        scan 10\nundefined 8\ndivision 9\nbreakpoint 8\ninterrupted 901807\nos 403\nos 0\npattern_loop 405\npattern 8
        pattern_loop 405\npattern 6\nrecords 400\ninside 400\nstatus 1\nstatus 0\nend 0""",
}
# Whether an interrupt came in time is up to the host's clock.
TIMING = ("handled_some", "interrupts")

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="build/plugins/qpmu.so is not built")


def build(arch, source, out, *flags):
    """For a Malta of release 2 with the uppermost byte first, unless the FLAGS say otherwise."""
    if arch == "mips":
        if guest.need(MIPS + "gcc"):
            pytest.skip(guest.need(MIPS + "gcc"))
        usual = [] if "-EL" in flags else ["-EB"]
        usual += [] if "-march=mips64" in flags else ["-march=mips64r2"]
        subprocess.run([MIPS + "gcc", *COMMON, *MIPS_FLAGS, *usual, *flags, "-o", out, source], check=True)
        return out
    whole = out.with_suffix(".elf")
    subprocess.run(["gcc", *COMMON, *PC_FLAGS, *flags, "-o", whole, source], check=True)
    # QEMU's multiboot loader takes 32-bit ELF files only.
    subprocess.run(["objcopy", "-O", "elf32-i386", whole, out], check=True, capture_output=True)
    return out


def command(arch, kernel, *more, memory=64, plugin=str(PLUGIN)):
    argv = [*BOARDS[arch], "-m", str(memory), "-object", f"memory-backend-memfd,id=ram,size={memory}M"]
    argv += ["-display", "none", "-nic", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot", "-kernel", kernel]
    return [*argv, *(["-plugin", plugin] if plugin else []), *more]


def boot(arch, kernel, *more, **how):
    done = subprocess.run(
        command(arch, kernel, *more, **how), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return [line for line in done.stdout.splitlines() if not line.startswith(TIMING)]


def reads_registers():
    """Whether plugins can read a CPU's registers: its mode is known, whatever the guest says of it."""
    return guest.qemu_release() >= (9, 0)


def expected(arch):
    lines = [line.strip() for line in EXPECTED[arch].strip().splitlines()]
    if arch == "x86_64" and reads_registers():
        lines[lines.index("os 0")] = "os 403"
    return lines


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """The guests, built once."""
    folder = tmp_path_factory.mktemp("qpmu")
    built = {}

    def kernel(arch):
        if arch not in built:
            built[arch] = build(arch, SOURCES / f"{arch}.c", folder / arch)
        return built[arch]

    return kernel


@pytest.mark.parametrize("way", WAYS)
def test_counts_are_exact(arch, kernels, way):
    assert boot(arch, kernels(arch), *WAYS[way]) == expected(arch)


def test_modes_are_not_guessed(kernels, tmp_path):
    """Nobody has said where the kernel lies. Where the plugin cannot see the mode, a counter of one mode stands still."""
    kernel = build("x86_64", SOURCES / "x86_64.c", tmp_path / "kernel", "-DHALVES=0")
    done = subprocess.run(
        command("x86_64", kernel), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("os ")]
    assert lines == (["os 403"] * 2 if reads_registers() else ["os 0"] * 2)
    assert done.stderr.count("counters of either alone stay 0") == (not reads_registers())


# Kinds of MIPS branches that never or always go: instructions for three pieces of never.h, of which 60 are branches.
NEVER = {
    **dict.fromkeys(["bne", "bltz", "bgtz", "bltzal"], 173),
    **dict.fromkeys(["bnel", "bltzl", "bgtzl", "bltzall"], 143),
    **dict.fromkeys(["bne_trap", "bltz_trap", "bgtz_trap"], 143),  # the instruction behind raises an exception
    **dict.fromkeys(["b", "blez", "bal", "beql", "bgezl", "bgezall", "beql_behind"], 173),
}


@pytest.mark.parametrize("way", WAYS)
def test_branches_known_at_translation(way, tmp_path):
    """Wherever in its page such a branch stands; for the guest, and for the other plugin's total."""
    mine, others = tmp_path / "mine", tmp_path / "others"
    kernel = build("mips", SOURCES / "mips.c", tmp_path / "kernel", "-DNEVER")
    symbols = subprocess.run([MIPS + "nm", kernel], capture_output=True, text=True, check=True).stdout
    (until,) = (f"until=0x{line.split()[0]}" for line in symbols.splitlines() if line.endswith(" finish"))
    observer = ["-plugin", f"{INSTRUCTIONS},out={others},guest=mips,{until}"]
    lines = boot("mips", kernel, *WAYS[way], *observer, plugin=f"{PLUGIN},total={mine},{until}")
    counts = [f"{name} {count}" for name, count in NEVER.items()]
    assert lines == ["magic 1", *2 * [*counts, *(f"{name} 60" for name in NEVER)], "end 0"]
    # The other one counts what starts: each of three kinds traps in three places, ten times, measured four times.
    assert test_pmu_numbers.totals(others)[0] - test_pmu_numbers.totals(mine)[0] == 3 * 3 * 10 * 4


def test_counts_are_exact_with_several_cpus(kernels):
    assert boot("x86_64", kernels("x86_64"), "-smp", "3") == expected("x86_64")


@pytest.mark.parametrize("arch,memory,slot", [("x86_64", 4096, "0x100200000"), ("mips", 2048, "0x98000000f0000000")])
def test_slot_anywhere_in_ram(arch, memory, slot, tmp_path):
    kernel = build(arch, SOURCES / f"{arch}.c", tmp_path / "kernel", f"-DSLOT={slot}")
    lines = boot(arch, kernel, memory=memory)
    assert lines[:3] == expected(arch)[:3] and lines[-1] == "end 0"


def test_overflow_raises_an_interrupt(kernels, tmp_path):
    path = f"/tmp/qpmu-{os.getpid()}"
    more = ["-serial", "null", "-chardev", f"socket,id=pmi,path={path},server=on,wait=off", "-serial", "chardev:pmi"]
    lines = boot("mips", kernels("mips"), *more, plugin=f"{PLUGIN},irq={path}")
    assert lines[-3:] == [f"byte {ord('!')}", "records 1", "end 0"]


def shared_ram(process):
    for entry in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        if "memory-backend-memfd" in os.readlink(entry):
            return open(entry, "r+b")
    raise AssertionError("QEMU has no such file")


def test_rubbish_in_the_slot_does_no_harm(tmp_path):
    kernel = build("mips", SOURCES / "mips.c", tmp_path / "kernel", "-DENDURE=1")
    names = subprocess.run([MIPS + "nm", kernel], capture_output=True, text=True, check=True).stdout
    place = next(int(line.split()[0], 16) for line in names.splitlines() if line.endswith(" slot")) & 0x1FFFFFFF
    dice = random.Random(5)
    with subprocess.Popen(
        command("mips", kernel), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            while process.stdout.readline() != b"enduring\n":
                pass
            with shared_ram(process) as ram, mmap.mmap(ram.fileno(), 64 << 20) as memory:
                while process.poll() is None:
                    size = dice.choice([1, 4, 8, 64])
                    at = place + dice.randrange(4096 - size)
                    memory[at : at + size] = dice.choice([dice.randbytes(size), b"\xff" * size])
            assert process.stdout.read() == b"end 0\n"
            assert process.returncode == 0, process.stderr.read()
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)


def test_launcher_loads_it_unless_told_otherwise(quipu):
    assert b"qpmu.so" in quipu("true", "--verbose").stderr
    bare = quipu("true", "--verbose", "--no-pmu")
    assert bare.status == 0 and b"qpmu" not in bare.stderr and b"memory-backend" not in bare.stderr


# The instruction that switches the machine off. How many more there are until QEMU has stopped the CPU is up to the host.
POWEROFF = {
    "x86_64": ("objdump", re.compile(r"^(\w+):.*\tout +%ax,", re.M)),
    "mips": (f"{MIPS}objdump", re.compile(r"^(\w+):.*\tsh\t", re.M)),
}


def poweroff(arch):
    program, store = POWEROFF[arch]
    function = [program, "-d", "--disassemble=piix4_pm_poweroff", guest.ROOT / "build" / arch / "quipu.elf"]
    (address,) = store.findall(subprocess.run(function, capture_output=True, text=True, check=True).stdout)
    return int(address, 16)


@pytest.mark.parametrize("cpus", [1, 3])
def test_total(arch, cpus, tmp_path):
    """A line for each CPU, the same in each run and for the other plugin."""
    if cpus > 1 and arch == "mips":
        pytest.skip("Malta has one CPU")
    mine, others, log = tmp_path / "mine", tmp_path / "others", tmp_path / "log"
    until, name = f"until={poweroff(arch):#x}", "mips" if arch == "mips" else "x86"

    def once():
        more = ["--", "-plugin", f"{PLUGIN},total={mine},halt=wait,{until}"]
        more += ["-plugin", f"{INSTRUCTIONS},out={others},guest={name},{until}", "-d", "int", "-D", log]
        how = ["--arch", arch, "--cpus", cpus, "--deterministic", "--no-pmu", *more]
        assert guest.run("true", *how).status == 0
        rows = [[int(line.split()[1]) for line in text.splitlines()] for text in (mine.read_text(), others.read_text())]
        assert len(rows[0]) == cpus and rows[0][0] > 10000
        # The other one counts what starts; QEMU's log has what did not end.
        faults = len(test_pmu_numbers.FAULT[arch].findall(log.read_text(errors="replace")))
        assert [b - a for a, b in zip(*rows)] == [faults] + [0] * (cpus - 1)
        return rows

    guest.twice(once, cpus)
