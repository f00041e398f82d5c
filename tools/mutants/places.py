# SPDX-License-Identifier: BSD-2-Clause
"""Which places of a source file count, and what a mutant does to each.

A place is a statement that raises, subtracts or stamps a count (skip it, or do it twice) or a condition around one
(flip it). What counts is said by the data below and by nothing else.
"""

import dataclasses
import fnmatch
import re

import source

# Where counts live. Of what only works on text, on trees of expressions or on the order of a list, nothing.
FOLDERS = ("stats", "kernel", "arch", "drivers", "fs", "net", "tools/qpmu")
# And of what Linux' programs ask for: their calls, faults, perf events, transfers, signals, what they have used and the
# law of their times; and of commands what they subtract and add up.
FILES = ("linux/call.c", "linux/program/program_laws.c", "linux/program/program_usage.c", "linux/program/fault.c",
         "linux/program/launch_account.c", "linux/program/program.c", "linux/program/signal_send.c",
         "linux/program/signal_take.c", "linux/socket/socket_transfer.c",
         "linux/hwperf/*.c", "linux/perf/perf_[cior]*.c", "linux/perf/perf_sample.c", "linux/file/file_io.c",
         "linux/start/exec.c", "linux/start/task.c", "shell/command_times.c", "shell/commands/udp.c",
         "shell/commands/mpstat.c", "shell/commands/netstat.c", "shell/commands/systat.c", "shell/commands/time.c",
         "shell/commands/iostat/iostat_readings.c", "shell/commands/pmc/pmc_stat_*.c",
         "shell/commands/shared/device_sample.c", "shell/commands/shared/system_*.c",
         "shell/commands/vmstat/vmstat_system.c", "shell/commands/laws.c")  # fmt: skip
INSIDE = [*FILES, *(f"{folder}/*.{end}" for folder in FOLDERS for end in "ch")]
OUTSIDE = (
    # texts and patterns
    "lib/fraction.*", "lib/text_row.*", "stats/read/kstat_pattern.c", "stats/read/kstat_regex*",
    "stats/read/kstat_text.c", "stats/read/kstat_escape.h", "stats/read/pmu_event_name.c", "stats/read/devstat_match.c",
    "stats/read/systat.c", "stats/read/iostat*.c", "stats/read/gstat.c",
    "kernel/base/boot_word.c", "kernel/console/script.c", "kernel/base/symbol.c", "net/wire.c",
    # the host's side of the library, and what the port is made of
    "stats/host/*", "stats/port.h", "kernel/lock/spinlock.[ch]", "kernel/lock/lock_order.c",
    # decoders, models and examples of the plugin: they tell what an instruction is, others count it
    "tools/qpmu/decode_*", "tools/qpmu/insn.*", "tools/qpmu/x86_code.*", "tools/qpmu/example/*", "tools/qpmu/qemu/*",
    "tools/qpmu/include/*", "tools/qpmu/plugin/arguments.*", "tools/qpmu/plugin/page.*",
)  # fmt: skip

