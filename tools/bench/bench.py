# SPDX-License-Identifier: BSD-2-Clause
"""`make bench`: measures the figures in guest instructions and prints the table for both machines.

The instructions are counted by our QEMU plugin (tools/plugins/count.c), so the host's load does not matter.
What is measured stands in figures.py.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "run"))

import options  # noqa: E402  (found through the line above)
import qemu  # noqa: E402
from figures import CPU_TIME, FIGURES, Boot, Span  # noqa: E402

PLUGIN = ROOT / "build" / "plugins" / "count.so"
PREFIX = {"x86_64": "", "mips": "mips64-linux-gnuabi64-"}
PROMPT = b"quipu> "
PATIENCE = 120
DISK_BYTES = 1 << 20


class Missing(Exception):
    """The kernel has no such place, or the run did not get there."""


class Kernel:
    """A built kernel's places and sizes, as the binutils tell them."""

    def __init__(self, arch, build="build"):
        self.arch = arch
        self.image = ROOT / build / arch / "quipu"
        self._elf = ROOT / build / arch / "quipu.elf"
        rows = (line.split() for line in self._tool("nm", self._elf).splitlines())
        self._symbols = {row[2]: int(row[0], 16) for row in rows if len(row) == 3}

    def _tool(self, name, *arguments):
        command = [PREFIX[self.arch] + name, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def entry(self):
        """Where the first instruction runs: on the PC before paging, so at the physical address."""
        start = self.place("start")
        return start & 0x7FFFFFFF if self.arch == "x86_64" else start

    def place(self, text):
        name, _, offset = text.partition("+")
        if name not in self._symbols:
            raise Missing(f"no symbol {name}")
        return self._symbols[name] + int(offset or "0", 0)

    def text_bytes(self):
        """Every section of instructions, .text and what boots before it; the self-tests are in another image."""
        rows = (line.split() for line in self._tool("size", "-A", "-d", self._elf).splitlines())
        return sum(int(row[1]) for row in rows if row and row[0].startswith((".text", ".boot", ".vectors")))


def measured(out):
    """The words of the plugin's only line."""
    if not out.exists():
        raise Missing("the plugin wrote nothing")
    return out.read_text().split()


def boot(kernel, figure, folder):
    chosen = options.Options(
        kernel.arch, "qemu", "direct", 1, figure.memory[kernel.arch], 0, "quiet", None, False, False, False, [], pmu=False
    )
    serial, out = folder / "serial", folder / "count"
    command = qemu.machine(chosen)
    command += qemu.boot(chosen, folder, None) if figure.files else ["-kernel", str(kernel.image), "-append", chosen.append]
    command += ["-monitor", "none", "-serial", f"file:{serial}", "-plugin"]
    command.append(f"{PLUGIN},out={out},from={kernel.entry():#x},until={kernel.place('shell_wait_input'):#x}")
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + PATIENCE
    while not (serial.exists() and PROMPT in serial.read_bytes()):
        if process.poll() is not None or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    time.sleep(0.2)  # from the last byte of the prompt to the wait
    process.terminate()
    process.wait(PATIENCE)
    count = measured(out)[3]
    if count == "-":
        raise Missing("no prompt")
    return int(count), ""


def disk_arguments(figure):
    """Of QEMU, for a machine with that disk: one of QEMU's own, of zeroes, whose requests take as long as it is told.

    So it does not depend on the host whether a request is done before its waiter has gone to sleep.
    """
    if not figure.disk:
        return []
    drive = f"driver=null-co,read-zeroes=on,size={DISK_BYTES},latency-ns={figure.latency}"
    if figure.disk == "ide":
        return ["-drive", f"if=ide,{drive}"]
    device = "virtio-blk-pci,disable-legacy=on,ioeventfd=off,drive=bench"
    return ["-drive", f"if=none,id=bench,{drive}", "-device", device]


def lengths(kernel, figure, commands, folder):
    """(times, least, median, most) of a span while COMMANDS run; of all repetitions together."""
    out = folder / "count"
    out.unlink(missing_ok=True)
    ends = "".join(f",end={kernel.place(end):#x}" for end in figure.ends[kernel.arch])
    plugin = f"{PLUGIN},out={out},start={kernel.place(figure.start[kernel.arch]):#x}{ends}"
    command = [ROOT / "quipu", "run", "--arch", kernel.arch, "--append", "quiet", *figure.arguments]
    command += ["-c", commands, "--", "-kernel", kernel.image, "-plugin", plugin, *disk_arguments(figure)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"`{commands}` ended with {done.returncode}")
    times, *found = map(int, measured(out)[3:7])
    if times == 0:
        raise Missing("the places were not reached")
    less = figure.less.get(kernel.arch, 0)
    return times, *(value - less for value in found)


def span(kernel, figure, folder):
    times, least, median, most = lengths(kernel, figure, figure.commands, folder)
    least_each, most_each = least // figure.divide, most // figure.divide
    remark = f"least {least_each:,}, most {most_each:,}, of {times:,}"
    if figure.beyond:
        _, _, fewer, _ = lengths(kernel, figure, figure.beyond, folder)
        return (median - fewer) // figure.divide, f"{median:,} less the {fewer:,} of `{figure.beyond}`"
    if not figure.without and not figure.added:
        return median // figure.divide, remark
    bare_kernel = Kernel(kernel.arch, f"build/{figure.added or CPU_TIME}")
    _, bare_least, bare, _ = lengths(bare_kernel, figure, figure.commands, folder)
    if figure.quickest:
        median, bare = least, bare_least
    if figure.added:
        return median - bare, f"{median:,} with, {bare:,} without"
    return bare, f"without CPU time; with it {median:,} ({remark})"


def measure(kernel, figure):
    with tempfile.TemporaryDirectory(prefix="quipu-bench-") as folder:
        if isinstance(figure, Boot):
            return boot(kernel, figure, pathlib.Path(folder))
        if isinstance(figure, Span):
            return span(kernel, figure, pathlib.Path(folder))
        return kernel.text_bytes(), ""


def verdict(value, goal):
    if goal is None:
        return "-"
    return "met" if value <= goal else "MISSED"


def main():
    only = sys.argv[1:]  # figures with one of these in their names
    print(f"{'machine':8} {'figure':31} {'value':>10} {'goal':>9} {'':6}  remarks; peers")
    for arch in ("mips", "x86_64"):
        kernel = Kernel(arch)
        for figure in FIGURES:
            if isinstance(figure, Span) and arch not in figure.arches:
                continue
            if only and not any(word in figure.name for word in only):
                continue
            goal = figure.goal.get(arch)
            shown = f"{goal:,}" if goal is not None else "-"
            try:
                value, remark = measure(kernel, figure)
                cells = f"{value:>10,} {shown:>9} {verdict(value, goal):6}"
            except Missing as why:
                cells, remark = f"{'?':>10} {shown:>9} {'':6}", str(why)
            print(f"{arch:8} {figure.name:31} {cells}  {'; '.join(filter(None, [remark, figure.peers[arch]]))}")


if __name__ == "__main__":
    main()
