# SPDX-License-Identifier: BSD-2-Clause
"""What documents name in backticks is there: `tools/check/paths`, and what it says where it is not."""

import importlib.machinery
import importlib.util
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

loader = importlib.machinery.SourceFileLoader("paths", str(ROOT / "tools" / "check" / "paths"))
paths = importlib.util.module_from_spec(importlib.util.spec_from_loader("paths", loader))
loader.exec_module(paths)


def faults(tmp_path, text, document="docs/life/WAIT.md"):
    sources = {
        "kernel/thread/wait.c": "void wait_wake(void)\n{\n    interrupts_off();\n}\n",
        "kernel/export/kstat_cpu.c": "int kstat_cpu;\n",
        "docs/man/old.9": "wait_gone\n",
    }
    for name, content in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return [fault.split(": ", 1)[1] for fault in paths.faults_of(text, document, paths.Tree(tmp_path, list(sources)))]


def test_documents_of_the_tree():
    done = subprocess.run([ROOT / "tools" / "check" / "paths"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_is_there_is_right(tmp_path):
    text = "`kernel/thread/wait.c:wait_wake`, `wait.c:interrupts_off()`, `wait_wake()`, `kernel/export/kstat_*.c`, `wait.c`"
    assert faults(tmp_path, text.replace("interrupts_off()", "interrupts_off")) == []
    assert faults(tmp_path, "`boot/machine_B.c`, `arch/A/copy.S`, `other.c`, `a word`, `make -n`") == []


def test_what_is_not_there_is_named(tmp_path):
    assert faults(tmp_path, "`kernel/wait.c`") == ["kernel/wait.c: there is no such file"]
    assert faults(tmp_path, "`kernel/kstat_*.c`") == ["kernel/kstat_*.c: there is no such file"]
    assert faults(tmp_path, "`kernel/thread/wait.c:wait_gone`") == ["kernel/thread/wait.c:wait_gone: the file has no wait_gone"]
    assert faults(tmp_path, "`wait.c:wait_gone`") == ["wait.c:wait_gone: the file has no wait_gone"]


def test_names_are_those_of_the_code(tmp_path):
    """In the documents about the code, elsewhere not; another document is no proof."""
    assert faults(tmp_path, "`wait_gone` and `wait_gone()`") == ["wait_gone: nothing has that name", "wait_gone(): nothing has that name"]
    assert faults(tmp_path, "`wait_gone`", "docs/TUTORIAL.md") == []
