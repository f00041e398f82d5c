# SPDX-License-Identifier: BSD-2-Clause
"""Profiles on the host: stacks out of a command's output, the flame graph's geometry, the table, bad input."""

import random
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import flame
import functions
import options
import stacks

SVG = "{http://www.w3.org/2000/svg}"
SESSION = options.ROOT / "tools" / "profile" / "session.py"
OUTPUT = """what the command printed
stacks:
thread;main;work 75
thread;main;rest 20
thread;main 4
idle 1
"""


def some_stacks(seed):
    chance = random.Random(seed)
    names = ["main", "f<&\">'", "g g", "h", "x" * 200]
    return [
        (tuple(chance.choices(names, k=chance.randint(1, 12))), chance.choice([1, 2, 7, 10**9]))
        for _ in range(chance.randint(1, 60))
    ]


def boxes(svg):
    """[(name, x, row from the bottom, width, title)] of the inner picture, and its width and rows."""
    picture = ElementTree.fromstring(svg).find(f"{SVG}svg")
    _, _, width, rows = map(int, picture.get("viewBox").split())
    found = []
    for rect in picture.findall(f"{SVG}rect"):
        x, y, across = (int(rect.get(name)) for name in ("x", "y", "width"))
        found.append((rect.get("data-name"), x, rows - 1 - y, across, rect.find(f"{SVG}title").text))
    return found, width, rows


def test_split():
    others, found = stacks.split(OUTPUT)
    assert others == ["what the command printed"]
    assert found[0] == (("thread", "main", "work"), 75) and len(found) == 4


def test_the_last_heading_counts():
    others, found = stacks.split("stacks:\nnot one\nstacks:\na b;c 2\n")
    assert others == ["stacks:", "not one"] and found == [(("a b", "c"), 2)]


@pytest.mark.parametrize("text", ["", "a;b 3\n", "stacks:\nword\n", "stacks:\na;;b 1\n", "stacks:\na -1\n", "stacks:\n 3\n"])
def test_malformed(text):
    with pytest.raises(stacks.Malformed):
        stacks.split(text)


@pytest.mark.parametrize("found", [[], [(("a",), 0)]])
def test_no_samples(found):
    with pytest.raises(stacks.Malformed):
        stacks.tree(found)


@pytest.mark.parametrize("seed", range(30))
def test_geometry(seed):
    """Each sample of each stack lies in exactly one box of each row that the stack has, under its caller's."""
    found = some_stacks(seed)
    whole = sum(count for _, count in found)
    drawn, width, rows = boxes(flame.draw(stacks.tree(found), "t"))
    assert width == whole and rows == 1 + max(len(names) for names, _ in found)
    assert drawn[0][:4] == ("all", 0, 0, whole)
    for row in range(rows):
        here = sorted(box[1:4] for box in drawn if box[2] == row)
        deep_enough = sum(count for names, count in found if len(names) >= row)
        assert sum(across for _, _, across in here) == deep_enough
        for (x, _, across), (following, _, _) in zip(here, here[1:]):
            assert x + across <= following
    for name, x, row, across, _ in drawn[1:]:
        callers = [box for box in drawn if box[2] == row - 1 and box[1] <= x and x + across <= box[1] + box[3]]
        assert len(callers) == 1, name


def test_chains_of_boxes_are_the_stacks():
    found = some_stacks(99)
    expected = {}
    for names, count in found:
        for length in range(1, len(names) + 1):
            expected[names[:length]] = expected.get(names[:length], 0) + count
    drawn, _, rows = boxes(flame.draw(stacks.tree(found), "t"))
    chains = {}
    for box in drawn[1:]:
        chain = tuple(
            next(b[0] for b in drawn if b[2] == row and b[1] <= box[1] < b[1] + b[3]) for row in range(1, box[2])
        ) + (box[0],)
        assert chain not in chains
        chains[chain] = box[3]
    assert chains == expected and rows > 3


