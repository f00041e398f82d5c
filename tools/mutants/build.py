# SPDX-License-Identifier: BSD-2-Clause
"""The mutants' image: a copy of the tree in build/mutants/tree in which every place can be chosen, built once.

The sources themselves stay as they are. The copy is a whole tree, so that its own launcher and tests boot its images.
"""

import os
import pathlib
import subprocess

import places

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASE = ROOT / "build" / "mutants"
TREE = BASE / "tree"
TABLE = BASE / "places"
IMAGE = ROOT / "tools" / "mutants" / "image"
# Files of the image alone, and where they lie in the copy.
ADDED = {
    "lib/mutant.h": IMAGE / "mutant.h",
    "kernel/base/mutant.c": IMAGE / "mutant.c",
    "tests/kernel/planted.c": IMAGE / "planted.c",
}
PLANTED = "tests/kernel/planted.c"
WORDS = "boot_words_parse(info->command_line, info->command_line_cut);"  # behind it in boot/main.c the word is known
# The launcher of the copy builds nothing: its image is built here.
STUBS = {"tools/launcher/make.sh": "# SPDX-License-Identifier: BSD-2-Clause\nbuild_goals() { :; }\n"}
SEEN = "-w -include lib/mutant.h"
UNIT = "build/host/unit-asan/run"


def environment():
    """Ours, without what a make that called us would tell another make."""
    made = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")
    return {name: value for name, value in os.environ.items() if name not in made}


def sources():
    """What git knows of or would add, in order."""
    command = ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    return sorted({path for path in listed.split("\0") if path and (ROOT / path).is_file()})


def transform():
    """({path: new content, for those that change}, every place)."""
    changed, found = {path: origin.read_text() for path, origin in ADDED.items()}, []
    read = {PLANTED: changed[PLANTED]}
    read.update((path, (ROOT / path).read_text()) for path in sources() if places.is_inside(path))
    for at, (path, text) in enumerate(read.items()):
        # Each file has its own thousand of numbers, so that a change to one has only that one built again.
        file = places.File(path, text, 1000 * at + 1)
        found.extend(file.places)
        changed[path] = file.text()
    main = (ROOT / "boot/main.c").read_text()
    if WORDS not in main:
        raise SystemExit(f"mutants: boot/main.c has no {WORDS}")
    changed["boot/main.c"] = main.replace(WORDS, WORDS + " mutant_choose();")
    return {**changed, **STUBS}, found


def _put(path, content, mode):
    """Writes only what differs, so that make builds only that."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)


def copy():
    """Brings the copy up to date; the list of places, which is also written to a file."""
    changed, found = transform()
    wanted = set(changed)
    for path in sources():
        content = changed.pop(path).encode() if path in changed else (ROOT / path).read_bytes()
        _put(TREE / path, content, (ROOT / path).stat().st_mode & 0o777)
        wanted.add(path)
    for path, text in changed.items():
        _put(TREE / path, text.encode(), 0o644)
    for each in TREE.rglob("*"):
        name = str(each.relative_to(TREE))
        if each.is_file() and not name.startswith("build/") and name not in wanted and "__pycache__" not in name:
            each.unlink()
    rows = (f"{p.number}\t{p.file}:{p.line}\t{p.function}\t{p.do}\t{p.text}\n" for p in found)
    _put(TABLE, "".join(rows).encode(), 0o644)
    return found


def make(goals, jobs, seconds):
    """Builds GOALS in the copy; false if that was not done after SECONDS, and has been ended."""
    command = ["make", "-C", TREE, "--no-print-directory", f"-j{jobs}"]
    command += [f"EXTRA_CFLAGS={SEEN}", f"HOSTCC=gcc {SEEN}", f"USER_EXTRA_CFLAGS={SEEN}", *goals]
    log = BASE / "build.log"
    with open(log, "wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment())
    try:
        status = process.wait(max(seconds, 0))
    except subprocess.TimeoutExpired:
        process.terminate()  # make ends what it has begun, and removes what is half made
        process.wait()
        return False
    if status != 0:
        raise SystemExit(f"mutants: the image does not build:\n{log.read_text(errors='replace')[-4000:]}")
    return True
