# SPDX-License-Identifier: BSD-2-Clause
"""The part of `make soak` that is about the network: a million frames to each card on each board, paced, in bursts and
as fast as they go, of all lengths, too long ones and requests for answers among them. Of each phase the sums are
checked (tests/qemu/net_sums.py), and the figures of all are printed. FRAMES is another number than a million.

A wrong sum or a card that answers no more ends it, with the phase that found it; the seed makes the same phases again.
"""

import argparse
import collections
import pathlib
import random
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "qemu"), str(ROOT / "tools" / "run")]

import ethernet as e  # noqa: E402  (found through the line above)
import guest  # noqa: E402
import net_sums  # noqa: E402

SHOWN = ["ipackets", "rbytes64", "ierrors", "norcvbuf", "missed", "idrops", "unknowns", "opackets"]


def phase(dice, most):
    """One of random kind: what it is, and a function that does it and returns what the counters did."""
    count = min(most, dice.choice([1000, 5000, 20000, 50000]))
    length = dice.choice([60, 61, 64, 200, 576, 1000, 1514])
    kind = dice.randrange(5)
    if kind == 0:
        return f"{count} pings of {length}", lambda flood: flood.pings(count, length - 42)
    if kind == 1:
        every, long = dice.randrange(2, 50), dice.randrange(1515, 4089)
        send = lambda flood: flood.check(flood.send(count, length, every, long))  # noqa: E731
        return f"{count} of {length}, each {every}th of {long}", send
    if kind == 2:
        burst, count = dice.randrange(1, 70), min(count, 5000)
        send = lambda flood: flood.check(flood.send(count, length, burst=burst), length, errors=0)  # noqa: E731
        return f"{count} of {length} in bursts of {burst}", send
    return f"{count} of {length}", lambda flood: flood.check(flood.send(count, length), length, errors=0)


def run(arch, card, cpus, chosen, folder):
    frames, seed = chosen.frames, chosen.seed
    dice, sums, flood, what = random.Random(f"{seed} {arch} {card}"), collections.Counter(), None, "boot"
    wire = e.Wire(folder, card, record=False)
    machine = guest.Machine(arch, folder, cpus=cpus, arguments=wire.arguments(), checked=chosen.checked)
    try:
        machine.prompt()
        flood = net_sums.Flood(machine, wire)
        before = wire.sent
        while flood.sent < frames:
            what, send = phase(dice, frames - flood.sent)
            difference = send(flood)
            sums.update({name: difference[name] for name in SHOWN})
        extra = flood.rare()
    except AssertionError as error:
        return f"{arch} {card}: {what}, seed {seed}: {error!r}"
    finally:
        machine.close()
        wire.close()
    row = "  ".join(f"{name} {sums[name]}" for name in SHOWN)
    print(f"{arch} {cpus} CPU {card}: sent {wire.sent - before}  {row}  {extra}", flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=1000000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--arch", choices=["x86_64", "mips"], action="append")
    parser.add_argument("--card", choices=list(e.CARDS), action="append")
    parser.add_argument("--cpus", type=int, default=4, help="of the PC")
    parser.add_argument("--checked", action="store_true", help="the build that verifies the order of locks")
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    failures = []
    for arch in chosen.arch or ["x86_64", "mips"]:
        for card in chosen.card or e.CARDS:
            with tempfile.TemporaryDirectory(prefix="quipu-flood-") as folder:
                cpus = chosen.cpus if arch == "x86_64" else 1
                failures.append(run(arch, card, cpus, chosen, pathlib.Path(folder)))
    for failure in filter(None, failures):
        print(failure)
    return 1 if any(failures) else 0


if __name__ == "__main__":
    sys.exit(main())
