# SPDX-License-Identifier: BSD-2-Clause
"""QEMU's command lines for both machines.

With a script the serial line goes to a regular file: the guest never waits for the host's reader, so what
it counts does not depend on how fast we read.
"""

import itertools

import iso
from options import ROOT

LEAVE = "to leave: Ctrl-A, then X"
ENDS_ITSELF = True
MACHINES = {
    "x86_64": ["qemu-system-x86_64", "-M", "pc", "-cpu", "max"],
    "mips": ["qemu-system-mips64", "-M", "malta", "-cpu", "MIPS64R2-generic"],
}
# One guest instruction is 2 ns of guest time; idle time is skipped, not slept.
DETERMINISTIC = ["-icount", "shift=1,sleep=off", "-seed", "1"]
DETERMINISTIC += ["-rtc", "base=2000-01-01T00:00:00,clock=vm"]
# The plugin that gives the CPUs performance counters, and the serial port whose interrupt says that one overflowed.
PMU = ROOT / "build" / "plugins" / "qpmu.so"
PMU_PORTS = {"x86_64": ["-serial", "chardev:pmi"], "mips": ["-serial", "null", "-serial", "chardev:pmi"]}
# The card that a Malta has on board. The netdev is called net0, for -object filter-dump,netdev=net0.
NETWORK = "user,id=net0,model=pcnet"


def comma(path):
    """A comma inside an option's value is written twice."""
    return str(path).replace(",", ",,")


def memory(options):
    """The size of RAM, as QEMU will see it: an emulator argument comes last and counts."""
    sizes = [after for word, after in itertools.pairwise(options.emulator_args) if word == "-m"]
    return sizes[-1] if sizes else f"{options.memory}M"


def machine(options):
    command = [*MACHINES[options.arch], "-m", str(options.memory), "-smp", str(options.cpus)]
    if options.pmu:
        # RAM that the plugin can reach as well.
        size = memory(options).split(",")[0].removeprefix("size=")
        command[command.index("-M") + 1] += ",memory-backend=ram"
        command += ["-object", f"memory-backend-memfd,id=ram,size={size}{'M' if size.isdigit() else ''}"]
    command += ["-display", "none", "-nic", NETWORK if options.net else "none"]
    if options.deterministic:
        command += DETERMINISTIC
    if options.gdb:
        command += ["-s", "-S"]
    return command + drives(options)


def pmu(options, work):
    """The performance counters; to come after the console's -serial. What the host's clock decides is left out of a
    deterministic run: there the guest looks at its ticks for overflows."""
    if not options.pmu:
        return []
    words = "," + options.pmu_words if options.pmu_words else ""
    if options.deterministic:
        return ["-plugin", comma(PMU) + ",halt=wait" + words]
    socket = comma(work / "pmi")
    command = ["-chardev", f"socket,id=pmi,path={socket},server=on,wait=off", *PMU_PORTS[options.arch]]
    return command + ["-plugin", f"{comma(PMU)},irq={socket}{words}"]


def drives(options):
    """The first IDE disk, and the CD-ROM where QEMU has an empty one anyway; beside an ISO, the slave to that."""
    command = []
    if options.disk:
        command += ["-drive", f"file={comma(options.disk)},if=ide,index=0,format=raw"]
    if options.cdrom:
        place = 3 if options.boot == "iso" else 2
        command += ["-drive", f"file={comma(options.cdrom)},if=ide,index={place},media=cdrom,format=raw,readonly=on"]
    return command


def boot(options, work, module):
    """The arguments that bring the kernel, its words and the module into the machine."""
    if options.boot == "iso":
        return ["-cdrom", str(iso_for(options, work, module)), "-boot", "d"]
    arguments = ["-kernel", str(options.kernel)]
    if options.append:
        arguments += ["-append", options.append]
    if module is not None:
        path = work / "module"
        path.write_bytes(module)
        arguments += ["-initrd", comma(path)]
    return arguments


def iso_for(options, work, module):
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
    return command + pmu(options, work) + boot(options, work, module) + options.emulator_args


def interactive_command(options, work):
    command = machine(options) + ["-serial", "mon:stdio"]
    return command + pmu(options, work) + boot(options, work, None) + options.emulator_args


def debugger_hint(options):
    debugger = "gdb" if options.arch == "x86_64" else "gdb-multiarch"
    symbols = options.symbols.relative_to(ROOT)
    return f"waiting for: {debugger} {symbols} -ex 'target remote :1234' -ex continue"
