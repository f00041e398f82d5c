# SPDX-License-Identifier: BSD-2-Clause
"""The figures that `make bench` measures: what, against whom, and between which places in the kernel.

A place is a symbol of the kernel, with an optional "+offset" in bytes. The peers' numbers were measured in the
same way on the same QEMU.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    peers: dict
    goal: dict


@dataclasses.dataclass(frozen=True)
class Boot(Figure):
    """Instructions from the kernel's entry to the first time that the shell waits for input."""

    memory: dict
    files: bool = False  # with the archive of /bin, as ./quipu run boots; the peers have none
    cpus: int = 1  # of all of them together
    append: str = "quiet"  # boot words
    arches: tuple = ("mips", "x86_64")


@dataclasses.dataclass(frozen=True)
class Span(Figure):
    """Instructions from one place to the next of some others, over many times; the least and the median are shown.

    `commands` makes it happen. `less` is what a span holds that is not the thing itself (the marker calls).
    """

    commands: str
    start: dict
    ends: dict
    less: dict = dataclasses.field(default_factory=dict)
    arguments: list = dataclasses.field(default_factory=list)
    arches: tuple = ("mips", "x86_64")
    divide: int = 1
    # The remark has what it is in the kernel without the accounting of CPU time; or the figure is what is more than without:
    # than the kernel of that build takes (see Makefile), or than these commands take.
    without: bool = False
    added: str = ""
    beyond: str = ""
    disk: str = ""  # "ide" or "virtio": what the machine has
    latency: int = 0  # of its requests, in nanoseconds
    # The least, not the median: other CPUs' interrupts, or a host that is late, are mixed in.
    quickest: bool = False


@dataclasses.dataclass(frozen=True)
class Total(Figure):
    """Instructions of all CPUs together between two places that are reached once, while `commands` run.

    From the kernel's entry on, if there is no `begin`.
    """

    commands: str
    begin: str
    end: str
    arguments: list = dataclasses.field(default_factory=list)
    arches: tuple = ("mips", "x86_64")
    divide: int = 1
    emulator: list = dataclasses.field(default_factory=list)  # QEMU's arguments
    # What share of them these functions have, in per cent, is the figure instead.
    within: tuple = ()


@dataclasses.dataclass(frozen=True)
class Text(Figure):
    """Bytes of machine code."""


def both(value):
    return {"x86_64": value, "mips": value}


BOOT_PEERS = {
    "x86_64": "Zephyr 168,000 / 695,000, Unikraft 4.6 M, LK 17.7 M, xv6 73 M",
    "mips": "Zephyr 25,200 / 68,700, LK 55,300",
}

NONE = both("")
ONE_MORE = both(1)  # the instruction at the end place is counted with the span
CPUS_4 = ["--cpus", "4"]
PC = ("x86_64",)
CPU_TIME, IO_STATS, PMC = "no-cpu-time", "no-io-stats", "no-pmc"  # the builds without
# CPUs that take turns: what one does is not mixed with what the others do meanwhile.
TURNS = ["--cpus", "2", "--deterministic"]
CPUS_4_TURNS = [*CPUS_4, "--deterministic"]


def timer(name, goal, peers=NONE, **more):
    places = {"start": both("bench_timer_entry"), "ends": both(["bench_timer_return"])}
    return Span(name, peers, goal, **{"commands": "bench timer", **places, **more})


def between(name, goal, commands, place, peers=NONE, **more):
    """From the label bench_PLACE_begin to bench_PLACE_end."""
    start, ends = both(f"bench_{place}_begin"), both([f"bench_{place}_end"])
    return Span(name, peers, goal, commands=commands, start=start, ends=ends, less=ONE_MORE, **more)


def switch(name, goal, how, start):
    """To a thread that has blocked before."""
    return Span(name, NONE, goal, f"bench {how}", both(start), both(["return of context_switch"]))


def timers(what, count):
    goal = both(200) if what == "set" else {}
    return between(f"timer_{what}, {count:,} set", goal, f"bench timers {count}", f"timer_{what}")


PAIRS, HANDOVERS = 16, 200  # of each of two
SPIN = ("spinlock_wait", "spinlock_wait_open")


def many(cpus):
    """Of a machine with so many: the words for a name, the arguments, and the boards."""
    return f"{cpus} CPU" + "s" * (cpus > 1), ["--cpus", str(cpus)], PC if cpus > 1 else ("mips", "x86_64")


def pairs(name, goal, where, cpus, how=(), **more):
    """Threads that hand each other turns, in pairs."""
    words, arguments, arches = many(cpus)
    begin, end = "bench_pairs_begin", "bench_pairs_end"
    commands = f"bench pairs {PAIRS} {where}"
    return Total(f"{name}, {words}", NONE, both(goal), commands, begin, end, [*arguments, *how], arches, **more)


def handover(cpus):
    return pairs(f"handover in {PAIRS} pairs", 550, "wander", cpus, ["--deterministic"], divide=PAIRS * HANDOVERS * 2)


