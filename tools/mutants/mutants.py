# SPDX-License-Identifier: BSD-2-Clause
"""make mutants: runs, for each mutant, the tests that concern its place, and prints the score.

    /usr/bin/python3 tools/mutants/mutants.py [--mutants N,M] [--random N [--seed S]] [--files PATTERN]
        [--again | --rest] [--quick] [--minutes M] [--jobs N] [--equal FILE] [--list]

A mutant is caught if a test fails or hangs because of it. One that no test catches survives, unless the file of equal
mutants lists it with a reason. The status is 1 if one survives.
"""

import argparse
import concurrent.futures
import fcntl
import fnmatch
import json
import os
import random
import signal
import sys
import threading
import time

import build
import stages

EQUAL = build.ROOT / "tools" / "mutants" / "equal"
RESULTS = build.BASE / "results"


def listed(path):
    """{key: reason} of the file of equal mutants: `KEY  # REASON` a line."""
    reasons = {}
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        key, mark, reason = line.partition("  # ")
        if not mark or not reason.strip():
            raise SystemExit(f"mutants: {path}: no reason: {line}")
        reasons[key.strip()] = reason.strip()
    return reasons


def say(text):
    print(f"mutants: {text}", flush=True)


class Over(Exception):
    """The time is over: what was running has been ended, and decides nothing."""


class Judge:
    """Runs a mutant's tests until DEADLINE. What fails counts only if it passes without a mutant and fails once more with
    it: a test that fails in any case, or now and then, has caught nothing."""

    def __init__(self, deadline):
        self._deadline = deadline
        self._lock = threading.Lock()
        self._passes = {}  # a stage, or one test of pytest: whether it does so without a mutant
        self._instead = {}  # of a stage some of whose self-tests fail without a mutant: the others
        self._limits = {}  # of unit and self-tests: for how long one runs before it is said to hang

    def judge(self, place, quick):
        """("caught" or "survived", by what, seconds) of its quick stages, or of the others."""
        begin = time.monotonic()
        for stage in stages.stages_of(place.file):
            if stage.is_quick != quick:
                continue
            by = self._stage(stage, place)
            if by:
                return "caught", f"{stage.kind}: {by}", time.monotonic() - begin
        return "survived", "", time.monotonic() - begin

    def _stage(self, stage, place):
        """What of STAGE catches PLACE, or None."""
        unsteady = set()
        if stage.kind != "pytest":
            self._passes_without(stage)
            stage = self._instead.get(stage, stage)
        while True:
            left = stage.without(unsteady | self._broken())
            if not left or left in self._broken():
                return None
            outcome = self._run(left, place.number)
            if outcome.verdict == "passed":
                return None
            suspects = [stages.Stage("pytest", (name,)) for name in outcome.failed_tests(stage)] or [left]
            for suspect in suspects:
                if not self._passes_without(suspect):
                    continue
                again = outcome if outcome.verdict == "hangs" else self._run(suspect, place.number)
                if again.verdict != "passed":
                    return "hangs" if "hangs" in (outcome.verdict, again.verdict) else outcome.failure()
                say(f"unsteady: {suspect} with mutant {place.number}: {outcome.failure()}")
                unsteady.add(suspect)
            if left in unsteady:
                return None

    def _run(self, stage, number):
        """An outcome; raises Over if it is ended for want of time."""
        limit, left = self._limits.get(stage, stage.limit), self._deadline - time.monotonic()
        outcome = stages.run(stage, number, max(min(limit, left), 0))
        if outcome.verdict == "hangs" and left < limit:
            raise Over
        return outcome

    def _broken(self):
        with self._lock:
            return {stage for stage, passes in self._passes.items() if not passes}

    def _passes_without(self, suspect):
        with self._lock:
            known = self._passes.get(suspect)
        if known is None:
            outcome = self._run(suspect, 0)
            known = outcome.verdict == "passed"
            if not known:
                say(f"left out, for it fails without a mutant: {suspect}: {outcome.failure()}")
            with self._lock:
                self._passes[suspect] = known
                if suspect.kind != "pytest":
                    self._limits[suspect] = min(suspect.limit, 15 + 8 * outcome.seconds)
            others = None if known else stages.passing(suspect, outcome)
            if others and self._passes_without(others):
                with self._lock:
                    self._instead[suspect] = others
        return known


def choose(found, options, reasons):
    """The mutants that are to run."""
    chosen = [place for place in found if place.file != build.PLANTED or options.files == build.PLANTED]
    if options.files:
        patterns = options.files.split(",")
        chosen = [place for place in chosen if any(fnmatch.fnmatch(place.file, each) for each in patterns)]
    if options.mutants:
        numbers = set(map(int, options.mutants.split(",")))
        unknown = numbers - {place.number for place in found}
        if unknown:
            raise SystemExit(f"mutants: no such mutant: {','.join(map(str, sorted(unknown)))}")
        chosen = [place for place in found if place.number in numbers]
    if options.again:
        survived = {key for key, verdict in read_results().items() if verdict[0] == "survived"}
        chosen = [place for place in chosen if place.key in survived and place.key not in reasons]
    if options.rest:
        caught = {key for key, verdict in read_results().items() if verdict[0] == "caught"}
        chosen = [place for place in chosen if place.key not in caught and place.key not in reasons]
    if options.random:
        chosen = random.Random(options.seed).sample(chosen, min(options.random, len(chosen)))
    return chosen


def read_results():
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def write_results(more):
    temporary = RESULTS.with_suffix(".new")
    temporary.write_text(json.dumps({**read_results(), **more}, indent=0))
    temporary.replace(RESULTS)


