# SPDX-License-Identifier: BSD-2-Clause
"""The files that a board boots with: our programs, where they could be built, and what `--add` names, in an archive that
the kernel takes as its root. A script lies in it as well, first of all, where the kernel finds it at once.

    /usr/bin/python3 tools/run/boot_files.py ARCH >OUT      our programs alone, as an ISO has them: compressed
"""

import gzip
import mmap
import pathlib
import stat
import sys

import archive
import asked
from options import ROOT

SCRIPT = "quipu-script"
ROOM = 16 * asked.MIB  # the least that `--memory` allows
# Programs under many names: user/tools/main.c, user/workloads/workload.c, user/perfex/main.c.
TOOLS = ("cat", "cp", "echo", "grep", "head", "ls", "mkdir", "more", "mv", "rm", "sh", "sort", "tail", "tee", "wc")
COUNTING = ("ecadmin", "ecstats", "hinv")
WORKLOADS = ("atomic", "calls", "faults", "fp", "matrix", "spin", "tlb", "tree", "walk")
PROGRAMS = {"kstat": (), "workload": WORKLOADS, "perfex": COUNTING}
# What programs read, as it lies in the sources, ARCH a machine's name.
DATA = {"etc/perfex.costs": "user/perfex/costs.ARCH", "etc/passwd": "user/etc/passwd", "etc/group": "user/etc/group"}
BUSYBOX, SHELL = "bin/busybox", "bin/sh"


def contents(path):
    """What is in the file PATH, as it lies in memory already: to copy megabytes costs more than all the rest here."""
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def tree(path, name):
    """What is at PATH on this machine, a folder with all in it, as NAME."""
    path, name = pathlib.Path(path), name.strip("/")
    if path.is_symlink():
        return [archive.link(name, str(path.readlink()))]
    if path.is_dir():
        inside = [tree(entry, f"{name}/{entry.name}") for entry in sorted(path.iterdir())]
        return [archive.directory(name or "."), *[file for files in inside for file in files]]
    return [archive.File(name, path.read_bytes(), stat.S_IFREG | stat.S_IMODE(path.stat().st_mode))]


def added(pairs):
    """The files of HOST=GUEST words."""
    files = []
    for pair in pairs:
        host, _, name = pair.partition("=")
        files += tree(host, name)
    return files


def program(arch, name, names, taken):
    """The program NAME, if it is built, under all of NAMES but those TAKEN: the first one of a name counts for the kernel."""
    built = ROOT / "build" / arch / "user" / name
    names = [f"bin/{name}" for name in names if f"bin/{name}" not in taken]
    if not built.is_file() or not names:
        return []
    first = archive.File(names[0], contents(built))
    return [first, *[archive.File(name, data_of=first) for name in names[1:]]]


def shell(arch, taken):
    """The small tools with their sh, and what they read. A busybox knows more than ours: then it is the shell."""
    link = [archive.link(SHELL, "busybox")] if BUSYBOX in taken and SHELL not in taken else []
    files = link + program(arch, "tools", ("tools", *TOOLS), taken | {file.name for file in link})
    data = {name: ROOT / source.replace("ARCH", arch) for name, source in DATA.items() if name not in taken}
    return files + ([archive.File(name, path.read_bytes(), stat.S_IFREG | 0o644) for name, path in data.items()] if files else [])


def programs(arch, taken):
    return shell(arch, taken) + [file for name, names in PROGRAMS.items() for file in program(arch, name, (name, *names), taken)]


def has_room(emulator_args):
    """Not if QEMU is told `-m` of less than `--memory` allows: our programs might be more than that."""
    size = asked.memory(emulator_args)
    return size is None or size >= ROOM


def module(options, script):
    """The boot module's bytes, in pieces: an archive with SCRIPT (None: there is none) and the files; without any, the script
    alone, or nothing. The core knows no archives."""
    alone = [script] if script else []
    if options.core or (script or b"").startswith(archive.MAGIC):
        return alone
    files = added(options.added)
    if has_room(options.emulator_args):
        files += programs(options.arch, {file.name for file in files})
    if not files:
        return alone
    # An empty one, too: so that the kernel need not look for it behind all the others.
    return archive.pieces([archive.File(SCRIPT, script or b""), *files])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: boot_files.py ARCH")
    alone = archive.pack([archive.File(SCRIPT, b""), *programs(sys.argv[1], set())])
    sys.stdout.buffer.write(gzip.compress(alone, mtime=0))
