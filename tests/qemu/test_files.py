# SPDX-License-Identifier: BSD-2-Clause
"""The boot archive as the root, on both machines, damaged or not; and a disk as a file."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "run"))

import archive  # pylint: disable=wrong-import-position,import-error


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


def test_damaged(boot, tmp_path):
    """What comes before the damage is there, and the log says where it is."""
    module = tmp_path / "archive"
    module.write_bytes(archive.pack(root())[:60000])
    machine = boot(test=True, arguments=["-initrd", str(module)])
    machine.prompt()
    assert "1 failed" in machine.command("selftest fs-root")
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
