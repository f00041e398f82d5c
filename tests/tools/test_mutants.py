# SPDX-License-Identifier: BSD-2-Clause
"""What `make mutants` takes for a place, what it makes of it, and that it tells a caught mutant from a survivor."""

import dataclasses
import os
import pathlib
import re
import subprocess
import time

import pytest

import build
import mutants as tool
import places
import stages

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLANTED = "tests/kernel/planted.c"


def found(body, path="stats/evcnt/histogram.c", before=""):
    """[(do, text)] and the transformed function of a file with one function."""
    file = places.File(path, f"{before}void f(void)\n{{\n{body}\n}}\n", 1)
    return [(place.do, place.text) for place in file.places], file.text()


RAISES = [
    ("evcnt_incr(&c);", "evcnt_incr(&c)"),
    ("a->reads++;", "a->reads++"),
    ("--a->busy;", "--a->busy"),
    ("a->bytes[k] += n;", "a->bytes[k] += n"),
    ("*sum -= n;", "*sum -= n"),
    ("CPU_TIME(cpu->time_interrupt -= start);", "CPU_TIME(cpu->time_interrupt -= start)"),
    ("DEVSTAT_ADD(ds->num_reads, 1);", "DEVSTAT_ADD(ds->num_reads, 1)"),
]


@pytest.mark.parametrize("statement, text", RAISES)
def test_what_raises_is_skipped_or_done_twice(statement, text):
    seen, changed = found(statement)
    assert seen == [("skip", text), ("twice", text)]
    assert f"{{ if (!MUTANT(1)) {statement} if (MUTANT(2)) {statement} }}" in changed


def test_a_stamp_is_skipped():
    seen, changed = found("r->started = now;")
    assert seen == [("skip", "r->started = now")]
    assert "{ if (!MUTANT(1)) r->started = now; }" in changed


def test_what_is_no_count_is_left_alone():
    body = 'uint64_t x = now;\nfor (i = 0; i < 3; i++)\n    f("a++;");\np++;\nrow->used += 2; /* a->reads++; */\ng(x);'
    assert found(body) == ([], f"void f(void)\n{{\n{body}\n}}\n")


def test_a_raise_within_an_expression():
    seen, changed = found("if (--c->depth == 0)\n    return;\nuint_t n = k->rcnt++;\nu(n);", "kernel/cpu/cpu.c")
    assert seen == [("skip", "k->rcnt++"), ("twice", "k->rcnt++"), ("flip", "--c->depth == 0")]
    assert "n = (MUTANT(1) ? k->rcnt : MUTANT(2) ? ((k->rcnt += 2) - 2) : k->rcnt++);" in changed


def test_each_comparison_around_is_flipped():
    body = "if (!p)\n    return;\nif (__builtin_expect(a && (b || *c), 1))\n    s->n++;\nelse\n    t(b);"
    seen, changed = found(body)
    assert [text for do, text in seen if do == "flip"] == ["!p", "a", "b", "*c"]
    assert "if ((MUTANT(3) != !!(!p)))" in changed
    assert re.search(r"\(\(MUTANT\(\d\) != !!\(a\)\) && \(\(MUTANT\(\d\) != !!\(b\)\) \|\| ", changed)


@pytest.mark.parametrize("condition", ["busy(p, &q)", "*p", "p[3] > q[2]", "busy(p) && p[2]", "!(p || q)"])
def test_a_condition_within_a_statement(condition):
    seen, changed = found(f"*sum += {condition} ? q : 0;")
    flips = [text for do, text in seen if do == "flip"]
    assert flips == condition.split(" && ")
    for text in flips:
        assert re.search(rf"\(MUTANT\(\d\) != !!\({re.escape(text)}\)\)", changed)


def test_lines_stay_where_they_are():
    text = (ROOT / "kernel/interrupt/interrupt.c").read_text()
    file = places.File("kernel/interrupt/interrupt.c", text, 1)
    changed = file.text()
    assert changed.count("\n") == text.count("\n")
    for place in file.places:
        assert f"MUTANT({place.number})" in changed
    assert len(file.places) > 30


def test_the_house_is_read_whole():
    """Every file in which counts live can be taken apart, and has its tests."""
    listing = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    number = 0
    for path in filter(places.is_inside, listing):
        here = places.File(path, (ROOT / path).read_text(), 1).places
        assert not here or stages.stages_of(path)
        number += len(here)
    assert number > 1000


