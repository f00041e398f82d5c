# SPDX-License-Identifier: BSD-2-Clause
"""Debian's Linux on a PC finds qpmu's counters as an Intel CPU's, by its own driver: what they count is exact, and every sample
lies where it has to."""

import os
import pathlib
import re
import shutil
import socket
import subprocess

import pytest

import guest
import linux_guest
import probe

TURNS = 10_000_000  # the difference of the guest's two loops, of two instructions each
MULTIPLY = 2  # cycles of a multiplication, less the one in which it graduates (docs/QPMU.md)
SAMPLES = 10_000_000 // 10_007
# (CPUs, QEMU's other arguments); the rest with GUESTS=long (make guests).
MODES = {
    "one-cpu": (1, []),
    "four-cpus": (4, []),
    "icount": (2, ["-icount", "shift=1,sleep=off"]),
}
SHORT = ("one-cpu",)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """The kernel, and a folder."""
    reason = probe.transparent("qemu-system-x86_64")
    if reason:
        pytest.skip(reason)
    image, reason = linux_guest.kernel_of("x86_64")
    if reason:
        pytest.skip(reason)
    return image, tmp_path_factory.mktemp("linux")


def boot(parts, cpus, arguments=(), plugin="", program="perf_guest", words="", asked=None):
    """CPUS: None where ARGUMENTS say it. PLUGIN: its arguments; None: without it. WORDS of the program's own."""
    image, folder = parts
    archive = linux_guest.program("x86_64", program, folder)
    if plugin is not None:
        arguments = ["-plugin", f"{linux_guest.PLUGIN}{plugin}", *arguments]
    if cpus:
        arguments = ["-smp", str(cpus), *arguments]
    return linux_guest.run(linux_guest.command("x86_64", image, archive, f"-- {words}", *arguments), asked)


def check(said, cpus):
    """What perf_guest says of each of so many CPUs."""
    assert said.all("instructions") == [2 * TURNS] * cpus
    assert said.all("cycles") == [2 * TURNS] * cpus
    assert said.all("branches") == [TURNS] * cpus
    assert said.all("samples") == [SAMPLES] * cpus
    for nothing in ("samples-outside", "samples-behind-timer", "samples-elsewhere", "other-records"):
        assert said.all(nothing) == [0] * cpus, nothing


@pytest.mark.timeout(linux_guest.PATIENCE)
@pytest.mark.parametrize("mode", MODES)
def test_counts_and_samples_are_exact(parts, mode):
    if mode not in SHORT and os.environ.get("GUESTS") != "long":
        pytest.skip("GUESTS=long (make guests)")
    cpus, arguments = MODES[mode]
    said = boot(parts, cpus, arguments)
    assert "full-width counters, Intel PMU driver." in said.text
    check(said, cpus)
    assert said.all("flags-wrong") == [0] * cpus
    assert said.all("cycles-with-one") == [3 * TURNS] * cpus and said.all("cycles-with-two") == [0] * cpus
    assert said.all("cycles-with-none") == [MULTIPLY * TURNS] * cpus
    assert said.all("cycles-below-many") == said.all("multiply-cycles") == [(3 + MULTIPLY) * TURNS] * cpus
    assert said.all("rdpmc-index") == [1] * cpus
    assert said.all("rdpmc") == [2 * TURNS] * cpus
    assert said.all("rdpmc-bad") == [11] * cpus and said.all("rdpmc-closed") == [11] * cpus  # SIGSEGV: #GP


@pytest.mark.timeout(linux_guest.PATIENCE)
def test_a_cpu_is_pulled_out(parts):
    """While its counters run; what the other one counts is exact then, too. QEMU's TCG itself cannot put it back (11.1: it aborts)."""
    monitor = parts[1] / "monitor"
    slot = ["-smp", "1,sockets=2,cores=1,threads=1,maxcpus=2", "-monitor", f"unix:{monitor},server=on,wait=off"]
    cpu = ["-device", "Skylake-Client-v1-x86_64-cpu,socket-id=1,core-id=0,thread-id=0,id=second"]

    def pull_out():
        with socket.socket(socket.AF_UNIX) as to:
            to.connect(str(monitor))
            to.sendall(b"device_del second\n")
            while b"(qemu)" not in to.recv(4096):
                pass

    said = boot(parts, None, [*slot, *cpu], words="unplug", asked={"pull out": pull_out})
    assert said.text.index("is now offline") < said.text.index("\ngone")
    assert said.all("watched") == [1]
    check(said, 2)


@pytest.mark.timeout(linux_guest.PATIENCE)
def test_off_is_as_without(parts):
    said = boot(parts, 1, plugin=",transparent=off")
    assert "PMU driver." not in said.text and "instructions No such file or directory" in said.text


@pytest.mark.timeout(2 * linux_guest.PATIENCE)
def test_random_instructions_do_the_same(parts):
    """With interrupts at their instructions, and cpuid and rdpmc answered, everything is as without the plugin."""
    without = boot(parts, 1, plugin=None, program="differ_guest")
    streams = re.findall(r"^stream .*$", without.text, re.M)
    assert len(streams) == 400 and without.all("wrong") == []
    said = boot(parts, 1, program="differ_guest")
    assert re.findall(r"^stream .*$", said.text, re.M) == streams
    assert said.all("wrong") == [0, 0, 0, 0], said.text


def libraries(program):
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return sorted(set(re.findall(r"(/\S+) \(0x", said)))


@pytest.mark.timeout(linux_guest.PATIENCE)
@pytest.mark.skipif(os.environ.get("GUESTS") != "long", reason="GUESTS=long (make guests)")
def test_perf_itself(parts):
    """Debian's perf in the guest: two functions of which one works three times as much as the other."""
    image, folder = parts
    perf, here = shutil.which("perf"), guest.ROOT / "tests" / "guests"
    if not perf or not shutil.which("busybox"):
        pytest.skip("perf and busybox-static are not installed")
    command = ["gcc", "-O1", "-static", "-nostdlib", "-fno-stack-protector", "-o", folder / "split", here / "split.c"]
    subprocess.run(command, check=True)
    files = {"split": folder / "split", "bin/busybox": shutil.which("busybox"), "usr/bin/perf": perf}
    files.update({path.lstrip("/"): path for path in libraries(perf)})
    places = {str(parent) for name in files for parent in pathlib.PurePath(name).parents} - {"."}
    more = [(place, 0o40755, b"") for place in sorted(places)]
    more += [(name, 0o100755, pathlib.Path(path).read_bytes()) for name, path in files.items()]
    for applet in ("sh", "mount", "sed", "mkdir", "reboot", "echo"):
        more.append((f"bin/{applet}", 0o120777, b"busybox"))
    linux_guest.initrd(here / "perf_init.sh", folder / "perf_init.gz", more)
    said = boot(parts, 1, ["-m", "1024"], program="perf_init")
    counts = dict(re.findall(r"^stat (\d+),,(\w+):u", said.text, re.M)[i][::-1] for i in range(3))
    assert 20_000_000 <= int(counts["instructions"]) < 20_000_100 and counts["cycles"] == counts["instructions"], said.text
    assert 10_000_000 <= int(counts["branches"]) < 10_000_020
    found = {name: int(samples) for samples, name in re.findall(r"^report .*% +(\d+) .*\] (\w+)", said.text, re.M)}
    assert set(found) == {"larger", "smaller"} and sum(found.values()) == 20_000_000 // 10_007, said.text
    assert abs(found["larger"] / sum(found.values()) - 0.75) < 0.01, found
