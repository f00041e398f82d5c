# SPDX-License-Identifier: BSD-2-Clause
"""What the plugin qpmu says when it is used wrongly: one line that names the thing and the reason, and what becomes of the run."""

import subprocess

import pytest

import guest
import test_qpmu

PLUGIN = test_qpmu.PLUGIN
WRONG = {
    "frobnicate=1": "no such argument; there are",
    "ir=x": "no such argument",
    "irqs=x": "no such argument",
    "irq=": "no socket",
    f"irq={'s' * 108}": "too long",
    "irq=/proc/version": "not a UNIX socket",
    "rev=5": "2.6 and 3.4",
    "rev=": "2.6 and 3.4",
    "l2=1048576": "not BYTES:LINE",
    "l2=x:128": "not BYTES:LINE",
    "l2=3:4": "no such cache",
    "l2=1048576:4294967424": "no such cache",
    "vectors=x": "not an address",
    "base=": "not an address",
    "base=-1": "not an address",
    "base=0x10000000000000000": "not an address",
    "ram=": "no name",
    "total=/no/such/folder": "No such file or directory",
    "total=/": "Is a directory",
    "halt=never": "wait",
    "until=1": "total=",
}

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="build/plugins/qpmu.so is not built")


def run(argv):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)


def said(done):
    return [line for line in done.stderr.splitlines() if line.startswith("qpmu: ")]


@pytest.mark.parametrize("argument", WRONG, ids=lambda argument: argument[:40])
def test_wrong_argument(argument):
    done = run(["qemu-system-mips64", "-M", "none", "-display", "none", "-plugin", f"{PLUGIN},{argument}"])
    (line,) = said(done)
    assert done.returncode == 1 and done.stdout == ""
    assert line.startswith(f"qpmu: {argument.split('=')[0]}=") and WRONG[argument] in line


def test_checked_total_is_not_touched(tmp_path):
    """That it can be written is tried, no more."""
    for name, text in (("new", None), ("old", "old\n")):
        if text:
            (tmp_path / name).write_text(text)
        plugin = f"{PLUGIN},total={tmp_path / name},probe=1"
        assert "qpmu: probe ok " in run(["qemu-system-x86_64", "-M", "none", "-display", "none", "-plugin", plugin]).stdout
    assert [path.name for path in tmp_path.iterdir()] == ["old"] and (tmp_path / "old").read_text() == "old\n"


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("errors")
    return lambda arch: test_qpmu.build(arch, test_qpmu.SOURCES / f"{arch}.c", folder / arch)


def test_ram_that_is_not_shared(arch, kernels):
    """The hypercall is not answered, the guest goes on, and the user hears why."""
    argv = test_qpmu.command(arch, kernels(arch))
    argv[argv.index("-object") + 1] = "memory-backend-ram,id=ram,size=64M"
    done = run(argv)
    (line,) = said(done)
    assert done.stdout.startswith("magic 0")
    assert "RAM is not shared" in line and "memory-backend-memfd" in line and "qemu-pmu" in line


def test_it_is_said_once():
    """Four CPUs make the hypercall before the prompt comes."""
    argv = ["qemu-system-x86_64", "-cpu", "max", "-smp", "4", "-display", "none", "-serial", "stdio", "-monitor", "none"]
    argv += ["-plugin", str(PLUGIN), "-kernel", guest.ROOT / "build" / "x86_64" / "quipu"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        printed = b""
        while guest.PROMPT not in printed:
            piece = process.stdout.read1()
            assert piece, printed
            printed += piece
        process.terminate()
        _, errors = process.communicate(timeout=100)
    assert errors.count(b"qpmu: ") == 1 and b"RAM is not shared" in errors


def test_ram_of_another_name(kernels):
    done = run(test_qpmu.command("mips", kernels("mips"), plugin=f"{PLUGIN},ram=/no/such/ram"))
    (line,) = said(done)
    assert done.stdout.startswith("magic 0") and '"/no/such/ram"' in line and "ram=" in line


@pytest.mark.parametrize("slot", ["0xffffffff80200008", "0xffffffff83fff000"], ids=["unaligned", "beyond-the-end"])
def test_slot_where_none_can_lie(slot, tmp_path):
    kernel = test_qpmu.build("mips", test_qpmu.SOURCES / "mips.c", tmp_path / "kernel", f"-DSLOT={slot}")
    done = run(test_qpmu.command("mips", kernel))
    (line,) = said(done)
    assert done.stdout.startswith("magic 0") and "slot" in line and "67108864 bytes" in line and "base=" in line


def test_socket_that_nobody_listens_on(kernels, tmp_path):
    """The guest counts, and is told that there are no interrupts (the mips guest then skips that test)."""
    done = run(test_qpmu.command("mips", kernels("mips"), plugin=f"{PLUGIN},irq={tmp_path / 'nobody'}"))
    (line,) = said(done)
    assert line == f"qpmu: irq={tmp_path / 'nobody'}: No such file or directory; overflows raise no interrupts"
    assert done.stdout.startswith("magic 1") and done.stdout.endswith("end 0\n")
