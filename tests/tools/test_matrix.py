# SPDX-License-Identifier: BSD-2-Clause
"""How the matrix makes its roots, with an apt-get and a debootstrap of our own; and what it says where it cannot."""

import os
import pathlib
import platform
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = platform.freedesktop_os_release().get("VERSION_CODENAME", "none")
URIS = f"""'http://one.invalid/debian/dists/{HERE}/InRelease' one 0
'http://one.invalid/debian/dists/{HERE}-updates/InRelease' one 0
'http://two.invalid/security/dists/{HERE}-security/InRelease' two 0
'http://three.invalid/apt/dists/tools/InRelease' three 0
'http://one.invalid/debian/dists/{HERE}/main/binary-amd64/Packages.xz' one 0
"""
FAKES = {
    "id": "echo ${FAKE_ID-0}",
    "apt-get": f'echo "$FAKE_URIS"',
    "apt-config": """case $1 in dump) echo 'Acquire::Retries "7";' ;; *) echo "proxy='http://four.invalid'" ;; esac""",
    # What it is to run stands behind its own options.
    "unshare": 'while [ "$1" != "${1#-}" ]; do [ "$1" != --propagation ] || shift; shift; done; exec "$@"',
    "debootstrap": 'echo "$http_proxy $*" >"$FAKE_USED"; for i in 1 2; do for t in "$@"; do case $t in */base-*) mkdir -p '
    '"$t"/etc/apt/sources.list.d "$t"/etc/apt/preferences.d "$t"/etc/apt/apt.conf.d ;; esac; done; done; exit ${FAKE_STATUS-0}',
    "chroot": 'echo "chroot $1" >>"$FAKE_USED"; exit ${FAKE_CHROOT-0}',
    "mount": ":",
}


@pytest.fixture
def matrix(tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, body in FAKES.items():
        (tools / name).write_text(f"#!/bin/sh\n{body}\n")
        (tools / name).chmod(0o755)

    def run(**environment):
        fixed = {"PATH": f"{tools}:{os.environ['PATH']}", "QUIPU_CACHE": str(tmp_path / "cache"), "FAKE_URIS": URIS}
        fixed |= {"FAKE_USED": str(tmp_path / "used"), "QUIPU_NO_INSTALL": "1", "TMPDIR": str(tmp_path)}
        return subprocess.run(
            [ROOT / "tools" / "matrix" / "run"],
            env={**os.environ, **fixed, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_archives_are_the_machines_own(matrix, tmp_path):
    done = matrix(CELLS="forky-backports")
    assert done.returncode == 0, done.stderr
    used = (tmp_path / "used").read_text()
    assert used.startswith("http://four.invalid ") and " forky " in used
    assert used.splitlines()[0].endswith(" http://one.invalid/debian")
    assert used.splitlines()[1] == f"chroot {tmp_path}/cache/forky-backports"
    apt = tmp_path / "cache" / "forky-backports" / "etc" / "apt"
    lines = (apt / "sources.list.d" / "matrix.list").read_text().splitlines()
    assert [line.split()[2:] for line in lines] == [
        ["http://one.invalid/debian", "forky", "main"],
        ["http://one.invalid/debian", "forky-backports", "main"],
        ["http://one.invalid/debian", "forky-updates", "main"],
        ["http://two.invalid/security", "forky-security", "main"],
    ]
    assert "src:qemu" in (apt / "preferences.d" / "matrix").read_text()
    assert 'Acquire::Retries "7";' in (apt / "apt.conf.d" / "99matrix").read_text()
    # It is kept, and nothing else is.
    (tmp_path / "used").unlink()
    assert matrix(CELLS="forky-backports").returncode == 0
    assert (tmp_path / "used").read_text() == f"chroot {tmp_path}/cache/forky-backports\n"
    assert not list(tmp_path.glob("quipu-matrix*")) and not list((tmp_path / "cache").glob("*.part"))


def test_a_release_without_backports(matrix, tmp_path):
    done = matrix(CELLS="forky")
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == "matrix: forky: no result: passed"
    apt = tmp_path / "cache" / "forky" / "etc" / "apt"
    assert "backports" not in (apt / "sources.list.d" / "matrix.list").read_text()
    assert not (apt / "preferences.d" / "matrix").exists()


def test_a_failing_cell_fails_it(matrix):
    done = matrix(CELLS="forky", FAKE_CHROOT="1")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "matrix: forky: no result: FAILED"


@pytest.mark.parametrize(
    "environment,said",
    [
        ({"FAKE_ID": "1000"}, "only root"),
        ({"FAKE_URIS": ""}, "no archive"),
        ({"FAKE_STATUS": "1"}, "debootstrap cannot"),
    ],
)
def test_where_no_root_can_be_made(matrix, tmp_path, environment, said):
    done = matrix(CELLS="forky", **environment)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("matrix: ") and said in done.stderr.splitlines()[-1]
    left = [path.name for path in (tmp_path / "cache").glob("*")]
    assert set(left) <= {"lock", "forky.log"} and not list(tmp_path.glob("quipu-matrix*"))
