# SPDX-License-Identifier: BSD-2-Clause
"""GXemul's command lines: its Malta board with an R10000.

GXemul wants a terminal for the serial line, and the guest cannot switch it off. Raw files are loaded at an
address, which the kernel is told in a word of its own.
"""

LEAVE = "to leave: Ctrl-C, then type quit (GXemul keeps Ctrl-C for itself)"
ENDS_ITSELF = False
KSEG0 = 0xFFFFFFFF80000000
MIB = 1 << 20


def module_place(memory_mib):
    """Physical address: at 48 MiB, or just below the end of a smaller memory."""
    return 48 * MIB if memory_mib > 49 else (memory_mib - 1) * MIB


def _command(options, words, files):
    command = ["gxemul", "-q", "-e", "maltabe", "-C", "R10000", "-M", str(options.memory)]
    if words:
        command += ["-o", words]
    # The last file is the one whose name and entry point the firmware reports.
    return [*command, *options.emulator_args, *files, str(options.kernel)]


def script_command(options, work, module, serial):
    """The serial line is the terminal, so `serial` stays unused: the caller copies the terminal to it."""
    del serial
    path = work / "module"
    path.write_bytes(module)
    place = module_place(options.memory)
    words = f"{options.append} module={place:#x},{len(module)}".strip()
    return _command(options, words, [f"{KSEG0 + place:#x}:{path}"])


def interactive_command(options, work):
    del work
    return _command(options, options.append, [])
