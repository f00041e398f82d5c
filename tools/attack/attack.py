# SPDX-License-Identifier: BSD-2-Clause
"""`make attack MINUTES=N SEED=`: boots each board and floods it for so long, in turns and at random, with bytes on its
serial line, frames to its network card, requests to a disk of which some sectors fail, and command lines that make no
sense. What must be counted for each is known outside (floods.py, net_model.py) and compared exactly; then every law is
checked. All of it happens twice in one boot: what is made at its first use is there then, so that nobody's memory may
grow the second time; where it does, it may not the third time.

attack.py [--arch A] [--seconds N] [--seed S]: a failure names its seed, which makes the same input again.
"""

import argparse
import contextlib
import pathlib
import random
import re
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "qemu"), str(ROOT / "tools" / "run")]

import ethernet as e  # noqa: E402  (found through the line above)
import floods  # noqa: E402
import guest  # noqa: E402

LEAST = 3  # turns of each flood, however short the time
JOBS, STAGES = 31, 6  # all jobs that a shell has, with pipes; noise has been seen to make 80 threads at a time
CPUS = {"x86_64": 2, "mips": 1}


class Attack:
    """One boot."""

    def __init__(self, arch, seed, folder, card=None):
        self.arch, self.seed, self.doing = arch, seed, "boot"
        card = card or random.Random(f"{seed} {arch} card").choice(list(e.CARDS))
        self._wire = e.Wire(folder, card, record=False)
        self._disk = floods.Disk(folder, random.Random(f"{seed} {arch} disk"))
        arguments = self._wire.arguments() + self._disk.arguments()
        self.machine = guest.Machine(arch, folder, cpus=CPUS[arch], words="quiet", arguments=arguments)
        self.sent = {}

    def close(self):
        self.machine.close()
        self._wire.close()

    def _floods(self):
        self._disk.begin(self.machine)
        # Every command has a kstat from its first run on, and which of them noise happens to run is chance.
        listed = self.machine.command("help").split("\n\n")[0].splitlines()
        self.machine.command("; ".join(f"{line.split()[0]} -Q" for line in listed))
        # As many threads at a time as the floods ever make: their stacks and the places of these are kept.
        self.machine.command(" & ".join([" | ".join(["sleep 1"] * STAGES)] * JOBS) + " & wait")
        return {
            "serial": floods.Serial(self.machine),
            "network": floods.Network(self.machine, self._wire),
            "disk": self._disk,
            "lines": floods.Lines(self.machine),
        }

    def _turn(self, each, turn):
        dice = random.Random(f"{self.seed} {self.arch} {turn}")
        for name, flood in each.items():
            self.doing = f"{name}, turn {turn}"
            self.sent[name] = self.sent.get(name, 0) + flood(dice)

    def _twice(self, each, seconds):
        """All of them in turns, for half of the time, and the same again."""
        end, turns = time.monotonic() + seconds / 2, 0
        while turns < LEAST or time.monotonic() < end:
            self._turn(each, turns)
            turns += 1
        self.doing = "memory"
        for _ in range(2):  # it has needs of its own
            floods.grown(self.machine)
        grown = self._again(each, turns)
        # Noise is not taken in the same pieces each time, and may use something first only now.
        if any(count > 0 for count in grown.values()):
            left = self._again(each, turns)
            left = {name: (count, left[name]) for name, count in grown.items() if min(count, left.get(name, 0)) > 0}
            floods.demand(not left, "left each time, the second and the third:", left)

    def _again(self, each, turns):
        """The same once more: whose memory has grown by how much."""
        for turn in range(turns):
            self._turn(each, turn)
        self.doing = "memory"
        return floods.grown(self.machine)

    def run(self, seconds):
        """None, or what was wrong."""
        try:
            self.machine.prompt()
            each = self._floods()
            self._twice(each, seconds)
            self.doing = "laws"
            laws = self.machine.command("laws -n 3")
            floods.demand(re.search(r"^\d+ checks, \d+ comparisons, 0 violated$", laws, re.M), laws)
        except AssertionError as error:
            return f"{self.doing}: {error}"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", choices=CPUS, action="append")
    parser.add_argument("--seconds", type=float, default=60, help="for each board")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    chosen = parser.parse_args()
    failures = 0
    for arch in chosen.arch or CPUS:
        with tempfile.TemporaryDirectory(prefix="quipu-attack-") as folder:
            attack = Attack(arch, chosen.seed, pathlib.Path(folder))
            with contextlib.closing(attack):
                fault = attack.run(chosen.seconds)
            what = "  ".join(f"{name} {count}" for name, count in attack.sent.items())
            print(f"attack: {arch}, seed {chosen.seed}: {what}: {fault or 'all well'}", flush=True)
            failures += fault is not None
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