def test_titles():
    drawn, _, _ = boxes(flame.draw(stacks.tree(stacks.split(OUTPUT)[1]), "t"))
    titles = {box[0]: box[4] for box in drawn}
    assert titles["work"] == "work: 75 samples, 75.00%"
    assert titles["main"] == "main: 99 samples, 99.00%"
    assert titles["idle"] == "idle: 1 sample, 1.00%"


def test_the_same_for_the_same_stacks():
    found = some_stacks(5)
    once = flame.draw(stacks.tree(found), "t")
    assert once == flame.draw(stacks.tree(found[::-1]), "t")
    assert once != flame.draw(stacks.tree(found[1:]), "t")


def test_self_contained():
    svg = flame.draw(stacks.tree(some_stacks(3)), "a <title> & \x1b[m")
    assert svg.count("http") == 1 and "src=" not in svg and "href" not in svg
    assert "a &lt;title&gt; &amp; ?[m" in svg


@pytest.mark.parametrize(
    "part,whole,said", [(1, 3, "33.33%"), (2, 3, "66.67%"), (1, 1, "100.00%"), (1, 20000, "0.01%"), (1, 20001, "0.00%")]
)
def test_percent(part, whole, said):
    assert flame.percent(part, whole) == said


def test_labels_fit():
    for part in (0, 1, 5, 50, 999, 1000):
        name = flame.label("a_long_function_name", part, 1000)
        assert len(name) * flame.LETTER <= max(0, part * flame.WIDTH / 1000)


def test_table():
    _, found = stacks.split(OUTPUT)
    lines = functions.table(found).splitlines()
    assert [line.split() for line in lines[1:4]] == [
        ["75.00%", "75.00%", "75", "work"],
        ["20.00%", "20.00%", "20", "rest"],
        ["4.00%", "99.00%", "4", "main"],
    ]
    assert lines[-1].split() == ["100", "all"]
    assert len(functions.table(found, 2).splitlines()) == 5


def test_recursion_counts_once():
    assert stacks.functions([(("f", "f", "g", "f"), 3), (("f", "g"), 1)]) == {"f": (3, 4), "g": (1, 4)}


def session(tmp_path, text, status, output="x.svg"):
    """session.py over a run that prints TEXT and ends with STATUS."""
    run = tmp_path / "run.py"
    run.write_text(f"import sys\nprint({text!r}, end='')\nsys.exit({status})\n")
    path = str(tmp_path / output) if output else ""
    return subprocess.run([sys.executable, SESSION, path, "title", run], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("status", [0, 3])
def test_session(tmp_path, status):
    done = session(tmp_path, OUTPUT, status)
    assert done.returncode == status
    assert done.stdout.startswith("what the command printed\n    self")
    assert done.stderr == f"quipu: wrote {tmp_path / 'x.svg'}\n"
    assert len(boxes((tmp_path / "x.svg").read_text())[0]) == 6


def test_session_without_a_picture(tmp_path):
    done = session(tmp_path, OUTPUT, 0, output="")
    assert done.returncode == 0 and done.stderr == "" and not list(tmp_path.glob("*.svg"))


@pytest.mark.parametrize(
    "text,status,ends,said",
    [
        ("stacks:\n", 0, 1, "quipu: profile: not one sample was taken\n"),
        ("hello\n", 0, 1, "quipu: profile: the guest printed no stacks\n"),
        ("tprof: no such event\n", 2, 2, "tprof: no such event\n"),
    ],
)
def test_session_without_samples(tmp_path, text, status, ends, said):
    done = session(tmp_path, text, status)
    assert (done.returncode, done.stdout, done.stderr) == (ends, "", said)
    assert not list(tmp_path.glob("*.svg"))


def test_session_cannot_write(tmp_path):
    done = session(tmp_path, OUTPUT, 0, output="no/such/x.svg")
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "x.svg" in done.stderr
