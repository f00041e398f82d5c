# SPDX-License-Identifier: BSD-2-Clause
"""The order of the rooms: `tools/check/rooms` on the objects of both machines, and what it finds if something is wrong."""

import importlib.machinery
import importlib.util
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "ARCHITECTURE.md").read_text()

loader = importlib.machinery.SourceFileLoader("rooms", str(ROOT / "tools" / "check" / "rooms"))
rooms = importlib.util.module_from_spec(importlib.util.spec_from_loader("rooms", loader))
loader.exec_module(rooms)

PLAN = """
| room | holds |
|---|---|
| `lib` | |
| `kernel/base`, `kernel/cpu` | |
| `kernel/thread` | |
| `drivers` | |
| `arch` | |
| `shell` | |

| from | to | names | why |
|---|---|---|---|
| `kernel/base` | `kernel/thread` | `report_*` | it must |
"""
UPCALL = {"kernel/base/panic": {"report_panic"}}
DEFINED = {
    "format": "lib/format",
    "panic": "kernel/base/panic",
    "spl": "kernel/cpu/ipl",
    "report_panic": "kernel/thread/report",
    "switch": "kernel/thread/scheduler",
    "disk": "drivers/disk",
    "vector": "arch/mips/vector",
    "run": "shell/commands/run",
}


def found(wanted, defined=DEFINED, text=PLAN):
    return rooms.check(text, [(defined, {**UPCALL, **wanted})])


@pytest.mark.parametrize("goal,build", [("all", []), ("checked", ["build/checked"]), ("core", ["build/core"])])
def test_rooms_of_the_kernel(goal, build):
    subprocess.run(["make", "-s", "-C", ROOT, goal], check=True)
    command = [ROOT / "tools" / "check" / "rooms", *(ROOT / each for each in build)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_upcalls_are_few_and_have_reasons():
    reasons = [row[3] for row in rooms.rows(TEXT, "| from | to | names | why |")]
    assert 0 < len(reasons) <= 12
    assert all(reasons)


def test_downwards_is_right():
    assert not found({"kernel/thread/scheduler": {"panic", "spl", "format"}, "shell/commands/run": {"switch"}})


def test_wrong_reference_is_found():
    assert found({"kernel/cpu/ipl": {"switch"}}) == [
        "kernel/cpu/ipl: may not refer to switch, which is in kernel/thread/scheduler"
    ]
    assert len(found({"lib/format": {"panic"}, "kernel/base/panic": {"report_panic", "spl"}})) == 2


def test_include_lines_follow_the_order():
    order = rooms.Rooms(PLAN)
    kept = list(rooms.SHAPES)
    allowed = [("kernel/thread/scheduler.c", "kernel/base/panic.h"), ("kernel/cpu/ipl.c", "kernel/cpu/ipl.h")]
    wrong = ("kernel/cpu/ipl.c", "kernel/thread/scheduler.h")
    stale = {f"no longer against the order: {file} includes {header}" for file, header in kept}
    assert set(rooms.include_faults(order, allowed)) == stale
    found_now = set(rooms.include_faults(order, [*allowed, wrong])) - stale
    assert found_now == {f"{wrong[0]}: may not include {wrong[1]}"}
    assert not list(rooms.include_faults(rooms.Rooms(TEXT), kept))


def test_siblings_keep_apart():
    for source in ("drivers/disk", "arch/mips/vector", "shell/commands/run"):
        for name in ("disk", "vector", "run"):
            right = source == DEFINED[name]
            assert bool(found({source: {name}})) != right, (source, name)


def test_upcall_is_for_its_rooms_and_names_only():
    assert len(found({"kernel/cpu/ipl": {"report_panic"}})) == 1
    assert len(found({"kernel/base/panic": {"report_panic", "switch"}})) == 1
    assert rooms.check(PLAN, [(DEFINED, {"shell/commands/run": {"panic"}})]) == [
        "no longer an upcall: kernel/base -> kernel/thread: report_*"
    ]


def test_upcall_of_the_checked_build_is_used_there_only():
    text = PLAN + "| `kernel/base` | `kernel/cpu` | `spl` | `make checked`: a reason |\n"
    assert not found({}, text=text)
    assert not found({"kernel/base/panic": {"report_panic", "spl"}}, text=text)
    assert not rooms.check(PLAN, [(DEFINED, {"shell/commands/run": {"panic"}})], everything=False)


def test_circle_that_leaves_its_folder_is_found():
    defined = {**DEFINED, "top": "shell/top", "list": "shell/list"}
    inside = {"shell/top": {"list"}, "shell/list": {"top"}}
    assert not found(inside, defined)
    lines = found({**inside, "shell/list": {"run", "top"}, "shell/commands/run": {"top"}}, defined)
    assert lines == ["a circle leaves its folder: shell/commands/run shell/list shell/top"]


def test_object_without_a_room_is_found():
    lines = found({}, {**DEFINED, "new": "kernel/attic/new"})
    assert lines[0] == "kernel/attic/new: lies in no room of docs/ARCHITECTURE.md"


def test_contract_goes_by_what_its_headers_declare():
    text = PLAN + "| `any` | `arch` | `arch/include/arch/` | the contract |\n"
    defined = {**DEFINED, "context_switch": "arch/mips/context", "vector_table": "arch/mips/vector"}
    wanted = {"kernel/thread/scheduler": {"context_switch"}}
    assert not found(wanted, defined, text)
    assert len(found({"kernel/thread/scheduler": {"context_switch", "vector_table"}}, defined, text)) == 1
