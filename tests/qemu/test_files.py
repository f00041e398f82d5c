# SPDX-License-Identifier: BSD-2-Clause
"""The boot archive as the root, on both machines, damaged or not; and a disk as a file."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "run"))

import archive  # pylint: disable=wrong-import-position,import-error
import linux_program


def root():
    """What the self-test fs-root knows."""
    hello = archive.File("bin/hello", bytes(n & 255 for n in range(10001)))
    files = [archive.directory("etc", 0o711), archive.File("etc/motd", b"hello\n", 0o100640)]
    files += [hello, archive.File("bin/same", data_of=hello), archive.link("m", "etc/../etc/motd")]
    return files + [archive.File(f"many/{n}") for n in range(3000)]


def test_archive(boot, tmp_path):
    module = tmp_path / "archive"
    module.write_bytes(archive.pack(root()))
    machine = boot(test=True, arguments=["-initrd", str(module)])
    machine.prompt()
    assert "1 passed" in machine.command("selftest fs-root")
    assert "damaged" not in machine.command("dmesg")


def pages(machine, owner):
    return int(re.search(rf"^{owner} +(\d+)$", machine.command("mem"), re.M)[1])


def test_pages_in_place(boot, arch, tmp_path):
    """A program's pages are those of the archive, which has them all; what it writes is its own."""
    module = tmp_path / "archive"
    program = linux_program.compiled("own_data", arch).read_bytes()
    module.write_bytes(archive.pack([archive.File("bin/own_data", program), archive.File("small", b"x" * 5000)]))
    machine = boot(arguments=["-initrd", str(module)])
    machine.prompt()
    states = 1  # a page has a thousand
    for _ in range(3):
        assert "sum 15\n" in machine.command("own_data").replace("\r", "")
        assert pages(machine, "boot archive") == module.stat().st_size // 4096 + states
        assert pages(machine, "files") <= 1  # the last page of the program, which is not a whole one
    laws = machine.command("laws")
    assert re.search("^pages-references.* ok", laws, re.M) and "violated" not in laws


def test_data_begin_with_a_page():
    files = [archive.File("a", b"1" * 10), archive.File("b/c", bytes(range(256)) * 17), archive.File("d", b"2" * 4096)]
    packed = archive.pack(files)
    for file in files[1:]:
        name = packed.index(file.name.encode() + b"\0")
        assert packed.index(file.data, name) % 4096 == 0


def test_damaged(boot, tmp_path):
    """What comes before the damage is there, and the log says where it is."""
    module = tmp_path / "archive"
    module.write_bytes(archive.pack(root())[:60000])
    machine = boot(test=True, arguments=["-initrd", str(module)])
    machine.prompt()
    assert "\n1 passed, 1 failed" in machine.command("selftest fs-root fs-radix")
    assert "\n0 passed, 1 failed" in machine.command("selftest -x fs-root fs-radix")
    assert "fs: the archive is damaged at byte" in machine.command("dmesg")


def test_script_inside(boot, tmp_path):
    """A script in the archive is obeyed."""
    module = tmp_path / "archive"
    script = archive.File("quipu-script", b"quipu-script 1 0123456789abcdef\nselftest fs-root")
    module.write_bytes(archive.pack(root() + [script]))
    machine = boot(test=True, arguments=["-initrd", str(module)])
    machine.expect(b"1 passed, 0 failed")
    machine.expect(b"exit 0")


def test_disk(quipu):
    assert "1 passed" in quipu("devctl create md 1; selftest fs-disk").text
