# SPDX-License-Identifier: BSD-2-Clause
"""What programs and their children have used, to the switch: naps are counted, and what a child says of itself before it ends is what its
parent and `time` are told. The emulated time stands still meanwhile, so that a nap is always one switch."""

import functools
import re

import program_script
import pytest

pytestmark = pytest.mark.programs

FEW, MORE = 20, 120
SWITCHES = "echo ===; kstat -p cpu:0:sys:inv_swtch; "


@functools.cache
def said(arch, commands):
    result = program_script.run(commands, "--deterministic", arch=arch)
    assert result.status == 0, result.said
    return result.text


def usages(text):
    """What the programs have said of themselves and of their children, in the order in which they did."""
    lines = re.findall(r"^(self|children) user (\S+) sys (\S+) minflt (\d+) majflt (\d+) nvcsw (\d+) nivcsw (\d+)$", text, re.M)
    names = ("minflt", "majflt", "voluntary", "involuntary")
    return [
        {"who": who, "time": float(user) + float(system), "user": float(user)} | {name: int(count) for name, count in zip(names, counts, strict=True)}
        for who, user, system, *counts in lines
    ]


def test_voluntary_switches(arch):
    text = said(arch, "".join(f"account naps {n} usage 0; account child 2 naps {n} usage 0 usage 1; " for n in (1, FEW, MORE)))
    _, _, _, few, few_own, few_children, more, more_own, more_children = (usage["voluntary"] for usage in usages(text))
    assert more - few == more_own - few_own == more_children - few_children == MORE - FEW
    assert FEW <= few < 2 * FEW and few_own <= few_children < few_own + FEW, "one nap is one switch"


def test_involuntary_switches(arch):
    """Two that spin on one CPU take it from each other, and hardly anybody else does: so do the CPU's own switches say."""
    text = said(arch, f"{SWITCHES}account spin 1500 usage 0 & account child 2 spin 1500 usage 0 usage 1 & wait; {SWITCHES}")
    before, after = (int(count) for count in re.findall(r"^cpu:0:sys:inv_swtch\t(\d+)$", text, re.M))
    one, own, children = sorted(usages(text), key=lambda usage: (usage["who"] == "children"))
    assert min(one["involuntary"], own["involuntary"]) >= 5
    assert own["involuntary"] <= children["involuntary"] <= own["involuntary"] + 2
    both = one["involuntary"] + own["involuntary"]
    assert both <= after - before < both * 1.5, text


def test_times_of_children(arch):
    (own, children) = usages(said(arch, "account child 2 spin 600 usage 0 usage 1"))
    assert 0.5 < own["time"] <= children["time"] < own["time"] + 0.1
    assert 0.5 < own["user"] <= children["user"] < own["user"] + 0.05


def test_faults_of_children(arch):
    few, few_children, more, more_children = (usage["minflt"] for usage in usages(said(arch, "".join(f"account child 2 zero {n} usage 0 usage 1; " for n in (FEW, MORE)))))
    assert more - few == more_children - few_children == MORE - FEW
    assert FEW <= few < few_children


def test_time_adds_up_programs_and_their_children(arch):
    """By `time -l`: what the program has used and what its child has; with the child's naps come those of the one who waits, who has one."""
    runs = [f"time -l account naps {n} child 1 naps {n}; " for n in (FEW, MORE)]
    few, more = (int(count) for count in re.findall(r"^ *(\d+)  voluntary context switches$", said(arch, "".join(runs)), re.M))
    assert more - few == 2 * (MORE - FEW)


def test_time_takes_away_what_was_before(arch):
    """The shell's own thread has switched before, of its will and against it: not for what is timed."""
    text = said(arch, "on 0 spin 300 & spin 300; wait; " + "sleep 0.01; " * 20 + "time -l spin 300; on 0 spin 300 & time -l spin 300; wait; time -l sleep 0.1")
    counts = [[int(count) for count in re.findall(rf"^ *(\d+)  {kind} context switches$", text, re.M)] for kind in ("voluntary", "involuntary")]
    (voluntary, _, slept), (alone, beside, never) = counts
    assert max(voluntary, alone, never) <= 3 and 1 <= slept <= 3 and 10 <= beside <= 40, text


def test_the_last_signal_is_counted(arch):
    text = said(arch, "time -l account signal 3; time -l account signal 3 die 0; echo")
    assert re.findall(r"^ *(\d+)  signals received$", text, re.M) == ["3", "4"]


def test_signals_without_memory(arch):
    """What is queued with a value is refused when the kernel has no memory to keep it; what kill sends comes, and so do signals that need
    none. The end gives all of it back."""
    result = program_script.run("mem; account fill 100000000; mem", "--memory", 64, arch=arch)
    first, *words, last = re.findall(r"^(?:free +\d+ KiB.*|many.*)$", result.text, re.M)
    usr = "16 17" if arch == "mips" else "10 12"
    assert words == [f"many 1 EAGAIN, then 0 0 0: {usr} RTMIN+1 came"], result.said
    assert abs(int(first.split()[1]) - int(last.split()[1])) < 4000
