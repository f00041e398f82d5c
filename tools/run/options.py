# SPDX-License-Identifier: BSD-2-Clause
"""What one run is to be: the checked options as the launcher passes them on, and where things are built.

The launcher has refused bad values already, so nothing is checked twice here.
"""

import argparse
import dataclasses
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Options:
    arch: str
    on: str
    boot: str
    cpus: int
    memory: int
    timeout: float
    append: str
    commands: str | None
    deterministic: bool
    verbose: bool
    gdb: bool
    emulator_args: list
    checked: bool = False
    disk: str = ""
    cdrom: str = ""
    net: str = ""  # auto, virtio or pcnet
    pmu: bool = True
    pmu_words: str = ""
    singlestep: bool = False
    test: bool = False
    core: bool = False
    added: list = dataclasses.field(default_factory=list)  # HOST=GUEST

    def __post_init__(self):
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
    split = argv.index("--") if "--" in argv else len(argv)
    parser = argparse.ArgumentParser(prog="run.py", allow_abbrev=False)
    for name in ("arch", "on", "boot"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--cpus", type=int, default=1)
    parser.add_argument("--memory", type=int, default=128)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--append", default="")
    parser.add_argument("--commands")
    for name in ("disk", "cdrom", "net"):
        parser.add_argument(f"--{name}", default="")
    for name in ("deterministic", "verbose", "gdb", "checked", "singlestep", "test", "core"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--add", dest="added", type=str.splitlines, default=[])
    parser.add_argument("--pmu", dest="pmu_words", default="")
    parser.add_argument("--no-pmu", dest="pmu", action="store_false")
    # An option's value may begin with a dash (a command line `-x`), which argparse takes as --name=-x only.
    values = parser.parse_args(_joined(argv[:split]))
    return Options(emulator_args=argv[split + 1 :], **vars(values))


def _joined(argv):
    flags = ("--deterministic", "--verbose", "--gdb", "--checked", "--singlestep", "--no-pmu", "--test", "--core")
    joined = []
    rest = iter(argv)
    for word in rest:
        joined.append(word if word in flags else f"{word}={next(rest)}")
    return joined
