# SPDX-License-Identifier: BSD-2-Clause
"""Every example of the README and of the man pages does what it is an example of, on the image that users get."""

import re
import shlex

import pytest

import guest

MAN = guest.ROOT / "docs" / "man"
OTHERS = re.compile(r"--singlestep|--on (gxemul|bochs)")  # tested with those emulators
# What an example ends with that is to fail.
STATUS = {"panic -t null": 70, "kill -KILL 12": 1, "devctl create md 8; devctl inject md0 errors=1; sum md0": 1}
# Commands that know one of the boards only, and words for a Malta's.
PC_ONLY = re.compile(r"ioapic0|intrctl affinity|selftest|--cpus|lspci|--append apic|sysctl -x kern\.evcnt|perfex|forktree")
WRONG = re.compile(rb"^usage: |: command not found|: no such |^\w+: bad |: unknown |Traceback", re.M)
ENDLESS = re.compile(r"ecstats -s 1$")  # until ^C


def plain(text):
    """An example of a man page without mdoc's escapes."""
    return text.replace(r"\(dq", '"').replace(r"\e", "\\").replace(r"\&", "")


def of_readme():
    for line in (guest.ROOT / "README.md").read_text().splitlines():
        match = re.match(r"(\./quipu run .*?)(?:; echo \$\?)?\s{2,}#", line)
        if match and not OTHERS.search(match[1]):
            yield match[1]


def of_pages():
    for page in sorted(MAN.iterdir()):
        for line in re.findall(r"^\.Dl quipu> (.*)", page.read_text(), re.M):
            if not ENDLESS.search(line):
                yield page.name, plain(line)


def expected(commands):
    return STATUS.get(commands, 0)


def disk(tmp_path):
    image = tmp_path / "disk"
    image.write_bytes(bytes(range(256)) * (8 << 12))
    return image


README = list(of_readme())
PAGES = list(of_pages())


def test_there_are_examples():
    assert len(README) > 15 and len(PAGES) > 20


@pytest.mark.timeout(guest.WITH_ALL_TESTS)
@pytest.mark.parametrize("line", README)
def test_readme(line, tmp_path):
    words = [str(disk(tmp_path)) if word == "FILE" else word for word in shlex.split(line)]
    timeout = ["--timeout", guest.ALL_TESTS] if "-c" in words else []
    result = guest.launch(words[1], *timeout, *words[2:], patience=guest.ALL_TESTS)
    assert result.status == expected(words[-1]), result.said
    if result.status == 0 and "help" not in line:
        assert not WRONG.search(result.stdout + result.stderr), result.said


@pytest.mark.parametrize("page,line", PAGES)
def test_page(page, line, arch, tmp_path):
    if arch != "x86_64" and PC_ONLY.search(line):
        pytest.skip("an example for a PC")
    needs = []
    if "wd0" in line:
        needs += ["--disk", disk(tmp_path)]
    if "intrctl" in line:
        needs += ["--cpus", 2]
    if "selftest" in line:
        needs += ["--test"]
    if "-c" in line and "lockstat" in line:
        needs += ["--checked"]
    result = guest.run(line, "--arch", arch, *needs)
    assert result.status == expected(line), result.said
    if result.status == 0:
        assert not WRONG.search(result.stdout + result.stderr), result.said


def printed_blocks():
    """The commands of README.md under `--deterministic` with what they print."""
    text = (guest.ROOT / "README.md").read_text()
    for command, rows in re.findall(r"^\$ (\./quipu run .*--deterministic .*)\n((?:(?!```).*\n)+)```", text, re.M):
        yield command, rows


def rows_of(block):
    """(the words of a row, its numbers) for each; how wide the columns are does not matter."""
    rows = [row for row in block.splitlines() if row not in ("", "...")]
    return [(re.sub(r"\s+", " ", re.sub(r"\d+", "N", row)), [int(number) for number in re.findall(r"\d+", row)]) for row in rows]


def slack(number):
    """By how much what pmc stat prints may differ."""
    return number / 100 if number > 100_000 else max(2, number / 4)


def test_readme_prints_what_it_shows():
    """Row by row; with another compiler there may be an interrupt or two more or fewer. What is counted of instructions is
    a little different with every build of the kernel, and misses go by where its code lies."""
    blocks = list(printed_blocks())
    assert len(blocks) == 3
    for command, shown in blocks:
        costs = "pmc stat" in command
        shown, said = rows_of(shown), rows_of(guest.launch(*shlex.split(command)[1:]).text)
        part = said[: len(shown)] if costs else said[-len(shown) :]
        for (words, numbers), (other, counted) in zip(shown, part, strict=True):
            assert words == other
            assert all(abs(a - b) <= (slack(a) if costs else 2) for a, b in zip(numbers, counted, strict=True)), (words, numbers, counted)


def test_profile_md_shows_the_stack():
    """The chain of functions that PROFILE.md shows is one that there is."""
    page = (guest.ROOT / "docs" / "PROFILE.md").read_text()
    chain = re.search(r"^    ((?:\w+;){3,}\w+) \d+$", page, re.M)[1]
    said = guest.run("tprof monitor -g -e instructions,100000 selftest profile-work").text
    assert re.search(rf"^{chain} \d+$", said, re.M), said
