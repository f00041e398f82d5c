# SPDX-License-Identifier: BSD-2-Clause
"""Linux guests with Debian's own kernels, which apt downloads: what they are given, and what they say.

The kernels are kept in build/guests and never belong to the tree."""

import gzip
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

import guest
from probe import PLUGIN

KEPT = guest.ROOT / "build" / "guests"
PATIENCE = 900  # seconds, on a busy host
MACHINES = {
    "x86_64": ["qemu-system-x86_64", "-accel", "tcg", "-cpu", "Skylake-Client-v1", "-m", "512", "-nodefaults"],
    "mipsel": ["qemu-system-mipsel", "-M", "malta", "-cpu", "24Kf", "-m", "256"],
}
COMPILERS = {"x86_64": "gcc", "mipsel": "mipsel-linux-gnu-gcc"}


def archive():
    """The archive of this machine's own release, as apt has it, or None."""
    release = re.search(r"^VERSION_CODENAME=(\S+)", pathlib.Path("/etc/os-release").read_text(), re.M)
    uris = subprocess.run(["apt-get", "update", "--print-uris"], capture_output=True, text=True, check=False).stdout
    found = release and re.search(rf"^'(\S+)/dists/{release.group(1)}/InRelease'", uris, re.M)
    return found and found.group(1)


def foreign(architecture, suite, folder):
    """apt's options for another ARCHITECTURE and SUITE: everything it keeps is in FOLDER."""
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True)
    (folder / "status").touch()
    keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (folder / "sources").write_text(f"deb [arch={architecture} signed-by={keyring}] {archive()} {suite} main\n")
    options = {
        "APT::Architecture": architecture, "APT::Architectures": architecture, "Dir::State": folder,
        "Dir::State::lists": folder / "lists", "Dir::State::status": folder / "status", "Dir::Cache": folder / "cache",
        "Dir::Etc::sourcelist": folder / "sources", "Dir::Etc::sourceparts": "/nonexistent",
    }  # fmt: skip
    return [f"-o{name}={value}" for name, value in options.items()]


def fetch(package, folder, options, apt):
    """Unpacks the package that PACKAGE, a name without a version, depends on; why not, or None."""
    depends = subprocess.run([apt[1], *options, "depends", package], capture_output=True, text=True, check=False).stdout
    found = re.search(r"Depends: (linux-image-\S+)", depends)
    if not found:
        return f"apt knows no {package}"
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            [apt[0], *options, "download", found.group(1)], cwd=place, capture_output=True, text=True, check=False
        )
        files = list(pathlib.Path(place).glob("*.deb"))
        if not files:
            return f"{found.group(1)} cannot be had: {done.stderr.strip()[-200:]}"
        subprocess.run(["dpkg-deb", "-x", files[0], folder], check=True)
    return None


def kernel(package, architecture=None, suite=None):
    """(vmlinuz, why there is none)."""
    folder = KEPT / package
    if not list(folder.glob("boot/vmlinu*")):
        apt = shutil.which("apt-get"), shutil.which("apt-cache")
        if not all(apt):
            return None, "there is no apt"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as lists:
            options = foreign(architecture, suite, pathlib.Path(lists)) if architecture else []
            subprocess.run([apt[0], *options, "update"], capture_output=True, check=False)
            reason = fetch(package, folder, options, apt)
        if reason:
            return None, reason
    return max(folder.glob("boot/vmlinu*")), None


def kernel_of(machine):
    """(Debian's for MACHINE, why there is none)."""
    if machine == "x86_64":
        return kernel("linux-image-cloud-amd64")
    return kernel("linux-image-4kc-malta", "mipsel", "bookworm")


def command(machine, image, archive, words, *more):
    """QEMU's. WORDS: of the kernel's command line."""
    serial = ["-display", "none", "-serial", "stdio", "-no-reboot"]
    words = f"console=ttyS0 loglevel=7 panic=-1 {words}"
    return [*MACHINES[machine], *serial, "-kernel", image, "-initrd", archive, "-append", words, *more]


def program(machine, name, folder):
    """tests/guests/NAME.c as an initramfs."""
    archive = folder / f"{name}.gz"
    if not archive.exists():
        source = guest.ROOT / "tests" / "guests" / f"{name}.c"
        subprocess.run([COMPILERS[machine], "-O2", "-Wall", "-Werror", "-static", "-o", folder / name, source], check=True)
        initrd(folder / name, archive)
    return archive


def cpio(files):
    """An archive in the format of initramfs: {path: (mode, bytes, device)}."""
    packed = b""
    for number, (name, (mode, data, device)) in enumerate(files.items(), 1):
        words = [number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0]
        for part in (b"070701" + b"".join(b"%08x" % word for word in words) + name.encode() + b"\0", data):
            packed += part + b"\0" * (-len(part) % 4)
    return packed


def initrd(init, path, more=()):
    """PATH becomes an initramfs whose /init is the program INIT."""
    none = (0, 0)
    files = {"dev": (0o40755, b"", none), "dev/console": (0o20600, b"", (5, 1)), "init": (0o100755, init.read_bytes(), none)}
    files.update({name: (mode, data, none) for name, mode, data in more})
    files["TRAILER!!!"] = (0, b"", none)
    path.write_bytes(gzip.compress(cpio(files), 1))


class Said:
    """What a guest printed: `text`, and the numbers of its lines `NAME VALUE` and `NAME.CPU VALUE`."""

    def __init__(self, text):
        self.text = text.replace("\r", "")
        self.values = {}
        for name, cpu, value in re.findall(r"^([a-z-]+)(?:\.(\d+))? (-?\d+)$", self.text, re.M):
            self.values.setdefault(name, {})[int(cpu or 0)] = int(value)

    def all(self, name):
        """The values of NAME, CPU by CPU."""
        values = self.values.get(name, {})
        return [values[cpu] for cpu in sorted(values)]


def run(command, asked=None):
    """What the guest said. ASKED: lines of it, and what is done when they come."""
    lines = []
    emulator = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    alarm = threading.Timer(PATIENCE, emulator.kill)
    alarm.start()
    try:
        for line in emulator.stdout:
            lines.append(line.decode(errors="replace"))
            (asked or {}).get(lines[-1].strip(), bool)()
        status = emulator.wait()
    finally:
        alarm.cancel()
        emulator.kill()
    said = Said("".join(lines))
    assert status == 0, said.text[-3000:]
    assert "guest done" in said.text, said.text[-3000:]
    return said
