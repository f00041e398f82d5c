# SPDX-License-Identifier: BSD-2-Clause
"""qpmu on its own: built by a C compiler and nothing else, installed, and used as docs/QPMU.md says, word for word."""

import re
import shutil
import subprocess

import pytest

import guest
import test_qpmu

# What a machine with make, gcc and libc6-dev has (gcc calls as and ld).
PROGRAMS = ["make", "gcc", "as", "ld", "sh", "cat", "mkdir", "cp", "chmod", "mv"]
INSTALLED = ["bin/qemu-pmu", "include/qpmu.h", "lib/qpmu.so", "share/man/man7/qpmu.7"]


def sources(folder):
    """The tree as a stranger has it: nothing built."""
    folder.mkdir()
    for name in ("Makefile", "docs", "tools"):
        copy = shutil.copytree if (guest.ROOT / name).is_dir() else shutil.copy
        copy(guest.ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return sources(tmp_path_factory.mktemp("stranger") / "sources")


def recipes():
    """{heading: [block of commands]} of the manual's part with recipes; the first heading is that of the part itself."""
    manual = (guest.ROOT / "docs" / "QPMU.md").read_text()
    part = manual[manual.index("## Recipes\n") :].partition("\n## ")[0]
    found = {}
    for text in re.split(r"^##+ ", part, flags=re.M)[1:]:
        heading, _, body = text.partition("\n")
        found[heading] = [re.sub(r"^    ", "", block, flags=re.M) for block in re.findall(r"(?:^    .*\n)+", body, re.M)]
    return found


def test_built_with_a_c_compiler_and_nothing_else(tmp_path):
    tree, programs = sources(tmp_path / "sources"), tmp_path / "programs"
    programs.mkdir()
    for name in PROGRAMS:
        (programs / name).symlink_to(shutil.which(name))
    command = ["make", "install-qpmu", "PREFIX=/opt/qpmu", f"DESTDIR={tmp_path / 'root'}"]
    done = subprocess.run(command, cwd=tree, env={"PATH": str(programs)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr
    made = [path.name for path in (tree / "build").rglob("*") if path.is_file() and path.suffix != ".list"]
    assert made == ["qpmu.so"] and "HOSTCC" in done.stdout
    again = subprocess.run(command, cwd=tree, env={"PATH": str(programs)}, capture_output=True, text=True, check=True)
    assert "HOSTCC" not in again.stdout and again.stderr == ""
    there = tmp_path / "root" / "opt" / "qpmu"
    files = {str(path.relative_to(there)): path.stat().st_mode & 0o777 for path in there.rglob("*") if path.is_file()}
    assert files == {name: 0o755 if name.startswith(("bin", "lib")) else 0o644 for name in INSTALLED}


def test_header_stands_alone(tree, tmp_path):
    source = tmp_path / "guest.c"
    source.write_text("#include <qpmu.h>\nstruct qpmu_slot slot; _Static_assert(sizeof(slot) == QPMU_SLOT_SIZE, \"\");\n")
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fsyntax-only"]
    subprocess.run([*command, f"-I{tree}/tools/qpmu/include", source], check=True)


class Home:
    """Runs blocks of the manual as a user would, one after the other in one folder."""

    def __init__(self, folder, tree):
        self.folder, self.tree = folder, tree

    def run(self, block):
        environment = {**guest.environment(), "HOME": str(self.folder), "XDG_CACHE_HOME": ""}
        return subprocess.run(
            ["sh", "-ec", block], cwd=self.tree, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=guest.PATIENCE, check=False,
        )


@pytest.fixture(scope="module")
def home(tree, tmp_path_factory):
    started = Home(tmp_path_factory.mktemp("home"), tree)
    (install,) = recipes()["To install it"]
    done = started.run(install)
    assert done.returncode == 0, done.stderr
    return started


def need_malta():
    for program in (test_qpmu.MIPS + "gcc", "qemu-system-mips64"):
        if guest.need(program):
            pytest.skip(guest.need(program))


def test_bare_metal_on_a_pc(home):
    (block,) = recipes()["A bare-metal kernel on a PC"]
    done = home.run(block)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2003 instructions\n", "")
    done = home.run(block[block.index("qemu-system-") :])
    assert (done.returncode, done.stdout) == (0, "no counters\n")


def test_bare_metal_on_a_malta(home):
    need_malta()
    (block,) = recipes()["A bare-metal kernel on a Malta board"]
    done = home.run(block)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2004 instructions\n", "")
    done = home.run(block[block.index("qemu-system-") :])
    assert (done.returncode, done.stdout) == (0, "no counters\n")


def test_ci(home):
    test_bare_metal_on_a_pc(home)
    compare, _ = recipes()["CI: fail when a count changes"]
    done = home.run(compare)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    source = home.tree / "tools" / "qpmu" / "example" / "pc.c"
    before = source.read_text()
    source.write_text(before.replace("TURNS           1000", "TURNS           1001"))
    (build,) = recipes()["A bare-metal kernel on a PC"]
    assert home.run(build).stdout == "2005 instructions\n"
    source.write_text(before)
    done = home.run(compare)
    assert (done.returncode, done.stderr) == (1, "the loop took 2005 instructions\n")


def test_ci_total(home):
    """Up to the kernel's main function: what QEMU's loader and the two instructions before it are, twice the same."""
    need_malta()
    test_bare_metal_on_a_malta(home)
    _, block = recipes()["CI: fail when a count changes"]
    first, second = home.run(block), home.run(block)
    assert first.returncode == 0 and first.stderr == ""
    assert first.stdout == second.stdout and re.fullmatch(r"0 \d+\n", first.stdout)


def test_installed_copy_can_be_moved(home, tmp_path):
    moved = tmp_path / "a, b"
    shutil.copytree(home.folder / "qpmu", moved)
    (tmp_path / "link").symlink_to(moved / "bin" / "qemu-pmu")
    for program in (moved / "bin" / "qemu-pmu", tmp_path / "link"):
        done = subprocess.run([program, "--print", "qemu-system-x86_64"], capture_output=True, text=True, check=False)
        assert done.returncode == 0 and str(moved / "lib" / "qpmu.so").replace(",", ",,") in done.stdout, done.stderr
