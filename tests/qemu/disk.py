# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of disks share: images, readings of `kstat -p`, the trace of requests, QEMU's own counts."""

import dataclasses
import random
import re

MASK = (1 << 64) - 1


def image(folder, name, size, seed):
    path = folder / name
    path.write_bytes(random.Random(seed).randbytes(size))
    return path


def ide(path, index, **more):
    """QEMU's arguments for a drive; more: options of -drive, such as id="spare"."""
    options = "".join(f",{key}={value}" for key, value in more.items())
    return ["-drive", f"file={path},if=ide,index={index},format=raw{options}"]


def pattern(seed, size):
    """What `if=pattern:SEED` gives: splitmix64, little-endian."""
    data = bytearray()
    for word in range((size + 7) // 8):
        number = (seed + word + 0x9E3779B97F4A7C15) & MASK
        number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK
        number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK
        data += (number ^ number >> 31).to_bytes(8, "little")
    return bytes(data[:size])


def _number(text):
    """A count, or a time in ns, which may be printed as seconds with nine digits."""
    if re.fullmatch(r"\d+\.\d{9}", text):
        return int(text.replace(".", ""))
    return int(text) if text.isdigit() else text


def io(text, name="wd0"):
    """{statistic: value} of an IO kstat, from `kstat -p`."""
    return {stat: _number(value) for stat, value in re.findall(rf":{name}:(\w+)\t(\S+)", text)}


@dataclasses.dataclass
class Request:
    device: str
    number: int
    kind: str
    block: int
    count: int
    bytes: int
    submitted: int
    started: int
    ended: int
    error: int
    waiting: int
    running: int


def trace(text, name="wd0"):
    """`iotrace show`."""
    rows = (line.split() for line in text.splitlines())
    requests = []
    for row in rows:
        if len(row) == 12 and row[0] == name:
            requests.append(Request(row[0], int(row[1]), row[2], *map(int, row[3:])))
    return requests


def integrals(spans):
    """(time in which there was any, sum of all their times) of [begin, end) spans."""
    busy = until = 0
    for begin, end in sorted(spans):
        busy += max(0, end - max(begin, until))
        until = max(until, end)
    return busy, sum(end - begin for begin, end in spans)


# The rows of the table that QEMU 11.1 prints below a drive's line, which has all of it elsewhere; a flush has no bytes.
BLOCKSTATS = {"Read": ("rd", ("bytes", "operations")), "Write": ("wr", ("bytes", "operations"))}
BLOCKSTATS |= {"Flush": ("flush", ("operations",))}


def blockstats(machine, name):
    """{statistic: count} of a drive, from `info blockstats`."""
    lines = iter(machine.monitor("info blockstats").splitlines())
    heading = next((line for line in lines if line.startswith(name)), None)
    assert heading, f"no drive {name}"
    counts = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", heading)}
    for line in lines:
        row, *numbers = line.split() or [""]
        if not row or "=" in line:
            break
        prefix, columns = BLOCKSTATS.get(row.rstrip(":"), ("", ()))
        counts |= {f"{prefix}_{column}": int(number) for column, number in zip(columns, numbers)}
    return counts


def moved(after, before):
    return {key: after[key] - before[key] for key in after if isinstance(after[key], int)}
