# SPDX-License-Identifier: BSD-2-Clause
"""Starts that cannot succeed: on CPUs and boards that will not do, with a command line that lost its end."""

import subprocess
import time

import pytest

import guest

# What is asked of QEMU, and what the kernel says of it.
WILL_NOT_DO = {
    "x86_64": [
        ("-cpu qemu32", "panic: boot: this CPU has no 64-bit mode"),
        ("-m 2M", "panic: boot: the kernel does not fit in this machine's memory"),
        ("-m 4M", "panic: boot: too little memory: 3583 KiB, at least 8192 KiB are needed"),
        ("-machine isapc", "panic: boot: the 8254's interrupt does not come"),
        ("-machine isapc -cpu qemu32", "panic: boot: this CPU has no 64-bit mode"),
        ("-machine microvm", "panic: boot: the 8254's interrupt does not come"),
    ],
    "mips": [("-cpu R4000", "panic: boot: this CPU lacks the instructions of MIPS IV")]
    + [(f"-m {size}M", f"panic: boot: too little memory: {1024 * size - 4} KiB, at least 8192 KiB are needed") for size in (4, 5)]
    + [(f"-cpu {cpu}", "panic: boot: this CPU is of release 6") for cpu in ("I6400", "I6500")]
    + [(f"-cpu {cpu}", "panic: boot: this CPU has no 64-bit mode") for cpu in ("24Kc", "24Kf", "4Kc", "74Kf", "P5600")],
}


@pytest.mark.parametrize("arch,options,said", [(arch, *each) for arch, all in WILL_NOT_DO.items() for each in all])
def test_will_not_do(arch, options, said):
    """One line says why, and the status is a panic's; nothing waits for --timeout."""
    result = guest.run("true", "--arch", arch, "--", *options.split())
    assert result.status == 70, result.said
    assert result.said.count(said) == 1, result.said
    assert "Traceback" not in result.said


@pytest.mark.parametrize("cpus", [2, 3])
@pytest.mark.parametrize("cpu", ["5Kc", "20Kc", "VR5432"])
def test_cpus_without_numbers(cpu, cpus):
    """The one with the interrupts goes on if it was the first, as the host decides; otherwise it says why it cannot."""
    result = guest.run("sleep 0.1; echo alive", "--arch", "mips", "--", *f"-cpu {cpu} -smp {cpus}".split())
    line = "panic: boot: the CPUs have no numbers, and one without interrupts came first: start one only"
    assert (result.status, result.text) == (0, "alive\n") or (result.status, result.said.count(line)) == (70, 1), result.said


@pytest.mark.parametrize("options", ["-cpu I7200", "--cpu I7200,pw=on"])
def test_nanomips(options):
    """No instruction of the kernel's is executed there: QEMU jumps to where no 64-bit address space has it. The launcher knows."""
    for how in (["-c", "true"], ["--gdb"]):
        result = guest.launch("run", "--arch", "mips", *how, "--", *options.split())
        assert result.status == 70 and result.text == "", result.said
        assert result.stderr.decode().splitlines()[-1] == "quipu: this CPU executes nanoMIPS, of which the kernel has no instruction", result.said


# Where QEMU does not load the whole kernel, or not at its place: what is asked of it, and what the launcher says.
SAYS_NOTHING = {
    "x86_64": [(f"-m {size}", "1 MiB of memory are too little: the kernel needs 8 MiB") for size in ("1M", "1", "1024K", "size=1m,slots=1")]
    + [(f"{option} {board}", f"the kernel runs on a pc board, not on {board}") for option, board in (("-M", "x-remote"), ("-machine", "none"))],
    "mips": [(f"-m {size}M", f"{size} MiB of memory are too little: the kernel needs 8 MiB") for size in (1, 2, 3)]
    + [(f"{option} {board}", f"the kernel runs on a malta board, not on {board}") for option, board in (("-M", "mipssim"), ("-machine", "pica61"), ("-M", "magnum"))],
}


