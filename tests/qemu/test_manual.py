# SPDX-License-Identifier: BSD-2-Clause
"""The manual and the system say the same."""

import re

import guest

MAN = guest.ROOT / "docs" / "man"


def test_shell_1_has_every_command(arch):
    listed = re.findall(r"^([a-z]\w*)  +\S", guest.run("help", "--arch", arch).text, re.M)
    section = (MAN / "shell.1").read_text().split(".Ss Commands\n")[1].split("\n.Sh ")[0]
    described = re.findall(r"^\.It Ic (\S+)", section, re.M)
    assert len(listed) > 50 and described == sorted(described)
    assert set(listed) == set(described)


def test_launcher_options_are_in_quipu_1():
    """Those of `./quipu run --help`, and none besides."""
    told = set(re.findall(r"^  (?:-\w, )?--?([a-z][a-z-]*)\b", guest.launch("run", "--help").text, re.M))
    page = (MAN / "quipu.1").read_text()
    run = page.split(".Cm run\n", 1)[1].split(".Cm exec\n", 1)[0]
    shown = set(re.findall(r"Fl Fl ([a-z][a-z-]*)", run)) | set(re.findall(r"Fl ([a-z])\b", run))
    assert told - {"commands"} == shown - {"c"}
