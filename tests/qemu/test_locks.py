# SPDX-License-Identifier: BSD-2-Clause
"""Locks: misuse is reported by name, and the checked build finds wrong orders and keeps statistics."""

import re

import pytest

import guest

MISUSE = [
    ("spinlock-twice", "spinlock: spinlock test taken twice"),
    ("spinlock-not-held", "spinlock: spinlock test released, but nobody holds it"),
    ("mutex-twice", "mutex: twofold entered twice by shell"),
    ("mutex-foreign", "mutex: foreign left by crowd, but shell owns it"),
    ("mutex-destroyed", "mutex: doomed destroyed while shell owns it"),
    ("cv-destroyed", "condvar: condition destroyed while threads wait for it"),
    ("cv-not-owned", "mutex: condvar test given up for a wait by shell, but nobody owns it"),
]


@pytest.mark.parametrize("test,words", MISUSE, ids=[row[0] for row in MISUSE])
@pytest.mark.parametrize("build", [[], ["--checked"]], ids=["release", "checked"])
def test_misuse(arch, build, test, words):
    result = guest.run(f"selftest {test}", "--arch", arch, *build)
    assert result.status == 70 and f"panic: {words}\n" in result.stderr.decode("ascii")


ORDERS = [
    ("planted", ["apple", "banana"], "plant_backward", "plant_forward"),
    ("chain", ["apple", "cherry", "banana"], "lock_order_chain", "lock_order_chain"),
    ("pair", ["pair"], "lock_order_pair", "lock_order_pair"),
    ("mutex", ["date", "elder"], "lock_order_mutex", "lock_order_mutex"),
]


@pytest.mark.parametrize("test,names,taker,other", ORDERS, ids=[row[0] for row in ORDERS])
def test_inversion_is_reported_by_name(arch, test, names, taker, other):
    result = guest.run(f"selftest lock-order-{test}", "--arch", arch, "--checked")
    assert result.status == 70
    report = re.search(r"^panic: lock order: (.*); the other order was seen: (.*)$", result.stderr.decode(), re.M)
    for name in names:
        assert f'"{name}"' in report.group(2)
    assert f'"{names[0]}" taken at ' in report.group(1)
    assert re.search(taker + r"\+0x[0-9a-f]+", report.group(1))
    assert re.search(other + r"\+0x[0-9a-f]+", report.group(2))


SLEEPS = [("enter", "lock_order_enter", "apple"), ("join", "thread_join", "cherry"), ("sleep", "wait_in_queue", "apple")]


@pytest.mark.parametrize("test,place,name", SLEEPS, ids=[row[0] for row in SLEEPS])
def test_sleep_with_a_spinlock_is_reported_by_name(arch, test, place, name):
    result = guest.run(f"selftest lock-order-{test}", "--arch", arch, "--checked")
    assert result.status == 70
    pattern = rf'panic: lock order: a sleep at \w*{place}\+0x[0-9a-f]+ while spinlock "{name}" is held'
    assert re.search(pattern, result.stderr.decode())


def test_full_tables_are_told_once(arch):
    result = guest.run("selftest lock-order-full; dmesg", "--arch", arch, "--checked")
    assert result.lines()[0] == "lock-order-full ok"
    assert result.text.count("lock order: more than 127 locks") == 1


def test_release_build_offers_none_of_it(quipu):
    result = quipu("lockstat")
    assert result.status == 1 and "no lock statistics" in result.text
    assert quipu("selftest lock-order-planted").status == 2


def lockstat(*how, sort=""):
    """[[name, kind, six numbers]] after a crowd has used one spinlock 80,000 times and one mutex 8,000 times.

    Or more than once so often: a self-test that took memory is run again, to see whether it takes more.
    """
    result = guest.run("selftest spinlock-exclusion mutex-exclusion; lockstat " + sort, "--checked", *how)
    assert result.status == 0, result.said
    heading, *lines = result.lines()[3:]
    assert heading.split() == "lock kind taken contended waited ns longest held ns longest".split()
    rows = []
    for line in lines:
        # Columns end where their headings do.
        assert re.match(r".{20} (spin |mutex|sum  )( +\d+){6}(  cpu\d+, thread \d+)?$", line), line
        rows.append([line[:20].rstrip(), line[21:26].rstrip(), *map(int, line[26:].split("  cpu")[0].split())])
    return rows


def check_taken(rows):
    for name, kind, each in (("spinlock test", "spin", 80000), ("mutex test", "mutex", 8000)):
        assert rows[name][0] == kind and rows[name][1] in (each, 2 * each, 3 * each)


@pytest.mark.parametrize("cpus", [1, 4])
def test_lockstat_counts(cpus):
    lines = lockstat("--cpus", cpus)
    rows = {row[0]: row[1:] for row in lines}
    # A table's locks are one row: the sum.
    assert [row[0] for row in lines].count("wait queues") == 1 and rows["wait queues"][0] == "sum"
    check_taken(rows)
    for kind, taken, contended, waited, longest_wait, held, longest in rows.values():
        assert contended <= taken and longest_wait <= waited and longest <= held
        assert contended > 0 or waited == 0
    assert cpus > 1 or all(row[2] == 0 for row in rows.values() if row[0] == "spin")


def test_locks_that_are_there_for_good():
    """Each for itself, also where there is one object for all CPUs (lib/section.h): the terminal's and a card's."""
    result = guest.run("ping -c 1 10.0.2.2; /bin/true; lockstat", "--checked", "--cpus", 2, "--net=pcnet")
    kinds = {line[:20].rstrip(): line[21:26].rstrip() for line in result.lines()}
    assert result.status == 0, result.said
    assert (kinds["pcnet"], kinds["wait queues"]) == ("spin", "sum"), result.text


def test_lockstat_counts_on_mips():
    rows = {row[0]: row[1:] for row in lockstat("--arch", "mips")}
    check_taken(rows)
    assert rows["spinlock test"][2] == 0


def test_lockstat_sorted_by_contention():
    rows = lockstat("--cpus", 4, sort="-c")
    contended = [row[3] for row in rows]
    assert contended == sorted(contended, reverse=True) and contended[0] > 0


def test_locks_are_held_no_longer_than_time_passes():
    result = guest.run("selftest lock-stats", "--checked", "--cpus", 2)
    assert result.status == 0 and "lock-stats-spin ok" in result.text, result.said


def test_lockstat_misuse(quipu):
    assert quipu("lockstat -x").status == 2 and quipu("lockstat extra").status == 2


def test_exclusion_on_many_cpus():
    names = "spinlock-exclusion spinlock-handler spinlock-try mutex-exclusion mutex-waits mutex-sleep cv-turns cv-broadcast cv-buffer"
    result = guest.run(f"selftest {names}", "--cpus", 8, "--checked")
    assert result.status == 0, result.said


@pytest.mark.timeout(guest.WITH_ALL_TESTS)
def test_all_self_tests_keep_the_order(arch):
    result = guest.run_all_tests("--arch", arch, "--checked")
    assert result.status == 0, result.said
