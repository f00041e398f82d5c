# SPDX-License-Identifier: BSD-2-Clause
"""Archives of cpio's format newc, which the kernel takes as its root: docs/life/FILES.md.

A pure function of what goes in, so that runs are repeatable: no times, everything is user 0's.
"""

import stat

MAGIC = b"070701"

class File:
    """An entry. Entries with the same object as DATA_OF are names of one file: its last one carries the data."""

    def __init__(self, name, data=b"", mode=stat.S_IFREG | 0o755, data_of=None):
        self.name, self.data, self.mode, self.data_of = name, data, mode, data_of


def directory(name, mode=0o755):
    return File(name, mode=stat.S_IFDIR | mode)


def link(name, target):
    return File(name, target.encode(), stat.S_IFLNK | 0o777)


PAGE = 4096
HEADER = 110


def _entry(at, name, data, mode, inode, links):
    """The pieces of the entry that begins at byte AT. Data of a page or more begin with a page, behind a name with more
    zeroes: the kernel maps them where they lie."""
    name = name.encode() + b"\0"
    if len(data) >= PAGE:
        name += bytes(-(at + HEADER + len(name)) % PAGE)
    numbers = (inode, mode, 0, 0, links, 0, len(data), 0, 1, 0, 0, len(name), 0)
    header = MAGIC + b"".join(b"%08x" % number for number in numbers) + name
    return header, _padding(header), data, _padding(data)


def _padding(data):
    return bytes(-len(data) % 4)


def pieces(files):
    """The archive's bytes, in pieces. Parents need not be named: the kernel makes them."""
    files = list(files)
    owners = [file.data_of or file for file in files]
    found, at = [], 0
    for n, (file, owner) in enumerate(zip(files, owners)):
        last = owner not in owners[n + 1 :]
        data = owner.data if last else b""
        entry = _entry(at, file.name, data, owner.mode, owners.index(owner) + 1, owners.count(owner))
        found += entry
        at += sum(map(len, entry))
    return [*found, *_entry(at, "TRAILER!!!", b"", 0, 0, 1)]


def pack(files):
    return b"".join(pieces(files))
