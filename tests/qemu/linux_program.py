# SPDX-License-Identifier: BSD-2-Clause
"""Programs of tests/programs: compiled once for each machine, run on this machine and on Quipu."""

import fcntl
import functools
import pathlib
import re
import shutil
import subprocess

import archive
import guest

SOURCES = guest.ROOT / "tests" / "programs"
COMPILERS = {"x86_64": "gcc", "mips": "mips64-linux-gnuabi64-gcc"}
CONFORM = sorted(path.stem for path in SOURCES.glob("conform_*.c"))


def missing(arch):
    """A reason for pytest.skip, or ""."""
    if arch == "mips" and not pathlib.Path("/usr/mips64-linux-gnuabi64/include/stdio.h").exists():
        return "libc6-dev-mips64-cross is not installed"
    return guest.need(COMPILERS[arch])


def build(out, sources, arch, *arguments):
    """OUT, compiled by ARGUMENTS unless it is younger than SOURCES; by one worker, while others that want it wait."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with open(out.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists() or out.stat().st_mtime <= max(one.stat().st_mtime for one in sources):
            part = out.with_suffix(".part")
            subprocess.run([COMPILERS[arch], "-static", "-O2", "-pthread", "-o", part, *arguments], check=True)
            part.rename(out)
    return out


def sources_of(name):
    """[tests/programs/NAME.c and what it may include]"""
    return [SOURCES / f"{name}.c", *SOURCES.glob("*.h")]


@functools.cache
def compiled(name, arch):
    """The static executable of tests/programs/NAME.c."""
    sources = sources_of(name)
    return build(guest.ROOT / "build" / arch / "programs" / name, sources, arch, "-w", sources[0])


@functools.cache
def counting(name, arch, library, *warnings):
    """The same with the headers of user/include and build/ARCH/user/LIBRARY, and what that needs."""
    made, include = guest.ROOT / "build" / arch / "user", guest.ROOT / "user" / "include"
    libraries = [made / one for one in dict.fromkeys([library, "libquipu.a"])]
    guest.make(*(one.relative_to(guest.ROOT) for one in libraries))
    sources = sources_of(name)
    arguments = ["-Wall", "-Werror", *warnings, "-I", include, sources[0], *libraries]
    return build(made / "programs" / name, [*sources, *include.rglob("*.h"), *libraries], arch, *arguments)


def run(name, arch, *arguments, cpus=1, options=("-e", "none"), data=b""):
    """NAME, or the executable at that path, with ARGUMENTS on Quipu; its Result."""
    executable = compiled(name, arch) if isinstance(name, str) else name
    command = [guest.ROOT / "quipu", "exec", "--cpus", str(cpus), *options, executable, *arguments]
    done = subprocess.run(
        list(map(str, command)),
        input=data,
        capture_output=True,
        env=guest.environment(),
        timeout=guest.PATIENCE * 2,
        check=False,
    )
    return guest.Result(done.stdout, done.stderr, done.returncode)


def start(boot, folder, executables, arguments=(), **options):
    """A machine of the fixture `boot` at its prompt, with EXECUTABLES, {name: path}, in /bin; FOLDER keeps the archive."""
    module = folder / "archive"
    module.write_bytes(archive.pack([archive.File(f"bin/{name}", path.read_bytes()) for name, path in executables.items()]))
    running = boot(arguments=[*arguments, "-initrd", str(module)], **options)
    running.prompt()
    return running


@functools.cache
def on_host(name):
    """(what NAME prints on this machine, its status)."""
    done = subprocess.run([compiled(name, "x86_64")], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=guest.PATIENCE)
    return done.stdout.decode(), done.returncode


def counted(result, event):
    """What a report on standard error says of EVENT."""
    found = re.search(rf"^ *([\d,]+) +(?:msec )?{re.escape(event)}\b", result.stderr.decode(), re.M)
    assert found, result.stderr.decode()
    return int(found[1].replace(",", ""))


def has(program):
    return shutil.which(program) is not None
