# SPDX-License-Identifier: BSD-2-Clause
"""One profile: boots a guest whose commands print call chains, writes the flame graph, prints the table.

    session.py FILE.svg TITLE RUN.PY ARG...

An empty FILE.svg means the table only. `./quipu profile` checks the options, builds, and then calls this.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "run"))

# pylint: disable=wrong-import-position
import flame
import functions
import stacks
from emulator import dying_with_parent
from saying import say

STATUS_FAILED = 1


def complain(text):
    say(f"profile: {text}")


def run(command):
    """(status, what the guest printed); what the launcher says goes straight to stderr."""
    child = subprocess.Popen(dying_with_parent([sys.executable, "-S", *command], by="TERM"), stdout=subprocess.PIPE)
    try:
        printed = child.communicate()[0]
    except KeyboardInterrupt:  # the child has had it, too
        child.wait()
        return 128 + signal.SIGINT, ""
    status = child.returncode if child.returncode >= 0 else 128 - child.returncode
    return status, printed.decode("ascii", "replace")


LOST = re.compile(r"^\t(overflow|dropbuf_sample|lost) (\d+)$")
TAKEN = re.compile(r"^\tsample (\d+)$")


def warn_of_losses(lines):
    """Tells if more than one in a hundred samples was lost: the rest need not be in proportion."""
    lost = sum(int(found[2]) for found in map(LOST.match, lines) if found)
    taken = sum(int(found[1]) for found in map(TAKEN.match, lines) if found)
    if lost * 100 > lost + taken:
        complain(f"{lost} of {lost + taken} samples were lost, and shares may be wrong: take a longer period (-e EVENT,PERIOD)")


OWN = re.compile(r"^\town (\d+)$")


def tell_own(lines):
    """What taking samples cost is not in the picture."""
    own = sum(int(found[1]) for found in map(OWN.match, lines) if found)
    if own:
        print(f"{'':>8} {'':>8} {own:>9}  more in the profiler itself, left out")


def main(argv):
    output, title, *command = argv
    status, printed = run(command)
    try:
        others, found = stacks.split(printed)
        top = stacks.tree(found)
    except stacks.Malformed as why:
        if status != 0:  # the guest, or the launcher, has said why
            sys.stderr.write(printed)
            return status
        complain(str(why))
        return STATUS_FAILED
    for line in others:
        print(line)
    print(functions.table(found))
    tell_own(others)
    warn_of_losses(others)
    if output:
        try:
            pathlib.Path(output).write_text(flame.draw(top, title), encoding="utf-8")
        except OSError as error:
            complain(f"{output}: {error.strerror}")
            return STATUS_FAILED
        sys.stdout.flush()
        say(f"wrote {output}")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
