#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""`program_script.py NAME,NAME... RUN-ARGUMENT...`: tools/run with programs of tests/programs in the boot archive."""

import pathlib
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / place) for place in ("tools/run", "tests/qemu")]

import archive  # pylint: disable=wrong-import-position
import guest  # pylint: disable=wrong-import-position
import linux_program  # pylint: disable=wrong-import-position
import options  # pylint: disable=wrong-import-position
import protocol  # pylint: disable=wrong-import-position
import run as runner  # pylint: disable=wrong-import-position


def run(commands, *arguments, programs=("account",), arch="x86_64"):
    """What the shell's COMMANDS do where these programs are in /bin."""
    image = f"build/{arch}/quipu"
    guest.make(image, "plugins")
    words = [sys.executable, __file__, ",".join(programs), "--arch", arch, "--commands", commands, *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, env=guest.environment(), timeout=guest.PATIENCE * 2, check=False)
    return guest.Result(done.stdout, done.stderr, done.returncode)


def packed(programs, arch, plain):
    """What makes a boot module: the script, and the programs beside it."""

    def make(tag, commands):
        files = [archive.File("quipu-script", plain(tag, commands))]
        return archive.pack(files + [archive.File(f"bin/{name}", linux_program.compiled(name, arch).read_bytes()) for name in programs])

    return make


def main(argv):
    words = ["--on", "qemu", "--boot", "direct", *argv[1:]]
    protocol.module_bytes = packed(argv[0].split(","), options.parse(words).arch, protocol.module_bytes)
    return runner.main(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
