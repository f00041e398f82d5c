# SPDX-License-Identifier: BSD-2-Clause
"""`make soak MINUTES=N`: boots a machine again and again for so long and runs what raises, moves, wakes and locks at
random, on the PC with 8 CPUs and on a Malta side by side. Beside the tests disks are read, written, slowed down and
reset, the network is pinged, all statistics are listed, programs run, and samples are taken each few thousand
instructions, so that an interrupt comes at any of them. All the while every law is checked (`laws`), as often as
goes, and once more when all is over; how many checks there were is printed.

A round is one boot with one script. A panic, a wrong number, a status other than 0, or a round that does not end in
time stops the soak; the seed and the round that are printed make the same script again:
soak.py --seed SEED --round ROUND. With --checked it is the build that verifies the order of locks.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / place) for place in ("tools/run", "tests/qemu")]

import disk  # noqa: E402  (found through the line above)
import linux_program  # noqa: E402  (the same)

CPUS = {"x86_64": 8, "mips": 1}  # --cpus: others on x86_64
ROUND_SECONDS = 600  # 16 CPUs on a busy host
DISK_BYTES = 1 << 20
PATTERN = 7
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

# wd0 is only read, so every sum of it is known; vd0 only ever gets the pattern. Errors are for the RAM disk md1 alone:
# of vd0 fewer answers are lost than a request has tries, and none is late because the host is busy.
DEVICE_JOBS = [
    "sum wd0",
    "dd if=wd0 of=null bs=4k jobs=4 count=100",
    "dd if=wd0 of=md0 bs=64k jobs=3",
    "dd if=md0 of=null bs=512 jobs=8 count=400",
    f"dd if=pattern:{PATTERN} of=vd0 bs=8k jobs=16 conv=fsync",
    "dd if=vd0 of=md0 bs=4k jobs=32",
    "sum md1",
    "dd if=zero of=md1 bs=2k jobs=4 count=50",
    "devctl inject wd0 delay={low}",
    "devctl inject wd0 delay=0",
    "devctl inject md1 errors={low}",
    "devctl inject md1 lost=1 timeout={ms}",
    "devctl inject vd0 lost={few} timeout={late}",
    "ping -c {low} -i 0.01 10.0.2.2",
    "ping -q -c {ms} -i 0.001 127.0.0.1",
    "udp -w 0.{ms} send 10.0.2.2 7 soak",
    "iostat -xn 0.05 4",
    "iostat -F -d -x",
    "gstat -b",
    "kstat -p",
    "kstat -p -c disk 0.05 4",
    "sysctl -a",
    "netstat -i",
    "netstat -s",
    "iotrace on",
    "iotrace show",
    "devctl list",
    "hexdump -n 64 wd0",
]
# Programs, what they print is what they print on the host; some with samples meanwhile.
PROGRAMS = ["forks", "threads", "conform_exec"]
SAMPLED = ["", "", "tprof monitor -e instructions:k,{prime} ", "tprof monitor -e instructions,{prime} "]
PRIMES = [1009, 2003, 5003]
PROGRAM = re.compile(r"(\w+) > (/tmp/p\d+)")
# The share of a Malta's rounds where QEMU counts instructions: it ends a block where a timer is due, so that interrupts
# come in the middle of others, too.
DETERMINISTIC = 0.5
# With nothing beside it: what the programs printed, what is on vd0 in the end, and that no request was forgotten.
END = (
    "devctl inject vd0 lost=0 timeout=5000; "
    f"dd if=pattern:{PATTERN} of=vd0 bs=32k jobs=4; sum vd0; kstat -p -c disk; vmstat -e"
)


CHECKS = r"^(\d+) checks, \d+ comparisons, 0 violated$"


def affinity(dice, cpus):
    return f"intrctl affinity 'ioapic0 pin 4' {dice.randrange(cpus)}"


def job(dice, cpus, may_sample):
    """Of some that run together one may take samples."""
    jobs = dice.choice((JOBS, DEVICE_JOBS))
    ms, low = dice.randrange(10, 200), dice.randrange(1, 4)
    command = dice.choice(jobs).format(ms=ms, low=low, few=min(low, 2), late=1000 + ms)
    if dice.random() < 0.2:
        sampled = dice.choice(SAMPLED).format(prime=dice.choice(PRIMES))
        command = f"{sampled if may_sample else ''}{dice.choice(PROGRAMS)} > /tmp/p{dice.randrange(10**6)}"
    first, last = sorted((dice.randrange(cpus), dice.randrange(cpus)))
    return f"on {first}-{last} {command}" if first < last else f"on {first} {command}"


def script(seed, number, arch):
    """The commands of a round."""
    dice = random.Random(f"{seed} {number} {arch}")
    cpus = CPUS[arch]
    steps = ["devctl create md 1", "devctl create md 1", f"laws -n 1000000 -w 0.00{dice.randrange(1, 4)} &"]
    for test in dice.sample(TESTS, 8):
        jobs = [job(dice, cpus, may_sample=place == 0) for place in range(dice.randrange(4))]
        if arch == "x86_64" and dice.random() < 0.7:
            steps.append(affinity(dice, cpus))
        steps += [" & ".join([*jobs, f"selftest {test}"]), *(f"wait {job}" for job in range(2, 2 + len(jobs)))]
    said = " ".join(place for _name, place in PROGRAM.findall(" ".join(steps)))
    return "; ".join([*steps, "stop 1", "wait 1", "laws", f"cat {said} /dev/null", END]).replace("&;", "&")


def wrong(text, data, commands):
    """What is wrong with the output of a round's COMMANDS, where wd0 held DATA; None if nothing is."""
    # A test that needs a second CPU is skipped without one; a name stands for all tests that begin with it. What another
    # command printed without a line's end may stand before the sums.
    passed = len(re.findall(r"\d passed, 0 failed", text))
    sums = len(re.findall(r"\d passed, \d+ failed", text))
    if passed != 8 or sums != 8 or " FAILED " in text:
        return f"{passed} of 8 tests passed"
    for name, content in (("wd0", data), ("vd0", disk.pattern(PATTERN, DISK_BYTES))):
        good = f"{zlib.crc32(content):08x}"
        found = re.findall(rf"\b([0-9a-f]{{8}}) {DISK_BYTES} {name}\b", text)
        if any(sum != good for sum in found) or (name == "vd0" and not found):
            return f"{name}: sums {found}, not {good}"
    programs = [name for name, _place in PROGRAM.findall(commands)]
    for name in PROGRAMS:
        expected, _status = linux_program.on_host(name)
        if text.replace("\r", "").count(expected) != programs.count(name):
            return f"{name} ran {programs.count(name)} times, and did not print as often what it prints elsewhere"
    end = text[text.rindex(f" {DISK_BYTES} vd0") :]
    if re.search(r":[rw]cnt\t[1-9]", end):
        return "requests were forgotten"
    if "violated: " in text or "VIOLATED" in text or not re.search(CHECKS, text, re.M):
        return "a law was violated, or they were not checked"
    odd = re.search(r"^(\w+ strange answers|wd0 errors|vd0 errors|devstat end without start) +[1-9]", end, re.M)
    return odd and odd.group(0)