def mutants(*arguments):
    command = ["/usr/bin/python3", ROOT / "tools/mutants/mutants.py", "--files", PLANTED, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.timeout(1800)
def test_the_planted_ones(tmp_path):
    """The image is built, two planted mutants are caught and two cannot be; with a list, those are no survivors, and
    what is listed and caught is named."""
    done = mutants()
    if "another run" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 caught, 2 survived, 0 listed with a reason, of 4" in done.stdout
    survivors = re.findall(r"^survived: \d+ (\S+) in (\w+): (\w+)\n    - (.*)", done.stdout, re.M)
    line = (ROOT / "tools/mutants/image/planted.c").read_text().split("planted->ignored++")[0].count("\n") + 1
    text = "planted->ignored++"
    assert survivors == [(f"{PLANTED}:{line}", "count", do, text) for do in ("skip", "twice")]
    equal = tmp_path / "equal"
    known = (f"skip: {text}", f"twice: {text}", "skip: planted->events++", "skip: gone++")
    equal.write_text("".join(f"{PLANTED}:count: {each}  # nobody reads it\n" for each in known))
    done = mutants("--equal", equal)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 caught, 0 survived, 2 listed with a reason, of 4" in done.stdout
    assert f"stale: {PLANTED}:count: skip: planted->events++: listed as equal, and caught" in done.stdout
    assert f"stale: {PLANTED}:count: skip: gone++: listed as equal, and there is no such place" in done.stdout


@dataclasses.dataclass(frozen=True)
class Endless(stages.Stage):
    def command(self, number=0):
        return ["sleep", "100000"]


@pytest.mark.parametrize("kind", ["unit", "pytest"])
def test_what_runs_when_the_time_is_over_is_ended(kind, tmp_path, monkeypatch, capsys):
    """It decides nothing, as little as what has not begun."""
    monkeypatch.setattr(build, "TREE", tmp_path)
    monkeypatch.setattr(stages, "stages_of", lambda path: [Endless(kind, ("x",))])
    monkeypatch.setattr(stages, "LIMITS", {kind: 100000})
    chosen = places.File("stats/a.c", "void f(void)\n{\nc->n++;\nc->m++;\n}\n", 1).places
    options = tool.parse(["--minutes", "0.01", "--jobs", "1"])
    session = tool.Session(options, {}, time.monotonic())
    session.run(chosen)
    assert session.results == {}
    assert tool.report(chosen, session.results, {}) == 0
    assert "not decided: the time was over\n" in capsys.readouterr().out


def test_building_is_part_of_the_minutes(tmp_path, monkeypatch, capsys):
    """What it has not done by then is ended, and no mutant is begun."""
    monkeypatch.setattr(build, "BASE", tmp_path)
    monkeypatch.setattr(build, "TREE", tmp_path)
    monkeypatch.setattr(stages, "stages_of", lambda path: [Endless("unit", ("x",))])
    (tmp_path / "Makefile").write_text("late:\n\t@sleep 100000\n")
    options = tool.parse(["--minutes", "0.03", "--jobs", "1"])
    session = tool.Session(options, {}, time.monotonic())
    session.build(["late"])
    assert stages._descendants(os.getpid()) == []
    session.run(places.File("stats/a.c", "void f(void)\n{\nc->n++;\n}\n", 1).places)
    assert session.results == {}
    assert capsys.readouterr().out == "mutants: the time was over while building\n"


def test_self_tests_that_fail_anyway_are_left_out():
    """Of a kind of self-tests the others still judge a mutant."""
    said = "pmc-cost FAILED 50 instructions\npmc-read ok\npmc-soft ok 3\npmc-other skipped why\n2 passed, 1 failed\n"
    left = stages.passing(stages.Stage("self", ("pmc",)), stages.Outcome("failed", said, 1.0))
    assert left == stages.Stage("self", ("pmc-read", "pmc-soft"))
    assert stages.passing(stages.Stage("self", ("pmc",)), stages.Outcome("hangs", "", 1.0)) is None
    assert stages.passing(stages.Stage("unit", ("pmc_",)), stages.Outcome("failed", said, 1.0)) is None


@pytest.mark.parametrize("words, listed", [([], False), (["LIST=1"], True)])
def test_make_runs_them_unless_it_is_to_list(words, listed):
    made = subprocess.run(["make", "-n", "mutants", *words], cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert ("--list" in made.stdout) == listed


def outcome(*lines):
    return stages.Outcome("failed", "\n".join(lines), 1.0)


def test_what_passes_of_a_stage_is_named_by_groups():
    stage = stages.Stage("mips-every", ())
    left = stages.passing(stage, outcome("a-one ok", "a-two ok", "b-one ok", "b-two FAILED x.c:1: no", "c skipped", "d ok"))
    assert left == stages.Stage("mips-every", ("a", "b-one", "d"))
    assert left.line().endswith("; selftest a b-one d")
    assert stages.passing(stage, outcome("panic: no")) is None
    assert stages.passing(stages.Stage("pytest", ("x",)), outcome("a ok")) is None


def test_a_line_that_no_guest_would_take_is_no_stage():
    """It would fail whatever the mutant, and so catch everything."""
    many = [f"group{number}-x ok" for number in range(600)]
    assert stages.passing(stages.Stage("self", ()), outcome(*many)) is None
    assert stages.passing(stages.Stage("self", ()), outcome(*many[:300])) is not None


def test_a_failed_test_is_named_with_what_its_parameters_have():
    said = outcome(
        "FAILED tests/a.py::test_live[x86_64-gstat -b - 1] - assert 'x [y] - z' in ''",
        "FAILED tests/a.py::test_plain - AssertionError: [1] - 2",
        "ERROR tests/b.py::test_left[mips]",
        "ERROR: not found: tests/b.py",
    )
    names = ["tests/a.py::test_live[x86_64-gstat -b - 1]", "tests/a.py::test_plain", "tests/b.py::test_left[mips]"]
    assert said.failed_tests(stages.Stage("pytest", ("tests",))) == names
    assert said.failed_tests(stages.Stage("self", ())) == []
