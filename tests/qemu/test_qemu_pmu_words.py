# SPDX-License-Identifier: BSD-2-Clause
"""qemu-pmu: words that lack something."""

import pytest

import test_qemu_pmu
from test_qemu_pmu import CANNOT


@pytest.fixture
def fakes(tmp_path):
    return test_qemu_pmu.Fakes(tmp_path)


@pytest.mark.parametrize("words", ["rev", "irq", "total", "rev=2.6,total", "total=a,,b,halt", "probe", ",l2"])
def test_pmu_word_without_value(words, fakes):
    """QEMU would take `total` for total=on, and the plugin would write a file of that name."""
    done = fakes.run(own=["--pmu", words])
    word = words.split(",")[-1]
    assert done.returncode == 2 and done.stdout == "" and fakes.asked() == 0
    assert done.stderr == f"qemu-pmu: --pmu {words}: {word}: no value; arguments are NAME=VALUE\n"


def test_pmu_words(fakes):
    for words in "rev=2.6", "total=a,,b", "total=a,,b,rev=2.6", "l2=", "total=a,,", "":
        assert fakes.options(own=["--pmu", words, "--no-irq"])
    done = fakes.run(own=["--pmu", "probe=1"])
    assert done.returncode == 2 and done.stderr == "qemu-pmu: --pmu probe=1: probe= is for qemu-pmu itself; see --probe\n"


@pytest.mark.parametrize("line", ["-m", "-M", "-display none -serial", "-object", "--device", "-nographic -accel"])
def test_last_option_without_its_value(line, fakes):
    """It would take the first option that is added as its value, and QEMU would complain of that."""
    done = fakes.run(*line.split())
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == f"qemu-pmu: {line.split()[-1].replace('--', '-')} needs a value\n"


def test_last_option_that_is_not_known(fakes):
    """It may be one that takes no value."""
    assert "-of-tomorrow" in fakes.options("-of-tomorrow")


def test_warning_is_no_reason(fakes):
    """It may name the plugin by chance, as where its folder is called plugins."""
    fakes.put("qemu-system-x86_64", "echo '/x/plugins/qpmu.so: warning: that is old' >&2; " + CANNOT)
    (line,) = fakes.run().stderr.splitlines()
    assert line.endswith("cannot load the plugin: plugin requires API version 1")
