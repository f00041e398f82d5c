# SPDX-License-Identifier: BSD-2-Clause
"""What the plugin qpmu can do under a QEMU, as the plugin says."""

import shutil
import subprocess

import guest

PLUGIN = guest.ROOT / "build" / "plugins" / "qpmu.so"


def transparent(qemu):
    """Why QEMU has no transparent mode, or None."""
    if not shutil.which(qemu):
        return f"{qemu} is not installed"
    command = [qemu, "-M", "none", "-nodefaults", "-display", "none", "-plugin", f"{PLUGIN},probe=1"]
    said = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False).stdout
    return None if "transparent=on" in said else f"this {qemu} lets no plugin answer instructions"