# Calls whose whole meaning is to record something.
RECORDS = re.compile(
    r"""evcnt_incr|evcnt_machine_incr|DEVSTAT_ADD|CPU_TIME|IO_STATS|trap_count|io_trace_record|histogram_add\w*
      |(interrupt_)?record(_\w+)?|devstat_(start|end_started|end_transaction|begin_change|add_operation|add_duration|leave)\w*
      |devstat_end
      |block_stats_(leave|start|run|end|abandon)|kstat_(waitq|runq)_\w+|kstat_timer_stop
      |(\w+_)?count_(oddity|missed|sent|dropped|received|error)\w*|net_interface_count\w*
      |lock_stats_(acquired|released|contended|held|waited)\w*
      |pmc_sample_(take|lose)\w*|(\w+_)?account|qpmu_counter_add|(\w+_)?add_counter""",
    re.X,
)
# Calls that store a time, or do nothing more when they are made again.
STAMPS = re.compile(
    r"DEVSTAT_SET|(\w+_)?set_(classic_)?times?|devstat_end_change|devstat_extend|kstat_queue_copy|kstat_timer_start"
)
# What moves but counts nothing: positions in texts, lists, rings and buffers, numbers given out, parsers' cursors, how
# full a table is and who waits for it.
POSITIONS = re.compile(
    r"""at|i|j|p|s|to|from|out|text|end|length|used|size|left|first|digits?|bits|width|next(_\w+)?|last_id|position
      |depth|word|words|line|name|offset|index|head|tail|buffer|address|order|skip|zeros|shift|negated|retry_\w+|glob
      |stack|sp|list_\w+|pointer|start|unit|number|kept_count|slots?|region_count|tag|level|ipl|l_pmc_claim|claims?
      |plans|preempt_off|rip|string|record|bucket_count|class_count|trap_count|choice_count|choices|piece_\w+|pieces|irq
      |column|decimals|transmit_next|receive_next|offered|seen|traced|secret|high|low|page|have|free_slots|at_\w+
      |wanted|ending|resting|transmit_done|own_next|mapped|selected|piece|digit|users|lists_used|called_used|chunk_used
      |chunk_count|edge_count|written|group|row|choice|more|names|buckets(_count)?|kstats|waiting|pending
      |serial|active|transmit_room""",
    re.X,
)
TIMES = re.compile(
    r"""\w*(_ns|_last|last_\w+|_time|lastupdate|_cycles|_stamp)|time_\w+|started|submitted|ended|cycles|since|crtime
      |snaptime|ks_crtime|ks_snaptime|extended|told""",
    re.X,
)
NOW = re.compile(r"\b(now|moment|(\w*_)?now(_ns)?\s*\(|cpu_stamp\s*\(|cpu_own_time\s*\(|stats_port_time_ns\s*\()")
ASSIGNS = ("=", "+=", "-=")
# Local variables that counts are summed in; the other local ones are positions.
SUMS = re.compile(
    r"sum|total|all|own|run|run_length|wait|others|count|visible|soft|watchdog|dropped|missed|served|rest"
)
# Where a sum or a difference is stored by a plain assignment, it is a count.
STORES = (
    "kernel/*/cpu_time.c", "kernel/*/interrupt*.c", "kernel/block/*", "kernel/*/pmu_set*", "kernel/*/pmc_*",
    "stats/pmc/*",
    "stats/kstat/kstat_queue*", "stats/devstat/devstat.c", "stats/devstat/devstat_record.h", "stats/evcnt/histogram.*",
)  # fmt: skip


def is_inside(path):
    within, without = (any(fnmatch.fnmatch(path, each) for each in patterns) for patterns in (INSIDE, OUTSIDE))
    return within and not without


@dataclasses.dataclass
class Place:
    """One mutant. do: "skip", "twice" or "flip"."""

    file: str
    line: int
    function: str
    do: str
    text: str
    number: int = 0

    @property
    def key(self):
        """What names it whatever is changed around it."""
        return f"{self.file}:{self.function}: {self.do}: {self.text}"


