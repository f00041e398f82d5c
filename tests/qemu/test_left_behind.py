# SPDX-License-Identifier: BSD-2-Clause
"""After any program has ended, pages, files, threads and objects of the kernel's are as many as before it."""

import re

import linux_program
import pytest
import r10k
from test_libquipu import built

pytestmark = pytest.mark.programs

LIBRARY = ["counters", "devices", "kstat_io", "statistics"]
# What each is told.
ARGUMENTS = {
    "account": ["usage 0", "zero 20 copy 20 read 20 write 20 signal 20", "fork 10 vfork 10 exec 10"],
    "counters": ["loop 100", "inherit 100"],
    "hog": ["files", "forks"],
    "interpreter": ["< /tmp/source"],
    "keys": ["< /dev/null"],
    "r10k_crowd": ["10 5 1", "killed 8 1"],
    "r10k_multiplex": ["2 2"],
    "r10k_overflow": ["1000 100000", "1000 100000 syssgi"],
    "r10k_perfex": ["family"],
    "r10k_profile": ["1009 500000"],
    "r10k_turns": ["2 2"],
    "may_fault": ["divide 1000 3"],
    "measure": ["getpid 10", "fork 10", "fault 100", "pipe 10", "exec 5"],
    "ready": ["< /dev/null"],
    "streams": ["3 < /tmp/source"],
    "terminal": ["< /dev/null"],
    "tree": ["1", "1 outer"],
}
OTHERS = sorted({path.stem for path in linux_program.SOURCES.glob("*.c")} - {"fuzz_calls", "marked", "holds", "suspended"} - set(ARGUMENTS) - set(LIBRARY))
FIGURES = "system_pages:freemem fs:open_files fs:pipes fs:vnodes fs:mounts threads:total".split()
ROUNDS = 3
# Those do what they do many times themselves: one round of them shows what three show of the others.
OFTEN = {"conform_exec", "forks", "gigabyte", "signals", "threads"}
PARTS = 3
SLACK = 2  # pages that the allocators may keep, and objects: less than one for each round


def lines():
    return [f"{name} {words}" for name, list_of in ARGUMENTS.items() for words in list_of] + OTHERS + ["devices", "kstat_io", "statistics"]


def build_of(name):
    return built if name in LIBRARY else r10k.built if name.startswith("r10k_") else linux_program.compiled


@pytest.fixture
def machine(boot, arch, tmp_path):
    """machine(LINES): one at its prompt with the programs of these."""

    def start(some):
        executables = {name: build_of(name)(name, arch) for name in (line.split()[0] for line in some)}
        # Some wait for alarms that they have set just before: a busy host is not to come in between.
        running = linux_program.start(boot, tmp_path, executables, ["-icount", "shift=1,sleep=off"])
        running.command("echo '? 1 + 2' > /tmp/source")
        return running

    return start


def figures(machine):
    """(pages that are free, what else there is)."""
    machine.command("sleep 0.2")  # a thread's stack goes soon after it
    text = machine.command("kstat -p " + " ".join(f"unix:0:{name}" for name in FIGURES)) + machine.command("mem")
    found = dict(re.findall(r"^unix:0:(\S+)\t(\d+)$", text, re.M))
    assert len(found) >= 4
    found |= dict(re.findall(r"^ +(\d+|larger) +(\d+) +\d+ +\d+", text, re.M))
    found |= dict(re.findall(r"^(pipes|processes|memory objects|files) +(\d+)", text, re.M))
    counts = {name: int(count) for name, count in found.items()}
    return counts.pop("system_pages:freemem"), counts


@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(PARTS))
def test_as_many_as_before(machine, part):
    """Several rounds of them: what allocators keep for the next time is there after the first."""
    # What is done once comes first: what the others keep after it, tables of pages, is the same each time.
    some = sorted(lines()[part::PARTS], key=lambda line: line not in OFTEN)
    machine = machine(some)
    for _ in range(2):
        machine.command(some[0])
        figures(machine)  # kstats come with the first look
    for line in some:
        machine.command(line)
    free, before = figures(machine)
    for line in some + [line for line in some if line not in OFTEN] * (ROUNDS - 1):
        machine.command(line)
    left, after = figures(machine)
    # A call that is made for the first time, as futex where there is a crowd, has a counter from then on.
    more = {name: count - before.get(name, 0) for name, count in after.items() if abs(count - before.get(name, 0)) > SLACK}
    assert free - left <= SLACK and not more, (some, free - left, more)