def run_round(seed, number, arch, checked=False):
    """(what was wrong, or None; how often laws were checked)."""
    word = f"soak={random.Random(f'{seed} {number}').randrange(1, 2**32)}"
    with tempfile.TemporaryDirectory(prefix="quipu-soak-") as folder:
        source = disk.image(pathlib.Path(folder), "source", DISK_BYTES, seed)
        target = disk.image(pathlib.Path(folder), "target", DISK_BYTES, seed + 1)
        card = random.Random(f"{seed} {number} {arch} card").choice(["virtio", "pcnet"])
        command = [ROOT / "quipu", "run", "--test", "--arch", arch, "--cpus", CPUS[arch], "--append", word, f"--net={card}"]
        command += ["--disk", source, "--timeout", ROUND_SECONDS, *(["--checked"] if checked else [])]
        if arch == "mips" and random.Random(f"{seed} {number} how").random() < DETERMINISTIC:
            command.append("--deterministic")
        for name in PROGRAMS:
            command += ["--add", f"{linux_program.compiled(name, arch)}=/bin/{name}"]
        commands = script(seed, number, arch)
        command += ["-c", commands, "--", "-drive", f"if=none,id=target,file={target},format=raw"]
        command += ["-device", "virtio-blk-pci,disable-legacy=on,drive=target"]
        done = subprocess.run(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env={**os.environ, "QUIPU_NO_INSTALL": "1"},
            check=False,
        )
        fault = f"status {done.returncode}" if done.returncode else wrong(done.stdout, source.read_bytes(), commands)
        if not fault and target.read_bytes() != disk.pattern(PATTERN, DISK_BYTES):
            fault = "vd0 is not what was written to it"
    checks = sum(int(count) for count in re.findall(CHECKS, done.stdout, re.M))
    return f"{fault}\n{done.stdout}{done.stderr}" if fault else None, checks


def soak(arch, seed, seconds, failures, checked):
    start, number, checks = time.monotonic(), 0, 0
    end = start + seconds
    while time.monotonic() < end and not failures:
        number += 1
        fault, more = run_round(seed, number, arch, checked)
        checks += more
        if fault:
            failures.append(f"{arch}: seed {seed}, round {number}: {fault}")
    print(
        f"{arch}: {CPUS[arch]} CPUs, seed {seed}, {number} rounds, "
        f"laws checked {checks} times, {60 * checks / (time.monotonic() - start):.0f} a minute",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--arch", choices=CPUS, action="append")
    parser.add_argument("--cpus", type=int, default=CPUS["x86_64"], help="of x86_64")
    parser.add_argument("--checked", action="store_true", help="the build that verifies the order of locks")
    parser.add_argument("--round", type=int, help="this round only, once")
    chosen = parser.parse_args()
    CPUS["x86_64"] = chosen.cpus
    arches, failures = chosen.arch or list(CPUS), []
    print(f"seed {chosen.seed}", flush=True)
    if chosen.round:
        for arch in arches:
            print(script(chosen.seed, chosen.round, arch))
            failures += filter(None, [run_round(chosen.seed, chosen.round, arch, chosen.checked)[0]])
    else:
        threads = [
            threading.Thread(target=soak, args=(arch, chosen.seed, chosen.minutes * 60, failures, chosen.checked))
            for arch in arches
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for failure in failures:
        print(failure)
        print(failure.splitlines()[0])  # again, where it is seen
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
