# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures: `arch` runs a test on both machines; `machine` is one at its prompt, `boot` makes more of them."""

import pathlib
import tempfile

import pytest

import guest
import linux_program


@pytest.fixture(params=["x86_64", "mips"])
def arch(request):
    missing = guest.need("qemu-system-mips64" if request.param == "mips" else "qemu-system-x86_64")
    if request.node.get_closest_marker("programs"):
        missing = missing or linux_program.missing("x86_64") or linux_program.missing(request.param)
    if missing:
        pytest.skip(missing)
    return request.param


@pytest.fixture
def boot(arch):
    """boot(cpus=, memory=, words=, arguments=): a Machine that has begun to boot."""
    machines = []
    # A socket's path may not be long, so this is not pytest's own folder.
    with tempfile.TemporaryDirectory(prefix="quipu-test-") as folder:

        def start(**how):
            place = pathlib.Path(folder, str(len(machines)))
            place.mkdir()
            machines.append(guest.Machine(arch, place, **how))
            return machines[-1]

        yield start
        for each in machines:
            each.close()


@pytest.fixture
def machine(boot):
    """One at its prompt, whose devices have told the log that they are there."""
    started = boot()
    started.prompt()
    started.command("devctl list")
    return started


@pytest.fixture
def quipu(arch):
    """quipu(commands, *arguments): `./quipu run --arch ARCH -c COMMANDS ARGUMENTS`, to its end"""

    def run(commands, *arguments):
        return guest.run(commands, "--arch", arch, *arguments)

    return run
