# SPDX-License-Identifier: BSD-2-Clause
"""`./quipu exec`: runs one Linux program on Quipu. The program, and what else it needs, go into an archive that the
board boots with; its standard input, output and error are this process's, and so is its status."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

TOOLS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOOLS / "run"))

# pylint: disable=wrong-import-position
import archive
import boot_files
import options
import protocol
import qemu
import run
import script
from saying import say

USAGE = 2
COMPILERS = {"x86_64": ["gcc"], "mips": ["mips64-linux-gnuabi64-gcc"]}
MACHINES = {(2, 1, 62): "x86_64", (2, 2, 8): "mips"}  # ELF: class, byte order, machine
FRAME = 255
SHELL_MEMORY = 32  # MiB from which on there is room for the small tools beside a program
READY = b"\5"
START_SECONDS = 20
# Where the boards look for the second line: boot/machine_*.c.
SECOND_PORT, SECOND_IRQ = 0x2E8, 5


def complain(text):
    say(f"exec: {text}")


def bad(text):
    complain(text)
    raise SystemExit(USAGE)


class Asked:
    """What was asked for."""

    def __init__(self, argv):
        self.arch, self.cpus, self.memory, self.timeout, self.events, self.added = "", "1", "128", "120", "default", []
        self.verbose = self.deterministic = self.test = self.checked = False
        names = {"--arch": "arch", "--cpus": "cpus", "--memory": "memory", "--timeout": "timeout", "-e": "events"}
        flags = {"--verbose", "--deterministic", "--test", "--checked"}
        words = list(argv)
        while words and words[0].startswith("-") and words[0] != "--":
            word = words.pop(0)
            name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
            if name in flags and not equals:
                setattr(self, name[2:], True)
                continue
            if name not in names and name != "--add":
                bad(f"unknown option '{word}' (./quipu exec --help lists them)")
            if not equals:
                if not words:
                    bad(f"option '{name}' needs a value")
                value = words.pop(0)
            if name == "--add":
                self.added.append(value)
            elif name == "-e" and not value:
                bad("-e '': not an event")
            elif name == "-e" and self.events != "default":
                self.events += f",{value}"  # as perf stat's
            else:
                setattr(self, names[name], value)
        if words and words[0] == "--":
            words.pop(0)
        if not words:
            bad("no program")
        self.program, self.arguments = pathlib.Path(words[0]), words[1:]
        self._check()

    def _check(self):
        if not self.program.is_file():
            bad(f"{self.program}: no such file")
        found = machine_of(self.program)
        if found is None and self.program.suffix != ".c":
            bad(f"{self.program}: neither an ELF executable of x86_64 or big-endian mips64 nor a .c file")
        if self.arch and found and self.arch != found:
            bad(f"{self.program} is a program for {found}, not for {self.arch}")
        self.arch = self.arch or found or "x86_64"
        if self.arch not in COMPILERS:
            bad(f"--arch '{self.arch}': choose one of: x86_64 mips")
        for pair in self.added:
            host, equals, guest = pair.partition("=")
            if not equals or not guest.startswith("/") or not os.path.lexists(host):
                bad(f"--add '{pair}': not HOST=/GUEST, or no such file")


def machine_of(path):
    """The machine of an ELF file, or None."""
    with open(path, "rb") as file:
        head = file.read(20)
    if len(head) < 20 or head[:4] != b"\x7fELF":
        return None
    order = "little" if head[5] == 1 else "big"
    return MACHINES.get((head[4], head[5], int.from_bytes(head[18:20], order)))


def compiled(asked, work):
    """The executable: the program itself, or what its C text compiles to."""
    if asked.program.suffix != ".c" or machine_of(asked.program):
        return asked.program
    out = work / asked.program.stem
    include = options.ROOT / "user" / "include"
    made = options.ROOT / "build" / asked.arch / "user"
    command = [*COMPILERS[asked.arch], "-static", "-O2", "-g", "-pthread", f"-I{include}", "-o", str(out), str(asked.program)]
    # The first needs the second.
    command += [str(made / name) for name in ("libperfex.a", "libquipu.a") if (made / name).exists()]
    if not shutil.which(command[0]):
        raise RuntimeError(f"{command[0]} is not installed")
    if subprocess.run(command, check=False).returncode != 0:
        raise SystemExit(1)
    return out


def quoted(word):
    """For Quipu's shell, which knows single quotes."""
    return "'" + word.replace("'", "'\\''") + "'"


