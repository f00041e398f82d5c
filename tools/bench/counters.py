# SPDX-License-Identifier: BSD-2-Clause
"""Guest instructions that event counters of processes (docs/R10K.md) cost, programs and kernel together: what a switch
between two processes costs more where both count; PIOCGETEVCTRS; and a program that computes, with all events in turns,
as perfex -a has them. `make bench-counters`.

The program is tests/programs/r10k_measure.c, counted from its main to its exit by tools/plugins/count.c, beside qpmu; of
two deterministic runs that differ by so many turns the difference is divided.
"""

import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / place) for place in ("tools/run", "tools/bench", "tests/qemu")]

# pylint: disable=wrong-import-position
import guest  # noqa: E402
import linux_program  # noqa: E402
import linked  # noqa: E402
import r10k  # noqa: E402
import turns  # noqa: E402

NAME = "r10k_measure"
FEW, MORE = 200, 2200
LOOP = 50_000_000, 550_000_000  # turns of two instructions: a fifth of a second, and more than two


def counted(arch, words):
    """Instructions from main to exit."""
    program = r10k.built(NAME, arch)
    at = linked.symbols(program, arch)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "count"
        plugin = f"{turns.PLUGIN},out={out},from={at['main']},until={at['exit']}"
        options = ["--deterministic", "--add", f"{program}=/bin/{NAME}", "--", "-plugin", plugin]
        result = guest.run(f"{NAME} {words}", "--arch", arch, *options)
        if result.status != 0:
            sys.exit(f"counters: {result.said}")
        return int(out.read_text().split()[3])


def turn(arch, what, events, few=FEW, more=MORE):
    return (counted(arch, f"{what} {events} {more}") - counted(arch, f"{what} {events} {few}")) / (more - few)


def column(arch):
    """{row: number} of one machine."""
    plain = turn(arch, "switch", 0) / 2  # there and back are two
    rows = {"switch, and what asks for it": f"{plain:,.0f}"}
    for events, words in (1, "1 event a counter"), (16, "all events, in turns"):
        rows[f"the same more, {words}"] = f"{turn(arch, 'switch', events) / 2 - plain:+,.0f}"
    rows["PIOCGETEVCTRS"] = f"{turn(arch, 'read', 1):,.0f}"
    computes, counts = (turn(arch, "loop", events, *LOOP) for events in (0, 16))
    rows["a program that computes, more"] = f"{(counts / computes - 1) * 100:+.4f} %"
    return rows


def main():
    columns = {}
    for arch in linux_program.COMPILERS:
        if why := linux_program.missing(arch):
            print(f"{arch}: {why}")
        else:
            columns[arch] = column(arch)
    print(f"{'guest instructions':40}" + "".join(f"{arch:>16}" for arch in columns))
    for name in next(iter(columns.values()), {}):
        print(f"{name:40}" + "".join(f"{rows[name]:>16}" for rows in columns.values()))


if __name__ == "__main__":
    main()
