# SPDX-License-Identifier: BSD-2-Clause
"""pmc and tprof: what they refuse and why, and that their texts fit a terminal."""

import pytest

import guest


@pytest.mark.parametrize("command", ["pmc list", "tprof list", "help pmc tprof"])
def test_lists_fit_a_terminal(quipu, command):
    lines = quipu(command).lines()
    assert max(len(line) for line in lines) <= 80
    if "list" in command:  # what goes on does so under a column
        columns = [lines[0].index(word) for word in ("name", "description")]
        assert all(len(line) - len(line.lstrip()) in (0, 2, *columns) for line in lines)


ERRORS = [
    ("pmc stat -e nonesuch true", 2, 'pmc: unknown event "nonesuch" (EINVAL)'),
    ("pmc stat -e cycles, true", 2, 'pmc: unknown event "" (EINVAL)'),
    ("pmc stat -e cycles:q true", 2, 'pmc: unknown mode (u, k, s, e) in "q" (EINVAL)'),
    ("pmc stat -e cycles@99 true", 2, 'pmc: no such counter: "99" (EINVAL)'),
    ("pmc stat -e context-switches@0 true", 2, 'pmc: this event cannot be held by counter "0" (ENODEV)'),
    ("pmc -c interrupts:u true", 1, "pmc: interrupts:u: has no modes (ENODEV)"),
    ("pmc -c cpu-migrations:k true", 1, "pmc: cpu-migrations:k: has no modes (ENODEV)"),
    ("pmc -c branches nonesuch", 127, "nonesuch: command not found"),
    ("pmc stat -e branches nonesuch", 127, "nonesuch: command not found"),
    ("tprof monitor nonesuch", 127, "nonesuch: command not found"),
    ("pmc start cycles", 2, "pmc: cycles: no modes (:u, :k or :uk) behind the event"),
    ("pmc start interrupts:u", 1, "pmc: interrupts:u: has no modes (ENODEV)"),
    ("pmc start task-clock:uk", 1, "pmc: task-clock:uk: counted for threads only (ENODEV)"),
    ("pmc stop", 1, "pmc: no counter was started (ENXIO)"),
    ("tprof monitor -e cycles,0 true", 2, 'tprof: bad period "0" (EINVAL)'),
    ("tprof monitor -e cycles,1x true", 2, 'tprof: bad period "1x" (EINVAL)'),
    ("tprof monitor -e instructions,99 true", 2,
     "tprof: instructions: a period below 100 would leave no time for anything else (EINVAL)"),
    ("pmc stat -x '' true", 2, "pmc: no separator behind -x (EINVAL)"),
    ("pmc stat -e cycles: true", 2, 'pmc: no mode behind the colon of "cycles" (EINVAL)'),
    ("tprof monitor -e nonesuch true", 2, 'tprof: unknown event "nonesuch" (EINVAL)'),
    ("tprof monitor -e migrations true", 1, "tprof: migrations: cannot be sampled (ENODEV)"),
    ("tprof monitor -e cpu-clock:k true", 1, "tprof: cpu-clock:k: has no modes (ENODEV)"),
]


def test_errors(quipu):
    """One line each, and nothing runs, nor stays programmed."""
    result = quipu("; ".join(f"{command}; echo $?" for command, _, _ in ERRORS) + "; kstat -p pmc::/counter/")
    assert result.text == "".join(f"{text}\n{status}\n" for _, status, text in ERRORS)


# Words that cannot be right: the reason, then the usage.
WORDS = [
    ("pmc stat", "pmc: no command"),
    ("pmc stat -e cycles", "pmc: no command"),
    ("pmc stat -r 2 -I 10 true", "pmc: -r and -I do not go together"),
    ("pmc stat -a true", "pmc: stat counts threads; for every CPU see pmc start"),
    ("pmc stat -C 0 true", "pmc: stat counts threads; for every CPU see pmc start"),
    ("pmc stat --repeat 3 true", "pmc: unknown option --repeat"),
    ("pmc nosuch", 'pmc: unknown verb "nosuch"'),
    ("pmc start", "pmc: no event"),
    ("pmc -c cycles", "pmc: no command"),
    ("pmc -c cycles,branches true", "pmc: -c takes one event"),
    ("pmc -hC", "pmc: -h, -C and -c do not go together"),
    ("tprof analyze", 'tprof: unknown verb "analyze"'),
    ("tprof monitor", "tprof: no command"),
    ("tprof monitor -e cycles:k,100000 -o out.txt spin 30", "tprof: -o: text or stacks"),
    ("tprof top true", "tprof: top takes no command"),
]


def test_words_that_cannot_be_right(quipu):
    result = quipu("; ".join(f"{command}; echo $?" for command, _ in WORDS))
    assert [part.splitlines()[0] for part in result.text.split("\n2\n")[:-1]] == [reason for _, reason in WORDS]
    assert result.text.count("\nusage: ") == len(WORDS)


@pytest.mark.parametrize("option", ["-h", "-C"])
def test_nothing_behind_the_old_options(quipu, option):
    result = quipu(f"pmc {option} x")
    assert result.status == 2 and result.lines()[0] == 'pmc: unexpected argument "x"' and result.lines()[1].startswith("usage: pmc ")


def test_events_that_a_machine_lacks(arch):
    """In a table that says so, and the status is the command's; alone it is refused, with the reason."""
    text = guest.run("pmc stat -x, -e branches,clock-cycles:k,cpu-migrations:k true; echo $?; pmc -c branches true; echo $?; "
                     "tprof monitor -e branches true; echo $?", "--arch", arch, "--no-pmu").text  # fmt: skip
    lines = text.splitlines()
    assert [line.split(",")[0] for line in lines[:3]] == ["<not supported>"] * 3
    assert lines[3:] == ["0", "pmc: branches: no hardware PMU (ENODEV)", "1", "tprof: branches: no hardware PMU (ENODEV)", "1"]


def test_a_stat_in_a_stat(quipu):
    result = quipu("pmc stat -e context-switches pmc stat -e interrupts true")
    assert result.status == 1 and result.lines()[0] == "pmc: this thread is counted by another pmc stat (EBUSY)"


def test_busy(quipu):
    lines = quipu("pmc start cycles:uk@0; pmc stat -e cycles@0 true; echo $?; pmc -C; pmc stat -x, -e cycles@0 true").lines()
    assert lines[:3] == [
        "Counter #0 started",
        "pmc: cycles@0: every counter that can hold it is in use, by pmc start (EBUSY)",
        "1",
    ]
    assert int(lines[3].split(",")[0]) > 100
