# SPDX-License-Identifier: BSD-2-Clause
"""`make bench`: measures the figures in guest instructions and prints the table for both machines.

The instructions are counted by our QEMU plugin (tools/plugins/count.c), so the host's load does not matter.
What is measured stands in figures.py. `make bench-keep` writes the figures down (tools/bench/kept), and `make bench-check`
says which have become worse since.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "run"))

import options  # noqa: E402  (found through the line above)
import linked  # noqa: E402
import qemu  # noqa: E402
from figures import CPU_TIME, FIGURES, Boot, Span, Total  # noqa: E402

PLUGIN = ROOT / "build" / "plugins" / "count.so"
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
        self._symbols = linked.symbols(self._elf, arch)

    def entry(self):
        """Where the first instruction runs: on the PC before paging, so at the physical address."""
        start = self.place("start")
        return start & 0x7FFFFFFF if self.arch == "x86_64" else start

    def place(self, text):
        name, _, offset = text.partition("+")
        if name not in self._symbols:
            raise Missing(f"no symbol {name}")
        return self._symbols[name] + int(offset or "0", 0)

    def ends(self, text):
        """As place(); of `return of FUNCTION` there may be several."""
        if not text.startswith("return of "):
            return [self.place(text)]
        function = text.removeprefix("return of ")
        self.place(function)
        return linked.returns(self._elf, self.arch, function)

    def extent(self, function):
        self.place(function)
        return linked.extent(self._elf, self.arch, function)

    def text_bytes(self):
        """Every section of instructions, .text and what boots before it; the self-tests are in another image."""
        rows = (line.split() for line in linked.tool(self.arch, "size", "-A", "-d", self._elf).splitlines())
        return sum(int(row[1]) for row in rows if row and row[0].startswith((".text", ".boot", ".vectors")))


def measured(out):
    """The words of the plugin's only line."""
    if not out.exists():
        raise Missing("the plugin wrote nothing")
    return out.read_text().split()


def boot(kernel, figure, folder):
    several = figure.cpus > 1  # then how they wait for each other is up to the host, unless they take turns
    memory = figure.memory[kernel.arch]
    chosen = options.Options(
        arch=kernel.arch, cpus=figure.cpus, memory=memory, append=figure.append, deterministic=several, pmu=False
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
    ends = "".join(f",end={place:#x}" for end in figure.ends[kernel.arch] for place in kernel.ends(end))
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
    if figure.quickest:
        remark = f"the least; median {median // figure.divide:,}, most {most_each:,}, of {times:,}"
        median = least
    if figure.beyond:
        _, _, fewer, _ = lengths(kernel, figure, figure.beyond, folder)
        return (median - fewer) // figure.divide, f"{median:,} less the {fewer:,} of `{figure.beyond}`"
    if not figure.without and not figure.added:
        return median // figure.divide, remark
    bare_kernel = Kernel(kernel.arch, f"build/{figure.added or CPU_TIME}")
    _, bare_least, bare, _ = lengths(bare_kernel, figure, figure.commands, folder)
    if figure.quickest:
        bare = bare_least
    if figure.added:
        return median - bare, f"{median:,} with, {bare:,} without"
    return median, f"{bare:,} without CPU time; {remark}"


def measure(kernel, figure):
    with tempfile.TemporaryDirectory(prefix="quipu-bench-") as folder:
        if isinstance(figure, Boot):
            return boot(kernel, figure, pathlib.Path(folder))
        if isinstance(figure, Span):
            return span(kernel, figure, pathlib.Path(folder))
        if isinstance(figure, Total):
            return total(kernel, figure, pathlib.Path(folder))
        return kernel.text_bytes(), ""


def total(kernel, figure, folder):
    out = folder / "count"
    ranges = "".join(",within={:#x},to={:#x}".format(*kernel.extent(name)) for name in figure.within)
    plugin = f"{PLUGIN},out={out}{ranges},from={kernel.place(figure.begin) if figure.begin else kernel.entry():#x},until={kernel.place(figure.end):#x}"
    command = [ROOT / "quipu", "run", "--arch", kernel.arch, "--append", "quiet", "--no-pmu", *figure.arguments]
    command += ["-c", figure.commands, "--", "-plugin", plugin, *figure.emulator]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"`{figure.commands}` ended with {done.returncode}")
    words = measured(out)
    if words[3] == "-":
        raise Missing("the places were not reached")
    if figure.within:
        return round(100 * int(words[4]) / int(words[3])), f"per cent, {int(words[4]):,} of {int(words[3]):,}"
    return int(words[3]) // figure.divide, ""


def verdict(value, goal):
    if goal is None:
        return "-"
    return "met" if value <= goal else "MISSED"


KEPT = pathlib.Path(__file__).with_name("kept")
WORSE = 1.03


def kept():
    """{(machine, figure): value} of the last `make bench-keep`."""
    rows = (line.split("\t") for line in KEPT.read_text().splitlines() if not line.startswith("#"))
    return {(arch, name): int(value) for arch, name, value in rows}


def keep(values):
    lines = [f"{arch}\t{name}\t{value}" for (arch, name), value in values.items()]
    KEPT.write_text("# What `make bench-check` compares with: machine, figure, value; `make bench-keep` writes it.\n" + "\n".join(lines) + "\n")


def compare(values):
    """What has become worse than what is kept, or is not measured any more: printed; how many."""
    bad = 0
    for key, before in kept().items():
        now = values.get(key)
        if now is not None and now <= before * WORSE:
            continue
        bad += 1
        what = "not measured" if now is None else f"{now:,}, {100 * (now - before) / before:.1f} % more" if before else f"{now:,}"
        print(f"bench-check: {key[0]}: {key[1]}: was {before:,}, is {what}")
    print(f"bench-check: {len(kept())} figures, {bad} of them more than {WORSE - 1:.0%} worse")
    return bad


def is_steady(figure):
    """Whether it is the same at each run: what CPUs wait for each other is not."""
    return not getattr(figure, "within", ())


def main():
    words = sys.argv[1:]
    how = words.pop(0) if words and words[0] in ("--keep", "--check") else ""
    only = words  # figures with one of these in their names
    values = {}
    print(f"{'machine':8} {'figure':34} {'value':>10} {'goal':>9} {'':6}  remarks; peers")
    for arch in ("mips", "x86_64"):
        kernel = Kernel(arch)
        for figure in FIGURES:
            if arch not in getattr(figure, "arches", linked.PREFIX):
                continue
            if (only and not any(word in figure.name for word in only)) or (how and not is_steady(figure)):
                continue
            goal = figure.goal.get(arch)
            shown = f"{goal:,}" if goal is not None else "-"
            try:
                value, remark = measure(kernel, figure)
                cells = f"{value:>10,} {shown:>9} {verdict(value, goal):6}"
                values[arch, figure.name] = value
            except Missing as why:
                cells, remark = f"{'?':>10} {shown:>9} {'':6}", str(why)
            print(f"{arch:8} {figure.name:34} {cells}  {'; '.join(filter(None, [remark, figure.peers[arch]]))}", flush=True)
    if how == "--keep":
        keep(values)
    if how == "--check":
        sys.exit(compare(values) > 0)


if __name__ == "__main__":
    main()
