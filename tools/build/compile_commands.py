# SPDX-License-Identifier: BSD-2-Clause
"""make compile-commands: compile_commands.json, by which clangd and its like know how each file is compiled.

    /usr/bin/python3 tools/build/compile_commands.py      in the project's folder

What make would run says it. A file that both machines have is listed as the PC's first, then as the Malta's; what only
this machine has (plugins, libraries, unit tests) is listed once.
"""

import json
import pathlib
import shlex
import subprocess

KERNELS = ["x86_64", "mips"]
OTHERS = ["host-lib", "plugins", "unit"]


def commands(goals):
    for goal in goals:
        words = ["make", "--no-print-directory", "-n", "-B", "V=1", goal]
        run = subprocess.run(words, capture_output=True, text=True, check=True)
        for line in run.stdout.splitlines():
            if " -o " in line and line.rstrip().endswith((".c", ".S")):
                yield shlex.split(line)


def main():
    folder = str(pathlib.Path.cwd())
    chosen = list(commands(KERNELS))
    known = {words[-1] for words in chosen}
    for words in commands(OTHERS):
        if words[-1] not in known:
            known.add(words[-1])
            chosen.append(words)
    entries = [
        {"directory": folder, "file": words[-1], "output": words[words.index("-o") + 1], "arguments": words}
        for words in chosen
    ]
    pathlib.Path("compile_commands.json").write_text(json.dumps(entries, indent=1) + "\n")
    print(f"compile_commands.json: {len(entries)} commands")


if __name__ == "__main__":
    main()
