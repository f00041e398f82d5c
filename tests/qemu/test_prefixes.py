# SPDX-License-Identifier: BSD-2-Clause
"""Commands before commands: as many as a line holds, in the foreground and as jobs, and none takes stack."""

import re

import pytest

import guest

LINE = 4096


def nested(words, command, limit=LINE):
    """As many of WORDS, in turn, as a line has room for before COMMAND; and how many that are."""
    line, count = command, 0
    while len(line) + len(words[count % len(words)]) + 1 <= limit:
        line = f"{words[count % len(words)]} {line}"
        count += 1
    return line, count


@pytest.mark.parametrize(
    "words",
    [["on 0"], ["time"], ["watch -c 1"], ["on 0", "time", "watch -c 1 -n 0.001"]],
    ids=["on", "time", "watch", "mixed"],
)
@pytest.mark.parametrize("background", [False, True])
def test_a_line_full(quipu, words, background):
    """The command runs, its status comes through all of them, and each has done its work once."""
    end = " & wait 1; echo status $?" if background else "; echo status $?"
    line, count = nested(words, "sleep -z", LINE - len(end))
    assert count > 300
    text = quipu(line + end, "--timeout", 180).text
    assert text.endswith("status 2\n") and text.count("usage: sleep") == 1
    assert text.count("\nreal ") == text.count("\nsys  ") == sum(words[n % len(words)] == "time" for n in range(count))
    assert text.count("Every ") == sum(words[n % len(words)].startswith("watch") for n in range(count))


@pytest.mark.parametrize("background", [False, True])
def test_counters_between(quipu, background):
    """pmc stat and tprof monitor can run once each on a thread; before, between and behind them there is room."""
    line, _ = nested(["on 0", "time"], "kstat -p :::crtime", 1200)
    line, _ = nested(["time", "on 0"], f"pmc stat -e context-switches {line}", 2400)
    line, _ = nested(["watch -c 1", "on 0"], f"tprof monitor -g -e cpu-clock,1000000 {line}", 3900)
    text = quipu(line + (" & wait 1" if background else "") + "; echo status $?", "--timeout", 180).text
    assert text.endswith("status 0\n")
    assert len(re.findall(r"^ +\d+ +context-switches", text, re.M)) == 1
    for again in ("pmc stat pmc stat true", "pmc stat time pmc stat true"):
        assert quipu(again).text.startswith("pmc: this thread is counted by another pmc stat (EBUSY)\n")


def test_the_end_of_one_runs_what_is_inside_again(quipu):
    """watch repeats all that stands behind it, prefixes included; the affinity of `on` ends with it."""
    assert quipu("watch -n 0.001 -c 3 on 0 watch -n 0.001 -c 2 time echo x").text.count("\nx\nreal ") == 6
    lines = quipu("watch -n 0.001 -c 2 on 7 echo x; echo status $?").lines()
    assert lines[-1] == "status 1" and sum(line.startswith("on: no CPU 7") for line in lines) == 2
    lines = quipu("time on 0 nonsense; echo status $?").lines()
    assert lines[0] == "nonsense: command not found" and lines[-1] == "status 127" and len(lines) == 5
    assert quipu("on 0 time on 0; echo status $?").lines()[0] == "usage: on CPU COMMAND [ARGUMENT...]"


def test_interrupted_deep_inside(quipu):
    """stop reaches what runs, and whatever stands before it ends too."""
    line, _ = nested(["watch -c 2", "time", "on 0"], "sleep 1000", 3000)
    text = quipu(f"{line} & sleep 0.5; stop 1; wait 1; echo status $?").text
    assert text.endswith("status 130\n") and "real" not in text


def test_keys_on_a_line_full(machine):
    """Tab completes behind as many of them; typed lines run like scripts."""
    for words in (["on 0"], ["time"], ["time", "on 0"]):
        line, _ = nested(words, "", 4000)
        machine.send(line.rstrip().encode() + b" slee\t0\r")
        machine.expect(rb"sleep 0\r\n")
        machine.expect(guest.NEW_PROMPT)
        assert machine.status() == 0


def test_times_of_commands_before_commands(quipu):
    """Each run of a prefix counts once as a command, and lasts as long as what is inside at the least."""
    text = quipu("time on 0 watch -c 2 -n 0.001 sleep 0.05; kstat -p shell:0", "--deterministic").text
    counts = dict(re.findall(r"shell:0:(\w+):num_events\s+(\d+)", text))
    assert (counts["time"], counts["on"], counts["watch"], counts["sleep"]) == ("1", "1", "1", "2")
    least = dict(re.findall(r"shell:0:(\w+):min_time\s+(\d+)", text))
    assert int(least["time"]) >= int(least["on"]) >= int(least["watch"]) >= 2 * int(least["sleep"]) >= 100_000_000