@pytest.mark.parametrize("arch,options,said", [(arch, *each) for arch, all in SAYS_NOTHING.items() for each in all])
def test_says_nothing(arch, options, said):
    for how in (["-c", "true"], ["--gdb"], ["--no-pmu", "-c", "true"]):
        result = guest.launch("run", "--arch", arch, *how, "--", *options.split())
        assert result.status == 70 and result.stdout == b"", result.said
        assert result.stderr.decode() == f"quipu: {said}\n", result.said


@pytest.mark.parametrize("options", ["-m 12M", "-m 1M -m size=64M", "-M malta -m 0.5G", "-machine type=malta"])
def test_enough(options):
    """What does say it, or needs no word."""
    result = guest.run("echo up", "--arch", "mips", "--", *options.split())
    assert result.status == 0 and result.text == "up\n", result.said


@pytest.mark.parametrize("cpu", ["Loongson-2F", "5KEc", "20Kc"])
def test_other_mips_cpus_do(cpu):
    result = guest.run("echo up", "--arch", "mips", "--", "-cpu", cpu)
    assert result.status == 0 and result.text == "up\n", result.said


@pytest.mark.parametrize("how", [[], ["--no-pmu"]])
def test_other_cpus_of_a_malta_wait(how):
    """QEMU enters the kernel on all of them."""
    result = guest.run("kstat -p unix:0:system_misc:ncpus", "--arch", "mips", *how, "--", "-smp", "3")
    assert result.status == 0 and result.text.split()[-1] == "1", result.said


QEMU = {
    "x86_64": "qemu-system-x86_64 -nodefaults -display none".split(),
    "mips": "qemu-system-mips64 -M malta -nodefaults -display none".split(),
}


def started_with(arch, line, tmp_path, until):
    """What the kernel has said on the serial line, up to UNTIL, when QEMU itself hands it LINE."""
    kernel = guest.ROOT / "build" / arch / "quipu"
    serial = tmp_path / "serial"
    serial.touch()
    command = [*QEMU[arch], "-kernel", kernel, "-monitor", "none", "-serial", f"file:{serial}", "-append", line]
    deadline = time.monotonic() + guest.PATIENCE
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as machine:
        try:
            while until not in (text := serial.read_text("ascii", "replace")):
                assert time.monotonic() < deadline, text
                time.sleep(0.1)
            return text
        finally:
            machine.kill()


@pytest.mark.parametrize(
    "arch,line,said",
    [
        ("x86_64", "word " * 256 + "apic=off", "the command line has more than 256 words"),
        ("x86_64", "x" * 4090 + " apic=off", "the command line has more than 4095 characters"),
        ("mips", "x" * 250 + " quiet", "the loader has kept back the end of the command line"),
    ],
)
def test_lost_end(arch, line, said, tmp_path):
    """A word that nobody reads is never passed over: the kernel refuses to start."""
    assert f"panic: boot: {said}" in started_with(arch, line, tmp_path, "panic: ")


@pytest.mark.parametrize("arch,longest", [("x86_64", 4094), ("mips", 254)])
def test_longest_line(arch, longest, tmp_path):
    """One character less than too much: its last word is heard."""
    said = 'boot: unknown word "frob=1"'
    assert said in started_with(arch, "x" * (longest - 7) + " frob=1", tmp_path, said)


@pytest.mark.parametrize(
    "arch,word,form",
    [
        ("x86_64", "quiet=1", "quiet"),
        ("x86_64", "apic=on", "apic=off"),
        ("mips", "module=", "module=ADDRESS,BYTES"),
        ("mips", "quiet=", "quiet"),
    ],
)
def test_bad_value(arch, word, form):
    """Such a word changes nothing, and the log says what it should be; the script runs all the same."""
    result = guest.run("dmesg", "--arch", arch, "--append", word)
    assert result.status == 0, result.said
    assert f'boot: bad value in "{word}": it is {form}\n' in result.text


@pytest.mark.parametrize("word", ["soak=x", "soak=", "soak", "soak=0x", "soak=7,"])
def test_bad_number(word):
    result = guest.run("dmesg", "--test", "--append", word)
    assert f'boot: bad value in "{word}": it is soak=SEED\n' in result.text, result.said
    assert "bad value" not in guest.run("dmesg", "--test", "--append", "soak=0x1f quiet").text