def spinning(where, goal, cpus):
    return pairs(f"spinning, pairs {where}", goal, where, cpus, within=SPIN)


def idle(cpus):
    words, arguments, arches = many(cpus)
    return Total(
        f"an idle second of a CPU, {words}",
        NONE,
        both(10000),
        commands="bench idle 10",
        begin="bench_idle_begin",
        end="bench_idle_end",
        arguments=[*arguments, "--deterministic"],
        arches=arches,
        divide=10 * cpus,
    )


def listed(count):
    return between(
        f"listing {count:,} threads, each",
        {},
        f"bench threads {count}",
        "threads",
        arguments=["--memory", "512"],
        divide=count,
    )


# So long that the waiter is asleep: whether it is at an answer that comes at once is up to the host, under -icount, too.
LATENCY = 2000000
DISKS = {"ide": "wd0", "virtio": "vd0"}
LINES = 7  # that `kstat -p` prints for each kstat of `bench kstat`: four statistics, class, crtime, snaptime


def disk_read(kind):
    """One read from its submission to where its waiter, which sleeps, goes on."""
    name, commands = f"one 4 KiB read, {kind}", f"bench read {DISKS[kind]} 4096"
    return between(name, both(900) if kind == "ide" else {}, commands, "disk", disk=kind, latency=LATENCY)


def disk_interrupt(name, goal, ends, latency, **more):
    """From IDE's vector, 0x30 and its pin; a Malta has one vector for all."""
    return Span(
        name,
        NONE,
        {"x86_64": goal},
        commands="bench read wd0 4096",
        start={"x86_64": "vector_table+0x3e0"},
        ends={"x86_64": ends},
        disk="ide",
        latency=latency,
        arches=PC,
        **more,
    )


def kstats(name, count, place, goal=None, **more):
    arguments = ["--memory", "256"]
    return between(name, goal or {}, f"bench kstat {count}", place, arguments=arguments, disk="ide", **more)


def kstats_printed(count, less):
    """The difference between so many and fewer, so that the command's beginning is in neither."""
    more = {"beyond": f"bench kstat {less}", "divide": (count - less) * LINES}
    return kstats(f"kstat -p of {count:,}, a statistic", count, "print", **more)


def reading(cpus):
    words, arguments, arches = many(cpus)
    name = f"reading one counter, {words}"
    return between(name, both(40), "bench evcnt", "read", READ_PEERS, arguments=arguments, arches=arches)


def taking(count):
    name = f"a counter taken from {count:,} threads"
    return between(name, {}, f"bench taking {count}", "taking", arguments=["--memory", "512", "--deterministic"])


def counters(count):
    arguments = ["--memory", "256"]
    return between(f"listing {count:,}, per counter", {}, f"bench list {count}", "list", arguments=arguments, divide=count)


KSTATS = (100, 1000, 10000)
TIMER_PEERS = {"x86_64": "Zephyr 158, LK 363, Unikraft 93", "mips": "LK 183, Zephyr 240"}
SWITCH_PEERS = {"x86_64": "LK 122, Zephyr 171", "mips": "LK 64, Zephyr 252"}
EVCNT_PEERS = {"x86_64": "LK 5, Zephyr 1", "mips": "LK 5, Zephyr 9"}
SHARED_PEERS = {"x86_64": "FreeBSD counter(9): an add and the CPU's address", "mips": ""}
READ_PEERS = {"x86_64": "Unikraft 41 for one cell", "mips": ""}

