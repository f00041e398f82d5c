# SPDX-License-Identifier: BSD-2-Clause
"""Where things are in a linked file, as the binutils of its machine tell."""

import re
import subprocess

PREFIX = {"x86_64": "", "mips": "mips64-linux-gnuabi64-"}


def tool(arch, name, *arguments):
    """What the binutil NAME prints."""
    command = [PREFIX[arch] + name, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def symbols(path, arch):
    """{name: address}."""
    rows = (line.split() for line in tool(arch, "nm", path).splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


def extent(path, arch, function):
    """(the first address of FUNCTION, the one behind it)."""
    rows = (line.split() for line in tool(arch, "nm", "-S", path).splitlines())
    begin, size = next((int(row[0], 16), int(row[1], 16)) for row in rows if len(row) == 4 and row[3] == function)
    return begin, begin + size


def returns(path, arch, function):
    """Where FUNCTION returns; on MIPS, the jumps."""
    listed = tool(arch, "objdump", "-d", "--no-show-raw-insn", f"--disassemble={function}", path)
    return [int(address, 16) for address in re.findall(r"^ *(\w+):\s+(?:ret|jr\s+ra)\b", listed, re.M)]
