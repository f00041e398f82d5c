# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's own tests, run inside the guest, and how it reports its traps."""

import re

import pytest

import guest


def test_all_pass(quipu, arch):
    result = quipu("selftest")
    *lines, sums = result.lines()
    assert not [line for line in lines if " FAILED " in line], "those"
    assert result.status == 0, result.said
    skipped = dict(line.split(" skipped ", 1) for line in lines if " skipped " in line)
    assert all(re.fullmatch(r"\S+ ok.*", line) for line in lines if line.split()[0] not in skipped)
    several = ("evcnt-migrated", "evcnt-overtaken", "evcnt-overtaken-share", "planted-migration", "pmc-switch-migrate")
    several += ("cpus-evened", "interrupt-time-call", "counts-calls", "counts-moves", "spurious-calls")
    expected = dict.fromkeys(several, "there is one CPU")
    expected["law-late"] = "needs a second CPU"
    expected["interrupt-race"] = expected["standstill-inside"] = "needs three CPUs"
    expected["cpus-begun"] = "the first one began before the clock did"
    if arch == "mips":
        expected["pmc-cost"] = "no third hardware counter"
        expected["aspace-guards"] = "this CPU does not keep user data from the kernel"
        expected["aspace-guards-code"] = "this CPU does not keep user code from the kernel"
    assert skipped == expected
    assert sums == f"{len(lines) - len(skipped)} passed, 0 failed, {len(skipped)} skipped"


def test_the_other_image_says_where_they_are(arch):
    for command in ("selftest", "selftest -l", "selftest page"):
        result = guest.launch("run", "--arch", arch, "-c", command)
        assert result.status == 1
        assert result.text == "selftest: this kernel has no self-tests: quipu-test has them (./quipu run --test)\n"


def test_the_other_image_has_all_but_them(arch):
    """Of the commands that `help` lists one alone is another, and no function of a test is in the plain image."""
    plain, tests = (guest.launch("run", *how, "--arch", arch, "-c", "help").lines() for how in ([], ["--test"]))
    assert len(plain) == len(tests) and [a.split()[0] for a, b in zip(plain, tests) if a != b] == ["selftest"]
    both, alone = set(guest.symbols(arch)), set(guest.symbols(arch, "selftest"))
    assert {name for name in both if name.startswith("selftest_")} == {"selftest_run"}  # the command that says so
    assert any(name.startswith("selftest_run_") for name in alone)


def test_unknown_test(quipu):
    assert quipu("selftest no-such-test").status == 2


def test_a_group_has_none_that_panics(quipu):
    """What stands before a hyphen names many tests, but only its whole name one that panics."""
    assert quipu("selftest mutex cv").status == 0
    assert "panic" in quipu("selftest mutex-twice").said


EXACT = [
    pytest.param(["--arch", "x86_64", "--singlestep"], id="x86_64-singlestep"),
    pytest.param(["--arch", "x86_64", "--deterministic"], id="x86_64-icount"),
    pytest.param(["--arch", "mips", "--singlestep"], id="mips-singlestep"),
    pytest.param(["--arch", "mips", "--deterministic"], id="mips-icount"),
    pytest.param(
        ["--on", "gxemul"],
        id="gxemul",
        marks=pytest.mark.skipif(bool(guest.need("gxemul")), reason=guest.need("gxemul") or "-"),
    ),
]


@pytest.mark.parametrize("how", EXACT)
def test_counting_is_exact_against_interrupts(how):
    """evcnt_incr loses nothing, where a planted plain load, add and store under the same storm must lose counts."""
    result = guest.run("selftest evcnt-exact planted-increment", *how)
    assert result.status == 0, result.said
    exact, planted, _ = result.lines()
    assert exact == "evcnt-exact ok"
    lost, total = re.fullmatch(r"planted-increment ok lost (\d+) of (\d+) in \d+ interrupts", planted).groups()
    assert 0 < int(lost) < int(total)


@pytest.mark.parametrize("how", EXACT)
def test_a_crowd_is_counted_exactly(how):
    """The same with threads, timers and cross calls at once."""
    result = guest.run("selftest evcnt-crowd planted-crowd", *how)
    assert result.status == 0, result.said
    lost, total = map(int, re.search(r"^planted-crowd ok lost (\d+) of (\d+)$", result.text, re.M).groups())
    assert result.lines()[0].startswith("evcnt-crowd ok") and 0 < lost < total


@pytest.mark.parametrize("how", [[], ["--singlestep"], ["--deterministic"]], ids=["free", "singlestep", "icount"])
def test_detaching_loses_nothing(how):
    """On several CPUs, whatever tears the increments apart, or runs them at the same time."""
    result = guest.run("selftest evcnt-detached evcnt-strays", "--cpus", 4, *how)
    assert result.status == 0, result.said


def test_panic_message(quipu):
    result = quipu("panic 'some words'")
    assert result.status == 70 and b"some words" in result.stderr


def test_memory_merges_whatever_ran_before():
    """Blocks that had come back before the frontier passed their buddies were never merged with them."""
    result = guest.run("selftest pmu pmc evcnt kstat page", "--cpus", "4", "--no-pmu")
    assert result.status == 0, result.said
