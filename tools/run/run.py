# SPDX-License-Identifier: BSD-2-Clause
"""Boots a built kernel in an emulator. `./quipu run` checks the options, builds, and then calls this."""

import errno
import importlib
import os
import pathlib
import signal
import sys
import tempfile

import options
from saying import say


def interrupted(number, _frame):
    raise SystemExit(128 + number)


def work_folder():
    """A place whose name no emulator stumbles over (QEMU splits a module's name at commas and blanks)."""
    usual = tempfile.gettempdir()
    place = "/tmp" if set(usual) & set(" ,\t") else usual
    return tempfile.TemporaryDirectory(prefix="quipu-", dir=place)


def has_streams():
    """Whether there is somebody to print for. Whoever closes standard error misses only what we say of our own."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")
    if sys.stdout is None:
        say("standard output is closed: what the machine prints has nowhere to go")
    return sys.stdout is not None


def main(argv):
    if not has_streams():
        return 1
    try:
        chosen = options.parse(argv)
    except options.BadScript as error:
        say(f"run: {error}")
        return 2
    # Only what this run needs: each waits for its imports.
    backend = importlib.import_module(chosen.on)
    mode = importlib.import_module("interactive" if chosen.commands is None else "script")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, interrupted)
    try:
        with work_folder() as folder:
            return mode.run(chosen, backend, pathlib.Path(folder))
    except BrokenPipeError:
        # Nobody reads our output any more. Python must not complain about it at its end, either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (RuntimeError, OSError) as error:
        full = getattr(error, "errno", 0) == errno.ENOSPC
        say(f"no room left in {tempfile.gettempdir()}" if full else str(error))
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
