# SPDX-License-Identifier: BSD-2-Clause
"""Archives of cpio's format newc, made anew each time: the same files give the same bytes."""

import pathlib
import stat


class Archive:
    def __init__(self):
        self._bytes = bytearray()
        self._number = 0
        self._folders = set()

    def add(self, name, data, mode):
        """A file, folder or link (whose data is its target) of that name, without a leading slash."""
        self._number += 1
        head = [self._number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name.encode()) + 1, 0]
        self._bytes += b"070701" + b"".join(b"%08x" % number for number in head)
        self._bytes += name.encode() + b"\0"
        self._pad()
        self._bytes += data
        self._pad()

    def folder(self, name):
        """With those above it; each once."""
        for above in [*reversed(pathlib.PurePosixPath(name).parents), pathlib.PurePosixPath(name)]:
            if str(above) not in (".", *self._folders):
                self._folders.add(str(above))
                self.add(str(above), b"", stat.S_IFDIR | 0o755)

    def file(self, name, data, mode=0o755):
        name = name.lstrip("/")
        self.folder(str(pathlib.PurePosixPath(name).parent))
        self.add(name, data, stat.S_IFREG | mode)

    def tree(self, path, name):
        """What is at PATH on this machine, a folder with all in it, as NAME."""
        path = pathlib.Path(path)
        if path.is_symlink():
            self.folder(str(pathlib.PurePosixPath(name.lstrip("/")).parent))
            self.add(name.lstrip("/"), str(path.readlink()).encode(), stat.S_IFLNK | 0o777)
        elif path.is_dir():
            self.folder(name.strip("/") or ".")
            for entry in sorted(path.iterdir()):
                self.tree(entry, f"{name.rstrip('/')}/{entry.name}")
        else:
            self.file(name, path.read_bytes(), stat.S_IMODE(path.stat().st_mode))

    def finish(self):
        self.add("TRAILER!!!", b"", 0)
        return bytes(self._bytes)

    def _pad(self):
        self._bytes += bytes(-len(self._bytes) % 4)
