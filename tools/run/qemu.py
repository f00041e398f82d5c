# SPDX-License-Identifier: BSD-2-Clause
"""QEMU's command lines for both machines.

With a script the serial line goes to a regular file: the guest never waits for the host's reader, so what
it counts does not depend on how fast we read.
"""

import functools
import re
import shlex
import subprocess

import asked
import boot_files
import iso
from options import ROOT
from saying import say

LEAVE = "to leave: Ctrl-A, then X"
ENDS_ITSELF = True
MACHINES = {
    "x86_64": ["qemu-system-x86_64", "-M", "pc", "-cpu", "max"],
    "mips": ["qemu-system-mips64", "-M", "malta", "-cpu", "MIPS64R2-generic"],
}
# One guest instruction is 2 ns of guest time; idle time is skipped, not slept.
DETERMINISTIC = ["-icount", "shift=1,sleep=off", "-seed", "1"]
DETERMINISTIC += ["-rtc", "base=2000-01-01T00:00:00,clock=vm"]
# What starts QEMU with performance counters for the guest, and the plugin that counts.
COUNTING = ROOT / "tools" / "qpmu" / "qemu-pmu"
PMU = ROOT / "build" / "plugins" / "qpmu.so"
# The netdev is called net0, for -object filter-dump,netdev=net0. A PCnet is what a Malta has on board. Nothing is
# booted from the network, so the other card does without its ROM.
NETWORK = "user,id=net0"
VIRTIO = "virtio-net-pci"
CARDS = {
    "virtio": ["-netdev", NETWORK, "-device", f"{VIRTIO},netdev=net0,romfile="],
    "pcnet": ["-nic", f"{NETWORK},model=pcnet"],
}


def comma(path):
    """A comma inside an option's value is written twice."""
    return str(path).replace(",", ",,")


@functools.cache
def version(program):
    """(major, minor) of a QEMU."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.search(r"version (\d+)\.(\d+)", said).groups()))


@functools.cache
def has_device(program, device):
    """Whether a QEMU was built with it."""
    said = subprocess.run([program, "-device", "help"], capture_output=True, text=True, check=True).stdout
    return f'name "{device}"' in said


def network(options):
    if not options.net:
        return ["-nic", "none"]
    card = options.net
    if card == "auto":
        card = "virtio" if has_device(MACHINES[options.arch][0], VIRTIO) else "pcnet"
    return CARDS[card]


def singlestep(program):
    """The arguments that have a QEMU translate each instruction on its own; the name changed with 8.1."""
    return ["-singlestep"] if version(program) < (8, 1) else ["-accel", "tcg,one-insn-per-tb=on"]


def counting(options):
    """What comes before QEMU's name. What the host's clock decides is left out of a deterministic run: there the guest
    looks at its ticks for overflows."""
    if not options.pmu:
        return []
    command = [str(COUNTING), "--plugin", str(PMU)]
    if options.arch == "mips":  # Quipu drives an R10000's, whichever way it reaches them
        command += ["--pmu", "mips=r10k"]
    if options.deterministic:
        command += ["--no-irq", "--pmu", "halt=wait"]
    if options.pmu_words:
        command += ["--pmu", options.pmu_words]
    return command


def checked(options, command):
    """QEMU's own command line for COMMAND. A machine that cannot say itself that it cannot run the kernel ends us, and so
    does what is wrong with the arguments of the performance counters; where this QEMU cannot have them, a line has said
    so and the machine runs without."""
    if why := asked.refusal(options.arch, options.emulator_args):
        say(why)
        raise SystemExit(70)
    if not options.pmu:
        return command
    wrapper, *arguments = command
    done = subprocess.run([wrapper, "--print", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(2 if done.returncode == 2 else 1)
    return shlex.split(done.stdout)


def machine(options):
    command = [*counting(options), *MACHINES[options.arch], "-m", str(options.memory), "-smp", str(options.cpus)]
    command += ["-display", "none", *network(options)]
    if options.deterministic:
        command += DETERMINISTIC
    if options.singlestep:
        command += singlestep(MACHINES[options.arch][0])
    if options.gdb:
        command += ["-s", "-S"]
    return command + drives(options)


def drives(options):
    """The first IDE disk, and the CD-ROM where QEMU has an empty one anyway; beside an ISO, the slave to that."""
    command = []
    if options.disk:
        command += ["-drive", f"file={comma(options.disk)},if=ide,index=0,format=raw"]
    if options.cdrom:
        place = 3 if options.boot == "iso" else 2
        command += ["-drive", f"file={comma(options.cdrom)},if=ide,index={place},media=cdrom,format=raw,readonly=on"]
    return command


def written(work, pieces):
    """The file that holds the module of these PIECES; None if there are none."""
    if not pieces:
        return None
    path = work / "module"
    with open(path, "wb") as file:
        file.writelines(pieces)
    return path


def boot(options, work, module):
    """The arguments that bring the kernel, its words, the files and the script into the machine."""
    module = written(work, boot_files.module(options, module))
    if options.boot == "iso":
        return ["-cdrom", str(iso_for(options, work, module)), "-boot", "d"]
    arguments = ["-kernel", str(options.kernel)]
    if options.append:
        arguments += ["-append", options.append]
    if module:
        arguments += ["-initrd", comma(module)]
    return arguments


def iso_for(options, work, module):
    """An ISO with the file MODULE, if there is one."""
    built = options.kernel.with_suffix(".iso")
    if module is None and not options.append and built.exists():
        return built
    path = work / "quipu.iso"
    iso.make(options.kernel, path, options.append, module)
    return path


def script_command(options, work, module, serial):
    """(command, the file that the serial line is written to)"""
    command = machine(options) + ["-no-reboot", "-monitor", f"unix:{comma(work / 'monitor')},server=on,wait=off"]
    command += ["-chardev", f"file,id=com,path={comma(serial)}", "-serial", "chardev:com"]
    return checked(options, command + boot(options, work, module) + [*options.emulator_args])


def interactive_command(options, work):
    command = machine(options) + ["-serial", "mon:stdio"]
    return checked(options, command + boot(options, work, None) + [*options.emulator_args])


def debugger_hint(options):
    debugger = "gdb" if options.arch == "x86_64" else "gdb-multiarch"
    symbols = options.symbols.relative_to(ROOT)
    return f"waiting for: {debugger} {symbols} -x tools/gdb/quipu.py -ex 'target remote 127.0.0.1:1234'"