class File:
    """places: what was found in TEXT; text(): the file with all of them in it, numbered from FIRST on."""

    def __init__(self, path, text, first):
        self.path = path
        self.places = []
        self._first = first
        self._source = source.Source(text)
        self._edits = source.Edits(text)
        self._flipped = set()
        for name, body in self._source.functions:
            self._function = name
            self._walk(body, [])
        self._text = self._edits.apply()

    def text(self):
        return self._text

    # --- places ---

    def _add(self, do, first, last):
        source_of = self._source
        place = Place(self.path, source_of.line(first), self._function, do, source_of.words(first, last))
        place.number = self._first + len(self.places)
        self.places.append(place)
        return place.number

    def _edit(self, first, last, change):
        tokens = self._source.tokens
        self._edits.add(tokens[first].start, tokens[last].end, change)

    def _walk(self, node, around):
        """around: the conditions that decide whether NODE is reached, as pairs of tokens."""
        if node.kind == "block":
            for child in node.body:
                self._walk(child, around)
                if child.kind == "if" and not child.otherwise and child.body[0].leaves():
                    around = [*around, child.cond]
            return
        if node.kind in ("if", "loop"):
            inside = [*around, node.cond] if node.cond else around
            if node.cond and self._raises(*node.cond):
                self._flip_all(inside)
            for child in node.body:
                self._walk(child, inside)
            return
        if node.kind in ("simple", "leave"):
            self._statement(node, around)

    def _statement(self, node, around):
        first, last = node.first, node.last - 1
        if last < first:
            return
        does = self._what(first, last) if node.kind == "simple" else ()
        inner = False
        if does:
            self._flip_choices(first, last)
            self._mutate(first, node.last, does)
        else:
            inner = self._raises(first, last)
        if does or inner:
            self._flip_all(around)

    def _mutate(self, first, last, does):
        number = {do: self._add(do, first, last - 1) for do in does}

        def change(text):
            skip, twice = number.get("skip"), number.get("twice")
            again = f" if (MUTANT({twice})) {_flat(text)}" if twice is not None else ""
            return f"{{ if (!MUTANT({skip})) {text}{again} }}"

        self._edit(first, last, change)

    def _raises(self, first, last):
        """Makes places of the ++ and -- within an expression; whether there are any."""
        at, found = self._source.at, False
        for index in range(first, last + 1):
            if at(index) not in ("++", "--"):
                continue
            begin, end = self._operand(index, first, last)
            if begin is None or not self._is_count(begin, end):
                continue
            self._raise_within(index, begin, end)
            found = True
        return found

    def _raise_within(self, index, begin, end):
        behind, sign = index > end, self._source.at(index)[0]
        low, high = min(begin, index), max(end, index)
        skip, twice = self._add("skip", low, high), self._add("twice", low, high)
        tokens = self._source.tokens
        operand = self._source.text[tokens[begin].start : tokens[end].end]

        def change(text):
            doubled = f"({operand} {sign}= 2)"
            if behind:
                doubled = f"({doubled} {'-' if sign == '+' else '+'} 2)"
            return f"(MUTANT({skip}) ? {operand} : MUTANT({twice}) ? {doubled} : {text})"

        self._edit(low, high, change)

    def _operand(self, index, first, last):
        """The tokens that ++ or -- at INDEX is applied to."""
        at, tokens = self._source.at, self._source.tokens
        if index > first and (tokens[index - 1].kind == "name" or at(index - 1) in "])") and at(index - 1) != "return":
            begin = index - 1
            while True:
                if at(begin) in ("]", ")"):
                    begin = self._source.close(begin)
                    if begin > first and (tokens[begin - 1].kind == "name" or at(begin - 1) in ("]", ")")):
                        begin -= 1
                        continue
                if begin > first and at(begin - 1) in ("->", "."):
                    begin -= 2
                    continue
                return begin, index - 1
        end = index + 1
        if tokens[end].kind != "name":
            return None, None
        while end < last and at(end + 1) in ("->", ".", "["):
            end = self._source.close(end + 1) if at(end + 1) == "[" else end + 2
        return index + 1, end

    # --- conditions ---

    def _flip_all(self, conditions):
        for cond in conditions:
            self._flip(*cond)

    def _flip(self, first, last):
        """Each part of a condition that && and || join, by itself."""
        if (first, last) in self._flipped:
            return
        self._flipped.add((first, last))
        at = self._source.at
        if at(first) == "(" and self._source.close(first) == last:
            self._flip(first + 1, last - 1)
            return
        if at(first) == "__builtin_expect" and self._source.close(first + 1) == last:
            comma = next(i for i in self._top(first + 2, last - 1) if at(i) == ",")
            self._flip(first + 2, comma - 1)
            return
        joins = [i for i in self._top(first, last) if at(i) in ("&&", "||")]
        if joins:
            begins, ends = [first, *(i + 1 for i in joins)], [*(i - 1 for i in joins), last]
            for begin, end in zip(begins, ends):
                self._flip(begin, end)
            return
        number = self._add("flip", first, last)
        self._edit(first, last, lambda text: f"(MUTANT({number}) != !!({text}))")

    def _flip_choices(self, first, last):
        """The condition of each ?: within a statement."""
        at = self._source.at
        for index in range(first, last):
            if at(index) != "?":
                continue
            begin = index
            while begin > first and at(begin - 1) not in ("(", ",", "=", "+=", "-=", "?", ":", "[", "{"):
                begin = self._source.close(begin - 1) if at(begin - 1) in ")]" else begin - 1
            self._flip(begin, index - 1)

    def _top(self, first, last):
        """The tokens of a range that stand in none of its brackets."""
        index = first
        while index <= last:
            yield index
            index = self._source.close(index) + 1 if self._source.at(index) in ("(", "[", "{") else index + 1

    # --- what counts ---

    def _what(self, first, last):
        """What a mutant can do to an expression statement: (), ("skip",) or ("skip", "twice")."""
        at, tokens = self._source.at, self._source.tokens
        if tokens[first].kind == "name" and at(first + 1) == "(" and self._source.close(first + 1) == last:
            if RECORDS.fullmatch(at(first)):
                return ("skip", "twice")
            return ("skip",) if STAMPS.fullmatch(at(first)) else ()
        if at(first) in ("++", "--") or at(last) in ("++", "--"):
            sign = first if at(first) in ("++", "--") else last
            begin, end = self._operand(sign, first, last)
            whole = begin == min(first + (sign == first), last) and end == max(last - (sign == last), first)
            return ("skip", "twice") if whole and self._is_count(begin, end, local=True) else ()
        signs = [i for i in self._top(first, last) if at(i) in ASSIGNS]
        if not signs or self._declares(first, signs[0] - 1):
            return ()
        return self._assignment(first, signs[0], last)

    def _assignment(self, first, sign, last):
        if self._source.at(sign) != "=":
            return ("skip", "twice") if self._is_count(first, sign - 1, local=True) else ()
        value = self._source.words(sign + 1, last)
        if not self._is_lasting(first, sign - 1):
            return ()
        if TIMES.fullmatch(self._name(first, sign - 1)) or NOW.search(value):
            return ("skip",)
        stores = any(fnmatch.fnmatch(self.path, each) for each in STORES) and re.search(r"[\w)\]] [-+] ", value)
        return ("skip",) if stores and self._is_count(first, sign - 1) else ()

    def _declares(self, first, last):
        """Whether two names stand side by side, or a * between them: a declaration."""
        for index in range(first, last):
            here, behind = self._source.tokens[index], self._source.tokens[index + 1]
            if here.kind == "name" and (behind.kind == "name" or (behind.text == "*" and index + 2 <= last)):
                return True
        return False

    def _name(self, first, last):
        """The name of the field or variable that is assigned: the last one outside brackets."""
        names = [i for i in self._top(first, last) if self._source.tokens[i].kind == "name"]
        if not names:  # (*from)
            names = [i for i in range(first, last + 1) if self._source.tokens[i].kind == "name"]
        return self._source.at(names[-1]) if names else ""

    def _is_lasting(self, first, last):
        """A part of something, or what a pointer points to: not a local variable."""
        return any(self._source.at(i) in ("->", ".", "[", "*") for i in range(first, last + 1))

    def _is_count(self, first, last, local=False):
        name = self._name(first, last)
        if POSITIONS.fullmatch(name):
            return False
        return self._is_lasting(first, last) or (local and self._is_kept(name))

    def _is_kept(self, name):
        """A variable of the file itself, or a local one that is a sum."""
        return bool(SUMS.fullmatch(name)) or re.search(rf"(?m)^static [^()]*\b{name}\b", self._source.text) is not None


def _flat(text):
    """On one line, so that no line moves."""
    return re.sub(r"\s+", " ", re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S))