def module(asked, executable, tag):
    """The boot module: the files, and a script that runs the program."""
    guest = f"/bin/{asked.program.stem if executable != asked.program else asked.program.name}"
    words = " ".join(quoted(word) for word in [guest, *asked.arguments])
    commands = protocol.module_bytes(tag, f"exec -e {quoted(asked.events)} {words}")
    files = [archive.File(boot_files.SCRIPT, commands), archive.File(guest.lstrip("/"), executable.read_bytes())]
    files += boot_files.added(asked.added)
    # What a C library asks of /bin/sh and the files of users.
    if int(asked.memory) >= SHELL_MEMORY:
        files += boot_files.shell(asked.arch, {file.name for file in files})
    return archive.pack(files)


class Board:
    """qemu.py's back end with a second serial line and our boot module."""

    ENDS_ITSELF = True

    def __init__(self, asked, executable):
        self._asked, self._executable = asked, executable

    def script_command(self, chosen, work, script_module, serial):
        tag = script_module.split(b"\n", 1)[0].split()[-1].decode()
        command = qemu.script_command(chosen, work, module(self._asked, self._executable, tag), serial)
        command += ["-chardev", f"socket,id=second,path={qemu.comma(work / 'second')},server=off"]
        return command + ["-device", f"isa-serial,chardev=second,iobase={SECOND_PORT},irq={SECOND_IRQ}"]


def feed(line):
    """Standard input, in frames, to the second line."""
    data = b" "
    try:
        while data:
            data = os.read(0, 65536)
            for at in range(0, len(data), FRAME):
                piece = data[at : at + FRAME]
                line.sendall(bytes([len(piece)]) + piece)
        line.sendall(b"\0")
    except OSError:
        pass


def show(line):
    """The second line to standard error, until the board is switched off. As its first byte READY says that it listens:
    there is none where nothing is run."""
    try:
        first = line.recv(1)
        if first == READY:
            threading.Thread(target=feed, args=(line,), daemon=True).start()
        data = first.lstrip(READY) or line.recv(65536)
        while data:
            sys.stderr.buffer.write(data)
            sys.stderr.buffer.flush()
            data = line.recv(65536)
    except OSError:
        pass


class Run(script.Run):
    """A run with a second line besides."""

    def __init__(self, chosen, board, work):
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(work / "second"))
        server.listen()
        super().__init__(chosen, board, work)
        server.settimeout(START_SECONDS)
        self._reader = None
        try:
            line, _ = server.accept()
        except TimeoutError:
            return
        self._reader = threading.Thread(target=show, args=(line,), daemon=True)
        self._reader.start()

    def finish(self):
        status = super().finish()
        if self._reader:
            self._reader.join(START_SECONDS)
        return status


def main(argv):
    if argv[:1] == ["--which"]:
        asked = Asked(argv[1:])
        kind = "checked/" if asked.checked else ""
        print(asked.arch, f"build/{kind}{asked.arch}/quipu{'-test' if asked.test else ''}", "c" if asked.program.suffix == ".c" else "elf")
        return 0
    asked = Asked(argv)
    words = ["--arch", asked.arch, "--on", "qemu", "--boot", "direct", "--cpus", asked.cpus, "--memory", asked.memory]
    words += ["--timeout", asked.timeout, "--commands", "exec"]
    words += [f"--{flag}" for flag in ("verbose", "deterministic", "test", "checked") if getattr(asked, flag)]
    chosen = options.parse(words)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, run.interrupted)
    with run.work_folder() as folder:
        work = pathlib.Path(folder)
        try:
            return Run(chosen, Board(asked, compiled(asked, work)), work).finish()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 128 + signal.SIGPIPE
        except (RuntimeError, OSError) as error:
            complain(str(error))
            return 1


if __name__ == "__main__":
    STATUS = main(sys.argv[1:])
    sys.stdout.flush()
    # The thread that reads standard input may be in the middle of that.
    os._exit(STATUS)
