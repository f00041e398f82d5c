# SPDX-License-Identifier: BSD-2-Clause
"""Commands for GDB that look into a stopped kernel: `quipu counters [TEXT]`, `quipu threads` and `quipu lines`.

    gdb build/x86_64/quipu.elf -ex 'target remote 127.0.0.1:1234' -x tools/gdb/quipu.py      (gdb-multiarch for mips)

They read memory and call nothing, so the machine stays exactly as it stopped. The counts are those of the moment: each
CPU's cells are added up as evcnt_value does.
"""

import gdb

STRIDE = 512 << 30  # from a CPU's data to the next one's, arch/x86_64: CPU_STRIDE
STATES = "rSZ"  # as `ps` prints a thread's state: enum thread_state


def word(address):
    return int(gdb.Value(address).cast(gdb.lookup_type("unsigned long").pointer()).dereference())


def symbol(name):
    return int(gdb.parse_and_eval(f"(unsigned long)&{name}"))


def elements(head, link, first="tqh_first", following="tqe_next"):
    """The structures of a list of <sys/queue.h>, linked by their field LINK."""
    each = head[first]
    while int(each) != 0:
        yield each.dereference()
        each = each.dereference()[link][following]


def all_lines():
    return elements(gdb.parse_and_eval("'interrupt_line.c'::lines"), "all", "lh_first", "le_next")


def has_cells():
    """Whether counters have cells besides ev_cell0."""
    many = gdb.lookup_global_symbol("evcnt_cells_many")
    return many is not None and int(many.value()) != 0


def cells_cpus():
    """Of how many CPUs there are cells to add up: CPU 0's only, where the others have not begun."""
    return int(gdb.parse_and_eval("'evcnt_cells.c'::cells_cpus")) if has_cells() else 1


def share_of(counter, cpu):
    """What CPU counted."""
    cell0 = int(counter["ev_cell0"].address)
    held = int(counter["ev_held"])
    if not has_cells():
        return int(counter["ev_cell0"])
    if cpu >= cells_cpus():
        return 0
    in_image = symbol("kernel_data_start") <= cell0 < symbol("kernel_data_end")
    count = word((cell0 + held - cpu * STRIDE) % 2**64) if held or cpu == 0 or in_image else 0
    if cpu == 0:
        count += int(counter["ev_cell0"]) if held else int(counter["ev_kept"])
    return count


def value(counter):
    if int(counter["ev_share"]) != 0:
        return share_of(counter["ev_parent"].dereference(), int(counter["ev_share"]) - 1)
    count = int(counter["ev_count"]) + int(counter["ev_strays"])
    return count + sum(share_of(counter, cpu) for cpu in range(cells_cpus()))


def name(counter):
    return f"{counter['ev_group'].string()}: {counter['ev_name'].string()}"


class Quipu(gdb.Command):
    """What Quipu's kernel counts: `help quipu` lists the commands."""

    def __init__(self):
        super().__init__("quipu", gdb.COMMAND_DATA, prefix=True)


class Counters(gdb.Command):
    """quipu counters [TEXT]: every event counter whose `group: name` contains TEXT, and its count."""

    def __init__(self):
        super().__init__("quipu counters", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        for counter in elements(gdb.parse_and_eval("allevents"), "ev_list"):
            if argument in name(counter):
                print(f"{name(counter):<40} {value(counter):>20}")


class Threads(gdb.Command):
    """quipu threads: number, CPU, state (R on a CPU, r ready, S asleep, Z ended), priority and name of every thread."""

    def __init__(self):
        super().__init__("quipu threads", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        print(f"{'ID':>5} {'CPU':>3} S {'PRI':>3} NAME")
        for thread in elements(gdb.parse_and_eval("all_threads"), "all"):
            state = "R" if int(thread["on_cpu"]) else STATES[int(thread["state"])]
            numbers = f"{int(thread['id']):>5} {int(thread['cpu']):>3} {state} {int(thread['priority']):>3}"
            print(numbers, thread["name"].string())


class Lines(gdb.Command):
    """quipu lines: every interrupt line: its count, spurious and multiple ones, and what waits to be served."""

    def __init__(self):
        super().__init__("quipu lines", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        print(f"{'LINE':<24} {'COUNT':>12} {'SPURIOUS':>9} {'MULTIPLE':>9} {'DEFERRED':>9} HANDLERS")
        for line in all_lines():
            handlers, each = [], line["handlers"]
            while int(each) != 0:
                handlers.append(f"{each['count']['ev_group'].string()} {value(each['count'])}")
                each = each["next"]
            here = line["here"]
            first, last = here.type.range()
            deferred = sum(int(here[cpu]["deferred"]) for cpu in range(first, last + 1))
            counts = [value(line[kind]) for kind in ("count", "spurious", "multiple")]
            row = f"{line['name'].string():<24} {counts[0]:>12} {counts[1]:>9} {counts[2]:>9} {deferred:>9}"
            print(row, ", ".join(handlers))


for command in (Quipu, Counters, Threads, Lines):
    command()
