# SPDX-License-Identifier: BSD-2-Clause
"""Bochs's configuration and command lines: a PC that boots the ISO.

Debian's build starts in its debugger, which is told to go on; the picture goes to a VNC server that waits for
nobody. A power-off through ACPI ends Bochs (with exit status 1).
"""

import qemu

LEAVE = "to leave: Ctrl-A, then X"
ENDS_ITSELF = True
DEBUGGER_INPUT = b"continue\n"
BIOS = "/usr/share/bochs"


def _configuration(options, image, com1, log):
    return "\n".join(
        [
            f"megs: {options.memory}",
            "cpu: model=corei7_haswell_4770, ips=50000000, reset_on_triple_fault=1",
            f"romimage: file={BIOS}/BIOS-bochs-latest",
            f"vgaromimage: file={BIOS}/VGABIOS-lgpl-latest",
            'display_library: rfb, options="timeout=0"',
            # Without these it opens the sound card and aborts where there is none.
            "sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy",
            f"com1: enabled=1, {com1}",
            f"ata0-master: type=cdrom, path={image}, status=inserted",
            "boot: cdrom",
            "clock: sync=none",
            f"log: {log}",
            "panic: action=fatal",
            "error: action=report",
            "info: action=ignore",
            "",
        ]
    )


def _command(options, work, module, com1):
    image = qemu.iso_for(options, work, qemu.written(work, [module] if module else []))
    path = work / "bochsrc"
    path.write_text(_configuration(options, image, com1, work / "bochs.log"))
    return ["bochs-bin", "-q", "-f", str(path), *options.emulator_args]


def script_command(options, work, module, serial):
    return _command(options, work, module, f"mode=file, dev={serial}")


def interactive_command(options, work, terminal):
    """terminal: the name of the terminal device that is to be the serial line"""
    return _command(options, work, None, f"mode=term, dev={terminal}")
