# SPDX-License-Identifier: BSD-2-Clause
"""The list of packages, and how the launcher goes by it: with a list and an apt-get of our own."""

import glob
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GROUPS = {"base", "x86_64", "mips", "iso", "qemu-x86_64", "qemu-mips", "gxemul", "bochs", "host", "test"}
GROUPS |= {"check", "fuzz", "matrix", "program-x86_64", "program-mips", "guests"}


def rows(path=ROOT / "packages"):
    lines = path.read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def test_every_line_has_three_fields_and_known_groups():
    for row in rows():
        assert len(row) == 3, row
        assert set(row[2].split(",")) <= GROUPS, row


def test_every_proof_holds_where_the_package_is_installed():
    for package, proof, _ in rows():
        state = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Status}", package], capture_output=True, text=True, check=False
        )
        if "ok installed" in state.stdout:
            found = glob.glob(proof) if proof.startswith("/") else shutil.which(proof)
            assert found, f"{package} is installed, but {proof} is not there"


@pytest.fixture
def project(tmp_path):
    """A launcher whose list names packages that no one has, and whose apt-get and sudo write down their use."""
    shutil.copy(ROOT / "quipu", tmp_path)
    shutil.copytree(ROOT / "tools" / "launcher", tmp_path / "tools" / "launcher")
    proof = tmp_path / "proof"
    (tmp_path / "packages").write_text(f"# a list\n\nblue-paint {proof} base\nred-paint {proof} bochs\n")
    (tmp_path / "Makefile").write_text("all iso user-x86_64 build/x86_64/quipu:\n\t@:\n.PHONY: all iso user-x86_64\n")
    tools = tmp_path / "bin"
    tools.mkdir()
    fakes = {
        "apt-get": f'echo "apt-get $*" >>{tmp_path}/used\ncase $* in *install*) [ -z "$FAIL" ] || exit 1; : >{proof} ;; esac',
        "sudo": f'echo "sudo" >>{tmp_path}/used\nexec "$@"',
        "id": "echo ${FAKE_ID-0}",
    }
    for name, body in fakes.items():
        (tools / name).write_text(f"#!/bin/sh\n{body}\n")
        (tools / name).chmod(0o755)

    def launch(*arguments, **environment):
        unset = {key: value for key, value in os.environ.items() if key != "QUIPU_NO_INSTALL"}
        done = subprocess.run(
            [tmp_path / "quipu", *arguments],
            env={**unset, "PATH": f"{tools}:{os.environ['PATH']}", **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        used = tmp_path / "used"
        return done, used.read_text().splitlines() if used.exists() else []

    return launch


def test_missing_packages_are_installed_after_one_line(project):
    done, used = project("build")
    assert done.returncode == 0 and done.stdout == ""
    assert done.stderr.splitlines()[0] == "quipu: installing Debian packages, needed to build: blue-paint"
    assert used[0] == "apt-get update"
    assert used[1].startswith("apt-get install -y --no-install-recommends") and used[1].endswith("blue-paint")
    done, again = project("build")
    assert done.returncode == 0 and again == used, "nothing is missing, so nothing is installed"
    assert "installing" not in done.stderr


def test_bad_usage_installs_nothing(project):
    done, used = project("run", "--frobnicate")
    assert done.returncode == 2 and used == []


def test_no_install_lists_what_is_missing(project):
    done, used = project("build", QUIPU_NO_INSTALL="1")
    assert done.returncode == 3 and used == []
    assert "blue-paint" in done.stderr and "red-paint" not in done.stderr


def test_through_sudo_where_not_root(project):
    done, used = project("build", FAKE_ID="1000")
    assert done.returncode == 0
    assert used[0] == "sudo" and used[2] == "sudo"


def test_failing_installation(project):
    done, _ = project("build", FAIL="1")
    assert done.returncode == 3
    assert "blue-paint" in done.stderr.splitlines()[-1]


def test_every_group_for_the_tests(project):
    done, _ = project("test", QUIPU_NO_INSTALL="1")
    assert done.returncode == 3
    assert "blue-paint" in done.stderr and "red-paint" in done.stderr


def test_a_proof_may_be_a_pattern(project, tmp_path):
    (tmp_path / "packages").write_text(f"green-paint {tmp_path}/version-*/proof base\n")
    done, _ = project("build", QUIPU_NO_INSTALL="1")
    assert done.returncode == 3 and "green-paint" in done.stderr
    (tmp_path / "version-18").mkdir()
    (tmp_path / "version-19").mkdir()
    (tmp_path / "version-19" / "proof").touch()
    assert project("build", QUIPU_NO_INSTALL="1")[0].returncode == 0
