# SPDX-License-Identifier: BSD-2-Clause
"""perfex -y: times are counts times costs over the clock, of a table that is a file, and statistics are quotients of counts."""

import re

import linux_program
import perfex
import pytest
import r10k

import guest

pytestmark = pytest.mark.programs

CODE = {"mips": guest.ROOT / "tools/qpmu/decode_mips.h", "x86_64": guest.ROOT / "tools/qpmu/decode_x86.h"}
MICROSECOND = 0.51e-6  # what is printed is rounded to it
TABLE = """# A table of ours
clock 2.5
instructions 4 1.5 7   # by name

17 2 2 2
16 1 1 1
"""


def table(text):
    """(MHz, {event: (typical, minimum, maximum)}) of a file of costs that has numbers only."""
    lines = [line.split("#")[0].split() for line in text.splitlines()]
    costs = {int(words[0]): tuple(map(float, words[1:])) for words in lines if len(words) == 4}
    (clock,) = [float(words[1]) for words in lines if words[:1] == ["clock"]]
    return clock, costs


def shipped(arch):
    return table((guest.ROOT / "user" / "perfex" / f"costs.{arch}").read_text())


def check_times(report, clock, costs):
    for event, count in report.count.items():
        if event not in costs:
            assert event not in report.times
            continue
        for seconds, cost in zip(report.times[event], costs[event], strict=True):
            assert abs(seconds - count * cost / (clock * 1e6)) < MICROSECOND, (event, report.text)


def test_hand_worked_times(arch, tmp_path):
    """Of a table of our own, given by -c; the most expensive event is first."""
    (tmp_path / "costs").write_text(TABLE)
    options = ["--add", f"{tmp_path}/costs=/costs"]
    (report,), _ = perfex.run(arch, "perfex -y -c /costs -e 15 -e 16 walk 1000", options=options)
    assert set(report.count) == {15, 16} and report.count[15] > 2000 * 1024
    check_times(report, 2.5, {15: (4, 1.5, 7), 16: (1, 1, 1)})
    assert report.order == [15, 16]


def test_shipped_times(arch):
    """All events at the costs of /etc/perfex.costs; those without a cost have no times and come last."""
    (report,), _ = perfex.run(arch, "perfex -a -y matrix jki 128 2")
    clock, costs = shipped(arch)
    check_times(report, clock, costs)
    typical = [report.times[event][0] for event in report.order if event in report.times]
    assert typical == sorted(typical, reverse=True)
    assert [event in costs for event in report.order] == sorted((event in costs for event in report.order), reverse=True)


def test_dump(arch, tmp_path):
    """-t prints the table as a table; with -c that file's."""
    result = guest.run("perfex -t", "--arch", arch)
    assert table(result.text) == shipped(arch)
    (tmp_path / "costs").write_text(TABLE)
    result = guest.run("perfex -t -c /costs", "--arch", arch, "--add", f"{tmp_path}/costs=/costs")
    assert table(result.text) == (2.5, {15: (4, 1.5, 7), 16: (1, 1, 1), 17: (2, 2, 2)})


WRONG = {
    "clock 5\n15 1 2 3\n": ":2: the typical cost is not between the others",
    "clock 5\n15 1 1\n": ":2: not `EVENT TYPICAL MINIMUM MAXIMUM'",
    "clock 5\n15 1 1 1 1\n": ":2: not `EVENT TYPICAL MINIMUM MAXIMUM'",
    "clock 5\n15 1 nan 1\n": ":2: not `EVENT TYPICAL MINIMUM MAXIMUM'",
    "clock 5\n15 1 -1 1\n": ":2: not `EVENT TYPICAL MINIMUM MAXIMUM'",
    "clock 5\n32 1 1 1\n": ":2: no such event",
    "clock 0\n": ":1: not `clock MHZ'",
    "15 1 1 1\n": ": no `clock MHZ'",
}


def test_wrong_tables(arch, tmp_path):
    """Each is refused with the line that is wrong, and nothing is run."""
    adds, commands = [], []
    for number, text in enumerate(WRONG):
        (tmp_path / str(number)).write_text(text)
        adds += ["--add", f"{tmp_path}/{number}=/c{number}"]
        commands.append(f"perfex -y -c /c{number} echo ran")
    result = guest.run("; ".join(commands), "--arch", arch, *adds)
    assert "ran" not in result.text
    assert result.text.split("\n")[:-1] == [f"/c{number}{wrong}" for number, wrong in enumerate(WRONG.values())]


@pytest.mark.parametrize("machine", ["mips", "x86_64"])
def test_table_is_of_the_cost_model(machine):
    """The most of an instruction is qpmu's longest, the least of what qpmu charges nothing for is 0."""
    cycles = {name: int(value) for name, value in re.findall(r"#define \w+_CYCLES_(\w+) +(\d+)", CODE[machine].read_text())}
    _, costs = shipped(machine)
    assert costs[15] == costs[17] == (1, 1, max(cycles.values()))
    assert costs[0] == costs[16] == (1, 1, 1)
    assert costs[24][1] == 0
    if machine == "mips":
        assert costs[21] == (1, 1, max(value for name, value in cycles.items() if "FP" in name or "SQRT" in name))
        assert all(costs[event][1] == 0 for event in (7, 9, 10, 22, 23, 25, 26))
        assert all(costs[event] == (1, 1, 1) for event in (2, 3, 4, 18, 19, 20))


def test_statistics():
    """Each is worked out again from the counts of the same report."""
    why = linux_program.missing("mips")
    if why:
        pytest.skip(why)
    (report,), _ = perfex.run("mips", "perfex -a -y matrix jki 128 10", options=r10k.SLOW)
    count, clock, costs = report.count, *shipped("mips")
    seconds = count[0] / (clock * 1e6)
    accesses = count[18] + count[19]
    expected = {
        "Graduated instructions/cycle": count[15] / count[0],
        "Graduated floating-point instructions/cycle": count[21] / count[0],
        "Graduated loads and stores/cycle": accesses / count[0],
        "Graduated loads and stores/floating-point instruction": accesses / count[21],
        "Mispredicted branches/branches": count[24] / count[6],
        "Graduated loads/issued loads": count[18] / count[2],
        "Graduated stores/issued stores": count[19] / count[3],
        "Primary data cache line reuse": accesses / count[25] - 1,
        "Primary data cache hit rate": 1 - count[25] / accesses,
        "Clocks of data cache misses (typical)/cycle": (count[25] * costs[25][0] + count[26] * costs[26][0]) / count[0],
        "Between primary and secondary cache, MB/s": (count[25] * 32 + count[22] * 16) / seconds / 1e6,
        "With memory, MB/s": (count[26] * 128 + count[7] * 16) / seconds / 1e6,
        "MFLOPS": count[21] / seconds / 1e6,
    }
    if count[26]:
        expected["Secondary data cache line reuse"] = count[25] / count[26] - 1
    expected["Secondary data cache hit rate"] = 1 - count[26] / count[25]
    assert set(report.statistics) == set(expected)
    for name, value in expected.items():
        assert abs(report.statistics[name] - value) < 1e-6 * max(1, abs(value)), name
    # Two loads and a store to one instruction that multiplies and adds: what the innermost loop is.
    assert abs(report.statistics["Graduated loads and stores/floating-point instruction"] - 3) < 0.3
