# SPDX-License-Identifier: BSD-2-Clause
"""What one run is to be: the checked options as the launcher passes them on, and where things are built.

The launcher has refused bad values already, so nothing is checked twice here; a script's bytes are checked here alone.
"""

import argparse
import os
import pathlib
import re
import sys
import types

SCRIPT_BYTES = 16384 - len("set -e\n")  # kernel/console/script.c
ROOT = pathlib.Path(__file__).resolve().parents[2]


class BadScript(Exception):
    """Says what is wrong with it, and where."""


class Options(types.SimpleNamespace):
    """What is said by name, its `arch` at least; the rest is as here. (Each run waits for its imports: dataclasses would be
    a fifth of them.)"""

    on = "qemu"
    boot = "direct"
    cpus = 1
    memory = 128  # MiB
    timeout = 0.0
    append = ""
    commands = None
    disk = ""
    cdrom = ""
    net = ""  # auto, virtio or pcnet
    pmu = True
    pmu_words = ""
    deterministic = verbose = gdb = checked = singlestep = test = core = False
    added = ()  # HOST=GUEST
    emulator_args = ()

    def __init__(self, **said):
        super().__init__(**said)
        # Words for every boot, whoever asks for it: how make mutants tells a test's machines which mutant they are.
        self.append = f"{self.append} {os.environ.get('QUIPU_WORDS', '')}".strip()

    @property
    def kernel(self):
        """The image that is booted."""
        image = "quipu-test" if self.test else "quipu"
        build = "checked" if self.checked else "core" if self.core else ""
        return ROOT / "build" / build / self.arch / image

    @property
    def symbols(self):
        """The file that a debugger reads."""
        return self.kernel.with_suffix(".elf") if self.arch == "x86_64" else self.kernel


def parse(argv):
    words, emulator_args = _split(argv)
    parser = argparse.ArgumentParser(prog="run.py", allow_abbrev=False)
    for name in ("arch", "on", "boot"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--cpus", type=int, default=1)
    parser.add_argument("--memory", type=int, default=128)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--append", default="")
    parser.add_argument("--commands")
    parser.add_argument("--script", dest="commands", type=_script)
    for name in ("disk", "cdrom", "net"):
        parser.add_argument(f"--{name}", default="")
    for name in ("deterministic", "verbose", "gdb", "checked", "singlestep", "test", "core", "stop"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--add", dest="added", type=str.splitlines, default=[])
    parser.add_argument("--pmu", dest="pmu_words", default="")
    parser.add_argument("--no-pmu", dest="pmu", action="store_false")
    values = vars(parser.parse_args(words))
    if values.pop("stop"):
        values["commands"] = f"set -e\n{values['commands']}"
    return Options(emulator_args=emulator_args, **values)


def _split(argv):
    """(our options, the emulator's). An option's value may begin with a dash (a command line `-x`, or `--`), which
    argparse takes as --name=-x only."""
    flags = ("--deterministic", "--verbose", "--gdb", "--checked", "--singlestep", "--no-pmu", "--test", "--core", "--stop")
    joined = []
    rest = iter(argv)
    for word in rest:
        if word == "--":
            break
        if word not in flags:
            value = next(rest)
            word += "=-- " if value == "--" else f"={value}"  # argparse drops a value that is `--`
        joined.append(word)
    return joined, list(rest)


def _script(name):
    """The lines of a file, or of standard input (`-`), as the kernel takes them."""
    try:
        text = sys.stdin.buffer.read() if name == "-" else pathlib.Path(name).read_bytes()
    except (OSError, AttributeError) as error:
        raise BadScript(f"--script {name}: {getattr(error, 'strerror', None) or 'standard input is closed'}") from error
    for number, line in enumerate(text.split(b"\n"), 1):
        if re.search(rb"[^\t\r -~]", line):
            raise BadScript(f"--script {name}: line {number}: a script may hold printable ASCII, tabs and line ends only")
    if len(text) > SCRIPT_BYTES:
        raise BadScript(f"--script {name}: {len(text)} bytes, more than {SCRIPT_BYTES}")
    return text.decode("ascii")
