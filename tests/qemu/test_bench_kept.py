# SPDX-License-Identifier: BSD-2-Clause
"""`make bench-check`: what counts as worse."""

import bench
import figures


def compared(monkeypatch, tmp_path, capsys, before, now):
    monkeypatch.setattr(bench, "KEPT", tmp_path / "kept")
    bench.keep({("mips", name): value for name, value in before.items()})
    bad = bench.compare({("mips", name): value for name, value in now.items()})
    return bad, capsys.readouterr().out


def test_three_in_a_hundred(monkeypatch, tmp_path, capsys):
    before = {"same": 200, "less": 200, "at the limit": 200, "over it": 200, "none": 0, "one": 0, "gone": 5}
    now = {"same": 200, "less": 20, "at the limit": 206, "over it": 207, "none": 0, "one": 1, "new": 7}
    bad, said = compared(monkeypatch, tmp_path, capsys, before, now)
    assert bad == 3
    assert said.splitlines() == [
        "bench-check: mips: over it: was 200, is 207, 3.5 % more",
        "bench-check: mips: one: was 0, is 1",
        "bench-check: mips: gone: was 5, is not measured",
        "bench-check: 7 figures, 3 of them more than 3% worse",
    ]


def test_what_is_kept_is_what_is_measured():
    """A figure that got another name would be compared with nothing."""
    names = {(arch, figure.name) for figure in figures.FIGURES if bench.is_steady(figure)
             for arch in getattr(figure, "arches", ("mips", "x86_64"))}  # fmt: skip
    assert set(bench.kept()) == names


def test_places_are_in_the_kernel(arch):
    """A function that has got another name is no figure any more."""
    kernel = bench.Kernel(arch)
    spans = [figure for figure in figures.FIGURES if isinstance(figure, figures.Span) and arch in figure.arches]
    assert len(spans) > 20
    for figure in spans:
        kernel.place(figure.start[arch])
        assert all(kernel.ends(end) for end in figure.ends[arch]), figure.name