def difference(place):
    """What the mutant changes, as a diff would show it."""
    new = {"skip": [], "twice": [place.text, place.text], "flip": [f"!({place.text})"]}[place.do]
    return "\n".join([f"    - {place.text}", *(f"    + {line}" for line in new)])


def name_keys(found):
    """Equal places of one function are told apart by their order."""
    seen = {}
    for place in found:
        plain = place.key
        seen[plain] = seen.get(plain, 0) + 1
        if seen[plain] > 1:
            place.text += f" #{seen[plain]}"


class Session:
    """One run over the chosen mutants: first the quick stages of all, then the slow ones of those that are left."""

    def __init__(self, options, reasons, begin):
        self._options, self._reasons = options, reasons
        self._deadline = begin + 60 * options.minutes
        self._judge = Judge(self._deadline)
        self.results = {}  # {place's number: (verdict, by, seconds)}

    def build(self, goals):
        """Makes what the tests need, unless the time is over before; it is part of the minutes."""
        if not build.make(goals, self._options.jobs, self._deadline - time.monotonic()):
            say("the time was over while building")

    def run(self, chosen):
        left = self._phase("quick", chosen)
        if left and not self._options.quick:
            say(f"{len(left)} left for the tests that take longer")
            self._phase("slow", left)

    def _phase(self, phase, chosen):
        """What came through. When the time is over, what is running is ended and nothing more begun."""
        last = phase == "slow" or self._options.quick
        number, waiting, left, rest = 0, {}, [], iter(chosen)
        with concurrent.futures.ThreadPoolExecutor(self._options.jobs) as pool:
            while True:
                while len(waiting) < self._options.jobs and time.monotonic() < self._deadline:
                    place = next(rest, None)
                    if place is None:
                        break
                    waiting[pool.submit(self._judge.judge, place, phase == "quick")] = place
                if not waiting:
                    return left
                done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                for each in done:
                    place, number = waiting.pop(each), number + 1
                    verdict = verdict_of(each)
                    if verdict[0] == "survived":
                        left.append(place)
                    if verdict[0] == "caught" or (verdict[0] == "survived" and last):
                        self._decided(place, verdict)
                    tell(place, verdict, f"{phase} {number}/{len(chosen)}", self._reasons)

    def _decided(self, place, verdict):
        self.results[place.number] = verdict
        write_results({place.key: verdict})


def verdict_of(future):
    try:
        return future.result()
    except Over:
        return "not decided", "", 0


def tell(place, verdict, where, reasons):
    how, by, seconds = verdict
    if how == "not decided":
        say(f"[{where}] {place.number} {place.file}:{place.line} {place.do}: not decided: the time was over")
        return
    if place.key in reasons:
        how = "listed" if how == "survived" else "caught, but listed"
    text = f"[{where}] {place.number} {place.file}:{place.line} {place.do}: {how}"
    say(f"{text} in {seconds:.0f} s{' by ' + by if by else ''}")


def report(chosen, results, reasons):
    """Prints survivors and score; how many survived."""
    ran = [place for place in chosen if place.number in results]
    survived = [place for place in ran if results[place.number][0] == "survived"]
    caught = [place for place in ran if place not in survived]
    left = [place for place in survived if place.key not in reasons]
    print()
    for place in left:
        print(f"survived: {place.number} {place.file}:{place.line} in {place.function}: {place.do}")
        print(difference(place))
    for place in caught:
        if place.key in reasons:
            print(f"stale: {place.key}: listed as equal, and caught ({results[place.number][1]})")
    score = f"{len(caught)} caught, {len(left)} survived, {len(survived) - len(left)} listed with a reason"
    score += f", of {len(ran)}"
    if len(ran) < len(chosen):
        score += f"; {len(chosen) - len(ran)} not decided: the time was over"
    say(score)
    return len(left)


def parse(argv):
    parser = argparse.ArgumentParser(prog="mutants.py", allow_abbrev=False)
    parser.add_argument("--mutants", default="")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--files", default="")
    parser.add_argument("--again", action="store_true")  # those that survived when they last ran
    parser.add_argument("--rest", action="store_true")  # those that nothing has caught so far
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--equal", type=build.pathlib.Path, default=EQUAL)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(argv)
    if options.random and options.seed is None:
        options.seed = random.randrange(1 << 32)
    return options


def alone():
    """Two at once would build over each other's image. The lock is ours until we end."""
    build.BASE.mkdir(parents=True, exist_ok=True)
    lock = open(build.BASE / ".lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit("mutants: another run of it is using build/mutants") from None
    return lock


def interrupted(number, _frame):
    """No test and no emulator outlives us."""
    stages.end_descendants(os.getpid())
    os._exit(128 + number)


def main(argv):
    begin = time.monotonic()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    options = parse(argv)
    lock = alone()
    reasons = listed(options.equal)
    found = build.copy()
    name_keys(found)
    unknown = set(reasons) - {place.key for place in found}
    for key in sorted(unknown):
        say(f"stale: {key}: listed as equal, and there is no such place")
    chosen = choose(found, options, reasons)
    if options.list:
        for place in chosen:
            print(f"{place.number}\t{place.file}:{place.line}\t{place.key}")
        return 0
    wanted = [stage for file in {place.file for place in chosen} for stage in stages.stages_of(file)]
    goals = {goal for stage in wanted if stage.is_quick or not options.quick for goal in stage.goals()}
    say(f"{len(chosen)} of {len(found)} places{f', SEED={options.seed}' if options.random else ''}; building the image")
    session = Session(options, reasons, begin)
    session.build(sorted(goals))
    session.run(chosen)
    lock.close()
    return 1 if report(chosen, session.results, reasons) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
