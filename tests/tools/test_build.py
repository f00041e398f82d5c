# SPDX-License-Identifier: BSD-2-Clause
"""The build notices a source file that has gone: nothing deleted stays in the kernel, nor in a library."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def tree(tmp_path):
    """A copy of the sources, and of what was built of them: only what changes is made again."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(lambda name: name and (ROOT / name).is_file(), files):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    for built in ("x86_64", "host/object", "plugins"):
        shutil.copytree(ROOT / "build" / built, tmp_path / "build" / built)
    for name in ("host/libquipu-stats.a", "host/objects.list"):
        shutil.copy2(ROOT / "build" / name, tmp_path / "build" / name)
    return tmp_path


def make(tree, goal):
    done = subprocess.run(["make", "-s", goal], cwd=tree, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def symbols(*files):
    return subprocess.run(["nm", *files], capture_output=True, text=True, check=True).stdout


def test_a_deleted_command_leaves_the_kernel(tree):
    kernel = "build/x86_64/quipu"
    make(tree, kernel)
    assert "hexdump" in symbols(tree / "build/x86_64/quipu.elf")
    (tree / "shell/commands/hexdump.c").unlink()
    assert "quipu.elf" in make(tree, kernel)
    assert "hexdump" not in symbols(tree / "build/x86_64/quipu.elf")
    assert "LD" not in make(tree, kernel)


def test_a_deleted_file_leaves_the_library(tree):
    library = "build/host/libquipu-stats.a"
    make(tree, library)
    assert "gstat_" in symbols(tree / library)
    (tree / "stats/read/gstat.c").unlink()
    make(tree, library)
    assert "gstat_" not in symbols(tree / library)


def test_a_deleted_file_leaves_the_plugin(tree):
    plugin = "build/plugins/qpmu.so"
    extra = tree / "tools/qpmu/extra.c"
    extra.write_text("__attribute__((visibility(\"default\"))) int qpmu_extra;\n")
    make(tree, plugin)
    assert "qpmu_extra" in symbols(tree / plugin)
    extra.unlink()
    make(tree, plugin)
    assert "qpmu_extra" not in symbols(tree / plugin)


def test_compile_commands(tree):
    make(tree, "compile-commands")
    entries = json.loads((tree / "compile_commands.json").read_text())
    files = {entry["file"] for entry in entries}
    assert {"kernel/thread/thread.c", "arch/mips/tlb.c", "arch/x86_64/vector.S", "tests/host/main.c"} <= files
    assert all((tree / name).is_file() for name in files)
    outputs = [entry["output"] for entry in entries if entry["file"] == "kernel/thread/thread.c"]
    assert outputs == ["build/x86_64/kernel/thread/thread.o", "build/mips/kernel/thread/thread.o"]
    # A command does what it says: this one compiles the file.
    (entry,) = [entry for entry in entries if entry["output"] == "build/x86_64/lib/crc32.o"]
    (tree / entry["output"]).unlink()
    subprocess.run(entry["arguments"], cwd=tree, check=True)
    assert (tree / entry["output"]).is_file()


def test_fuzz_runs_its_targets_and_then_calls():
    """`make fuzz`: each target of tests/fuzz for so long, and at the end random system calls; nothing that is no program."""
    done = subprocess.run(["make", "-n", "fuzz", "SECONDS=3", "MINUTES=2"], cwd=ROOT, capture_output=True, text=True, check=True)
    text = done.stdout.replace("\\\n", " ")
    if shutil.which("clang"):
        loop = re.search(r"for target in (.*?); do", text)
        assert sorted(pathlib.Path(name).name for name in loop[1].split()) == sorted(path.stem for path in (ROOT / "tests" / "fuzz").glob("*.c"))
        assert "-max_total_time=3" in text[loop.end() :] and loop.start() < text.index("tools/fuzz/calls.py")
    calls = [line for line in text.splitlines() if "tools/fuzz/calls.py" in line]
    assert len(calls) == 3 and all("$((2 * 60))" in line for line in calls) and text.splitlines()[-1] == calls[-1]
