# SPDX-License-Identifier: BSD-2-Clause
"""`make soak MINUTES=N`: boots a machine again and again for so long and runs what raises, moves, wakes and locks at
random, on the PC with 8 CPUs and on a Malta side by side.

A round is one boot with one script. A panic, a wrong number, a status other than 0, or a round that does not end in
time stops the soak; the seed and the round that are printed make the same script again:
soak.py --seed SEED --round ROUND.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CPUS = {"x86_64": 8, "mips": 1}
ROUND_SECONDS = 150
# Each passes whatever runs beside it and wherever its threads are.
TESTS = [
    "evcnt-crowd",
    "evcnt-listed",
    "soak-moved",
    "soak-listed",
    "evcnt-lookup",
    "evcnt-report",
    "evcnt-many",
    "evcnt-exact",
    "evcnt-share",
    "evcnt-slots",
    "evcnt-stray",
    "evcnt-migrated",
    "evcnt-come-and-go",
    "histogram-shared",
    "cpus-call",
    "cpus-calls",
    "cpus-affinity",
    "cpus-moved",
    "cpus-shootdown",
    "cpus-time",
    "cpus-sleepers",
    "mutex-exclusion",
    "mutex-sleep",
    "mutex-try",
    "cv-turns",
    "cv-buffer",
    "cv-broadcast",
    "spinlock-exclusion",
    "spinlock-handler",
    "wait-lost",
    "thread-many",
    "timer-cancel",
]
JOBS = ["spin {ms}", "sleep 0.{ms}", "help", "ps", "mpstat 0.05 4", "vmstat -e -t 0.05 4", "intrstat", "intrctl list"]


def affinity(dice, cpus):
    return f"intrctl affinity 'ioapic0 pin 4' {dice.randrange(cpus)}"


def job(dice, cpus):
    command = dice.choice(JOBS).format(ms=dice.randrange(10, 200))
    first, last = sorted((dice.randrange(cpus), dice.randrange(cpus)))
    return f"on {first}-{last} {command}" if first < last else f"on {first} {command}"


def script(seed, number, arch):
    """The commands of a round; the last one's status is 0 only if every self-test has passed."""
    dice = random.Random(f"{seed} {number} {arch}")
    cpus = CPUS[arch]
    steps = []
    for test in dice.sample(TESTS, 8):
        jobs = [job(dice, cpus) for _ in range(dice.randrange(4))]
        if arch == "x86_64" and dice.random() < 0.7:
            steps.append(affinity(dice, cpus))
        steps += [" & ".join([*jobs, f"selftest {test}"]), "wait"]
    return "; ".join(steps)


def run_round(seed, number, arch):
    """None, or what was wrong."""
    word = f"soak={random.Random(f'{seed} {number}').randrange(1, 2**32)}"
    command = [ROOT / "quipu", "run", "--arch", arch, "--cpus", CPUS[arch], "--append", word]
    command += ["--timeout", ROUND_SECONDS, "-c", script(seed, number, arch)]
    done = subprocess.run(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "QUIPU_NO_INSTALL": "1"},
        check=False,
    )
    # A test that needs a second CPU is skipped without one. What another command printed without a line's end may
    # stand before the sums.
    passed = len(re.findall(r"(?<!\d)[01] passed, 0 failed", done.stdout))
    sums = len(re.findall(r"\d passed, \d+ failed", done.stdout))
    if done.returncode == 0 and passed == sums == 8 and " FAILED " not in done.stdout:
        return None
    return f"status {done.returncode}, {passed} of 8 tests passed\n{done.stdout}{done.stderr}"


def soak(arch, seed, seconds, failures):
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end and not failures:
        number += 1
        fault = run_round(seed, number, arch)
        if fault:
            failures.append(f"{arch}: seed {seed}, round {number}: {fault}")
    print(f"{arch}: {CPUS[arch]} CPUs, seed {seed}, {number} rounds", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--arch", choices=CPUS, action="append")
    parser.add_argument("--round", type=int, help="this round only, once")
    chosen = parser.parse_args()
    arches, failures = chosen.arch or list(CPUS), []
    print(f"seed {chosen.seed}", flush=True)
    if chosen.round:
        for arch in arches:
            print(script(chosen.seed, chosen.round, arch))
            failures += filter(None, [run_round(chosen.seed, chosen.round, arch)])
    else:
        threads = [
            threading.Thread(target=soak, args=(arch, chosen.seed, chosen.minutes * 60, failures)) for arch in arches
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
