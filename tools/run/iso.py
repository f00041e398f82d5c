# SPDX-License-Identifier: BSD-2-Clause
"""Makes a GRUB ISO of the PC kernel: the one that is built, or one for a single run with words and a script.

    /usr/bin/python3 tools/run/iso.py KERNEL OUT [WORDS]

The list of GRUB modules is what the configuration below uses, which keeps the image small.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

MODULES = "biosdisk iso9660 part_msdos normal configfile multiboot"


def _quoted(words):
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words.split())


def configuration(words, with_module):
    # QEMU's own loader puts the kernel's name before the words and GRUB does not: here it does, too.
    lines = ["set timeout=0", f"multiboot /boot/quipu /boot/quipu {_quoted(words)}".rstrip()]
    if with_module:
        lines.append("module /boot/script")
    return "\n".join([*lines, "boot", ""])


def make(kernel, out, words="", module=None):
    """Raises RuntimeError with the tool's own words if it fails."""
    with tempfile.TemporaryDirectory(prefix="quipu-iso-") as folder:
        boot = pathlib.Path(folder, "boot")
        (boot / "grub").mkdir(parents=True)
        shutil.copy(kernel, boot / "quipu")
        if module is not None:
            shutil.copy(module, boot / "script")
        (boot / "grub" / "grub.cfg").write_text(configuration(words, module is not None))
        command = ["grub-mkrescue", "--compress=xz", "--locales=", "--fonts=", "--themes="]
        command += [f"--install-modules={MODULES}", "-o", str(out), folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"grub-mkrescue failed: {(done.stderr or done.stdout).strip()[-500:]}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: iso.py KERNEL OUT [WORDS]")
    try:
        make(sys.argv[1], sys.argv[2], *sys.argv[3:])
    except RuntimeError as error:
        sys.exit(f"iso.py: {error}")
