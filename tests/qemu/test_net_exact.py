# SPDX-License-Identifier: BSD-2-Clause
"""Every frame that the host sends is handed up or counted as lost by its reason, exactly, however fast they come; and
the card lives afterwards. The host counts what it sends itself. `make soak` does the same with a million frames."""

import pathlib
import tempfile

import pytest

import ethernet as e
import net_sums

FRAMES = 30000


@pytest.fixture(params=e.CARDS)
def flooded(request, boot):
    with tempfile.TemporaryDirectory(prefix="quipu-net-") as folder:
        wire = e.Wire(pathlib.Path(folder), request.param, record=False)
        machine = boot(arguments=wire.arguments())
        machine.prompt()
        yield net_sums.Flood(machine, wire)
        wire.close()


def test_flood_of_sound_frames(flooded):
    """As fast as the socket takes them, of one length at a time; none is an error."""
    for length in (60, 61, 576, 1514):
        flooded.check(flooded.send(FRAMES // 4, length), length=length, errors=0)
    assert flooded.sent == FRAMES


def test_flood_in_bursts(flooded):
    """With pauses in which the guest empties its ring, so that a burst finds the card at each place of the ring."""
    for burst in (1, 2, 31, 32, 33, 40):
        flooded.check(flooded.send(1500, 200, burst=burst), length=200, errors=0)


def test_frames_that_are_too_long(flooded):
    """Those that need several buffers are one error each; what lies between them is not."""
    for long in (1515, 1600, 1601, 2000, 3300, 4088):
        difference = flooded.check(flooded.send(500, 300, every=5, long=long, burst=4), errors=100)
        assert difference["missed"] + difference["norcvbuf"] == 0
    flooded.check(flooded.send(4000, 300, every=3, long=3000))


def test_answers_while_flooded(flooded):
    """The guest sends as well: what came back and what the guest says it sent are the same number."""
    flooded.pings(4000, 400)