FIGURES = [
    Boot("entry to prompt, as shipped", NONE, {"x86_64": 60000, "mips": 25000}, both(128), files=True, append=""),
    Boot("entry to prompt, quiet", NONE, {}, both(128), files=True),
    Boot("entry to prompt, no /bin, quiet", BOOT_PEERS, {"x86_64": 160000, "mips": 25000}, both(128)),
    *(
        Boot(f"entry to prompt, {cpus} CPUs", NONE, both(goal), both(128), cpus=cpus, arches=PC)
        for cpus, goal in ((4, 250000), (16, 400000))
    ),
    Boot("entry to prompt, most memory", BOOT_PEERS, {}, {"x86_64": 4096, "mips": 2048}),
    Total(
        "everything started, no disk or NIC",
        NONE,
        {"x86_64": 200000, "mips": 160000},
        commands="hinv",
        begin="",
        end="late_set_done",
        arguments=["--deterministic"],
        emulator=["-nodefaults"],
    ),
    # On a busy host ticks are missed otherwise, and making up for them takes longer.
    timer("one timer interrupt", {"x86_64": 119, "mips": 175}, TIMER_PEERS, without=True, arguments=["--deterministic"]),
    timer("CPU time per interrupt", both(40), {"x86_64": "Zephyr 81-91", "mips": ""}, added=CPU_TIME, quickest=True),
    timer("CPU time per interrupt, 4 CPUs", both(40), added=CPU_TIME, quickest=True, arguments=CPUS_4_TURNS, arches=PC),
    between("one thread switch", {"x86_64": 74, "mips": 72}, "bench switch", "switch", SWITCH_PEERS, without=True),
    switch("a switch, by blocking", {"x86_64": 132, "mips": 134}, "block", "scheduler_block"),
    switch("a switch, by preemption", {"x86_64": 164, "mips": 186}, "preempt", "thread_preempt"),
    between("a thread sleeps, to the other thread", {}, "bench block", "block"),
    between("a thread wakes a higher one, to it", {}, "bench preempt", "preempt"),
    between(
        "CPU time per switch", both(30), "bench switch", "switch", {"x86_64": "Zephyr 53-62", "mips": ""}, added=CPU_TIME
    ),
    between(
        "CPU time per switch, 4 CPUs", both(30), "on 0 bench switch", "switch", added=CPU_TIME, arguments=CPUS_4, arches=PC
    ),
    timer(
        "a slice's end, to the other thread",
        {"x86_64": 300, "mips": 360},
        commands="spin 1500 & spin 1500; wait",
        arguments=["--deterministic"],
    ),
    # getppid, from the vector to the return, both included
    Span(
        "one system call, getppid",
        NONE,
        {},
        commands="workload calls 1000",
        start={"x86_64": "call_instruction", "mips": "bench_call_entry"},
        ends={"x86_64": ["user_iret"], "mips": ["vector_status_call_return+12"]},
    ),
    between("counters per switch, none used", both(2), "bench switch", "switch", added=PMC),
    between("switch, both threads count", both(40), "bench pmc switch", "switch", beyond="bench switch"),
    between("reading a running counter", both(30), "bench pmc read", "pmc_read"),
    *(taking(count) for count in (10, 100, 1000, 10000)),
    Span(
        "one sample, interrupt to return",
        NONE,
        {},
        commands="tprof monitor -e instructions,20000 bench timer",
        start={"x86_64": "vector_table+0x330", "mips": "bench_timer_entry"},  # COM2's vector
        ends=both(["bench_timer_return"]),
    ),
    *(handover(cpus) for cpus in (1, 2, 4, 8, 16)),
    *(spinning(where, goal, cpus) for where, goal in (("wander", 5), ("pinned", 0)) for cpus in (4, 8, 16)),
    *(idle(cpus) for cpus in (1, 4, 16)),
    *(listed(count) for count in (100, 1000, 10000)),
    Span(
        "interrupts off, of 10,000 threads",
        NONE,
        both(1000),
        commands="bench threads 10000",
        start=both("thread_walk_some"),
        ends=both(["return of thread_walk_some"]),
        arguments=["--memory", "512"],
    ),
    *(timers(what, count) for what in ("set", "cancel") for count in (10, 100, 1000, 10000)),
    between("one evcnt_incr, static", {"x86_64": 1, "mips": 5}, "bench evcnt", "evcnt", EVCNT_PEERS),
    between("one evcnt_incr, dynamic", {"x86_64": 2}, "bench evcnt", "dynamic", SHARED_PEERS),
    between("static, 4 CPUs", {"x86_64": 1}, "bench evcnt", "evcnt", arguments=CPUS_4, arches=PC),
    between("dynamic, 4 CPUs", {"x86_64": 2}, "bench evcnt", "dynamic", arguments=CPUS_4, arches=PC),
    between("reading one counter", {}, "bench evcnt", "read"),
    *(reading(cpus) for cpus in (2, 4, 8, 16)),
    between("waking on an idle CPU, waker", {}, "bench wake", "wake", arguments=TURNS, arches=PC),
    Span(
        "waking on an idle CPU, woken",
        NONE,
        {},
        commands="bench wake",
        start=both("vector_table+0xe10"),  # vector 225
        ends=both(["bench_woken"]),
        less=ONE_MORE,
        arguments=TURNS,
        arches=PC,
    ),
    *(counters(count) for count in (1000, 10000, 100000)),
    kstats("kstat_read of an IO kstat", 100, "io"),
    *(kstats(f"kstat_lookup among {count:,}", count, "find") for count in KSTATS),
    *(kstats(f"copying {count:,} kstats, each", count, "snapshot", divide=count) for count in KSTATS),
    *(kstats_printed(count, less) for count, less in ((1000, 100), (3000, 1000), (10000, 3000))),
    *(disk_read(kind) for kind in DISKS),
    disk_interrupt("one IDE interrupt", 400, ["bench_timer_return"], 0, quickest=True),
    disk_interrupt("one IDE interrupt, to its waiter", 1200, ["bench_disk_end"], LATENCY, less=ONE_MORE),
    between(
        "statistics per request", both(100), "devctl create md 2; bench read md0 4096", "disk", added=IO_STATS
    ),
    Text(
        "kernel text, bytes",
        {"x86_64": "xv6 31 k, Zephyr 124 k, Unikraft 238 k, LK 985 k", "mips": "Zephyr 81 k, LK 297 k"},
        {"x86_64": 330000, "mips": 370000},
    ),
]
