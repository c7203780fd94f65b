#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write the tables of measurements in README.md, smcr-performance.rst and
smcr-interop.rst, and the chart of README, from the raw samples in samples/.

documents.py [TOP]           write them
documents.py --check [TOP]   print a line for each that the samples do not give;
                             the status is 1 if there are any

samples/PART.txt is what "make bench PART=... KEEP=1" stores. A table stands
between two comments of its document, "samples: NAME" and "end: NAME". Nobody
writes one by hand: a new table begins as these two comments, and is written
once its part is stored.
"""
import functools
import os
import re
import statistics
import sys
import textwrap

import bench
import chart

DOCS = "Documentation/networking"
README, PERFORMANCE, INTEROP = ("README.md", f"{DOCS}/smcr-performance.rst",
                                f"{DOCS}/smcr-interop.rst")
CHART = f"{DOCS}/smcr-speed.svg"
SAMPLES = bench.KEPT

TRIPS = {"rr64": "64 B round trip", "rr4k": "4 KB round trip"}
STREAMS = {"stream64k-w64k": "64 KB writes, 64 KB window",
           "stream64k": "64 KB writes, 128 KB window",
           "stream64k-w256k": "64 KB writes, 256 KB window",
           "stream1m": "1 MB writes, 512 KB window"}
CONNECTS = {"connect1": "one at a time", "connect16": "16 at a time"}
# Groups of rows: what they have in common, what is better, rows
RATES = (("Time in us", "less is better", TRIPS),
         ("MB per second", "more is better", STREAMS),
         ("Connections per second", "more is better", CONNECTS))
# The same rows without the headings of their groups
ROWS = ({w: f"{t}, time" for w, t in TRIPS.items()} | STREAMS
        | {w: f"connections, {t}" for w, t in CONNECTS.items()})
WORKS = {"rr64": TRIPS["rr64"], "rr4k": TRIPS["rr4k"],
         "stream64k": "64 KB of a stream", "stream1m": "1 MB of a stream",
         "connect1": "connect, byte each way, close"}
SMALL, WINDOWS = ({w: text for w, (text, *_) in bench.WRITES.items()
                   if w.startswith(kind)} for kind in ("write", "ring"))
BESIDE = {"bulk4": "4 streams", "bulk8": "8 streams",
          "bulk4-w128k": "4, 128 KB"}
UNUSED_WORKS = {"rr64": "64 B\nround trip", "stream64k": "64 KB of\na stream",
                "connect1": "connect,\nbyte, close"}
NAMES = {"floor": "floor", "smcr": "smcr", "linux": "Linux", "tcp": "TCP"}
# A client of the one and a server of the other
PAIRS = {"smcr": "\nsmcr\nsmcr", "smcr-linux": "\nsmcr\nLinux",
         "linux-smcr": "\nLinux\nsmcr", "linux": "\nLinux\nLinux"}
FIELDS = {"commit": "[0-9a-f]{12}", "net/smcr": "[0-9a-f]{40}",
          "date": r"\d{4}-\d\d-\d\d .+", "machine": ".+", "guest": ".+"}


class Missing(Exception):
    """The samples do not have what a table needs."""


def short(value):
    """Text of a value, with three digits at least."""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def ratio_text(value):
    """Text of a ratio."""
    return f"{value:.2f}"


def quartiles(values):
    """The median, and the quartiles on both sides of it."""
    if len(values) == 1:
        return values * 3
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return middle, low, high


def beside(values, form, between="\n"):
    """The median, and the quartiles in brackets."""
    middle, low, high = map(form, quartiles(values))
    return f"{middle}{between}({low}-{high})"


class Part:
    """The samples of a part."""

    def __init__(self, name, lines):
        self.name = name
        self.samples = bench.Samples()
        self.samples.read(lines)
        self.instructions = bench.instructions(self.samples)

    def need(self, value, what):
        """The value, if there is one."""
        if not value:
            raise Missing(f"{SAMPLES}/{self.name}.txt: no sample of {what}")
        return value

    def rates(self, work, system):
        """The result of each round, in the unit of the work."""
        column = self.need(self.samples.column(work, system, "ns"),
                           f"{work}, {system}")
        return [bench.in_unit(work, ns) for ns in column.values()]

    def gains(self, work, system, other):
        """The ratios of each round."""
        return self.need(bench.gains(self.samples, work, other, system),
                         f"{work}, {system} and {other} in one round")

    def rounds(self, work):
        """The rounds of each boot that have samples of smcr."""
        found = {}
        for number in sorted(self.samples.get(work, "smcr")):
            found.setdefault(number // bench.BOOT, []).append(number)
        return list(self.need(found, f"{work}, smcr").values())

    def gains_of_boots(self, work, other):
        """The median ratio of each boot."""
        ours, theirs = (self.samples.column(work, s, "ns")
                        for s in ("smcr", other))
        power = -1 if bench.is_rate(work) else 1
        for boot in self.rounds(work):
            yield statistics.median([(ours[r] / theirs[r]) ** power
                                     for r in boot if r in theirs])

    def work(self, work, system):
        """Instructions of each round."""
        return self.need(self.instructions.get(work, {}).get(system),
                         f"icount:{work}, {system}")

    def measured(self, work):
        """How often, when and at which commit it was measured."""
        boots = self.rounds(work)
        count = sum(map(len, boots))
        found = [", ".join(dict.fromkeys(form(b) for b in self.samples.boots))
                 for form in (lambda b: b["date"].split()[0],
                              lambda b: b["commit"])]
        failed = len(self.samples.failed)
        return (f"{count} rounds " + ("of one boot" if len(boots) == 1 else
                                      f"of {len(boots)} boots")
                + f" ({found[0]}, commit {found[1]}"
                + (f"; {failed} runs failed)" if failed else ")"))


def filled(text):
    """A paragraph."""
    return textwrap.fill(text, 80, break_on_hyphens=False,
                         break_long_words=False)


def simple(head, rows):
    """A simple table of reStructuredText. A cell may have several lines, which
    must begin in one column; other cells are aligned at their right ends."""
    split = [[cell.split("\n") for cell in row] for row in (head, *rows)]
    wide = [max(len(line) for row in split for line in row[i])
            for i in range(len(head))]
    left = [i == 0 or any(len(row[i]) > 1 for row in split)
            for i in range(len(head))]
    rule = "  ".join("=" * w for w in wide)
    lines = [rule]
    for n, row in enumerate(split):
        for i in range(max(map(len, row))):
            cells = (cell[i] if i < len(cell) else "" for cell in row)
            lines.append("  ".join(
                c.ljust(w) if begin else c.rjust(w)
                for c, w, begin in zip(cells, wide, left)).rstrip())
        if n == 0:
            lines.append(rule)
    return "\n".join((*lines, rule))


def rate_tables(part, systems, head=""):
    """Yield a table for each group of rows. The floor makes no connections."""
    for title, _, works in RATES:
        own = {s: text for s, text in systems.items()
               if s != "floor" or works is not CONNECTS}
        yield simple([title + head, *own.values()],
                     [[text] + [beside(part.rates(w, s), short) for s in own]
                      for w, text in works.items()])


def ratio_table(part, rows, pairs, head):
    """A table of ratios; the floor makes no connections."""
    return simple(head, [[text] + [
        "" if b == "floor" and w in CONNECTS else
        beside(part.gains(w, a, b), ratio_text) for a, b in pairs]
        for w, text in rows.items()])


def memory(part):
    """What an idle connection costs."""
    found = {s: part.need(bench.slope(part.samples, s), f"memory, {s}")
             for s in ("smcr", "tcp")}
    kb = {s: " and ".join(f"{sides[side] / 1024:.1f}"
                          for side in ("own", "peer"))
          for s, sides in found.items()}
    yield filled(
        "``make bench`` measures memory: an idle connection with buffers of "
        f"16 KB takes {kb['smcr']} KB of the client's and the server's memory,"
        f" a TCP connection {kb['tcp']} KB.")


def times(part):
    """Times, speeds and rates of four systems."""
    yield filled(
        f"Times are medians of {part.measured('rr64')}, on Debian's 6.12 "
        "kernel; below each, in brackets, are the quartiles: half of the rounds"
        " are between them.")
    yield from rate_tables(part, NAMES)
    yield "A connection here is connect(), one byte each way, and close()."


def each_boot(part, rows):
    """The ratios of each boot, if there are several."""
    boots = len(part.rounds(next(iter(rows))))
    if boots > 1:
        yield "The ratio of smcr to Linux in each boot alone:"
        yield simple(["smcr to Linux"] + [f"boot {n + 1}"
                                          for n in range(boots)],
                     [[text] + [ratio_text(g) for g in
                                part.gains_of_boots(work, "linux")]
                      for work, text in rows.items()])


def ratios(part):
    """smcr to the floor and to Linux."""
    yield filled(
        "The ratios, each the median of the ratios of each round. For a time, "
        "smcr is faster where the ratio is below 1; for a speed or a rate, "
        "where it is above 1:")
    yield ratio_table(part, ROWS, (("smcr", "floor"), ("smcr", "linux")),
                      ["Ratio", "smcr to floor", "smcr to Linux"])
    yield from each_boot(part, ROWS)


def between_boots(part):
    """How much the ratios of boots differ."""
    found = {text: list(part.gains_of_boots(work, "linux"))
             for work, text in ROWS.items()}
    text, each = max(found.items(), key=lambda f: max(f[1]) / min(f[1]))
    if len(each) == 1:
        yield filled(
            "The tables are of one boot. Do not compare the ratios with those "
            "of another boot, which may differ more than those of rounds do.")
    else:
        yield filled(
            "Do not compare the ratios of two boots: those of the tables' "
            f"{len(each)} boots differ by up to "
            f"{(max(each) / min(each) - 1) * 100:.0f} % ({text}: "
            + ", ".join(map(ratio_text, each)) + ").")


def instructions(part):
    """Instructions of four systems, and ratios."""
    rows = []
    for work, text in WORKS.items():
        found = {s: statistics.median(part.work(work, s)) for s in NAMES
                 if s != "floor" or work != "connect1"}
        rows.append([text] + [f"{found[s]:.0f}" if s in found else ""
                              for s in NAMES]
                    + [ratio_text(found["smcr"] / found[s])
                       if s in found else "" for s in ("floor", "linux")])
    yield simple(["Instructions", *NAMES.values(), "floor", "Linux"], rows)
    most = max(bench.spread(part.instructions[w]) for w in WORKS)
    yield filled(
        "The last two columns are the ratios of smcr to the floor and to "
        f"Linux. Rounds of smcr, of the floor and of Linux differ by {most:.1f}"
        " % at most.")


def packets(part):
    """Packets of Soft-RoCE at the client's host."""
    yield ("Packets of Soft-RoCE that the client's host sends for each of "
           "these:")
    rows = []
    for work, text in (TRIPS | STREAMS | {"connect1": "connection"}).items():
        found = [part.need(bench.per_message(part.samples, work, "packets", s),
                           f"packets of {work}, {s}")
                 for s in ("smcr", "linux")]
        rows.append([text] + [f"{n:.1f}" for n in found])
    yield simple(["Packets", "smcr", "Linux"], rows)


def writes(part, works, systems):
    """A table of streams: speeds, and smcr to Linux."""
    rows = [[text] + [beside(part.rates(w, s), short) for s in systems]
            + [beside(part.gains(w, "smcr", "linux"), ratio_text)]
            for w, text in works.items()]
    return simple(["MB per second", *(NAMES[s] for s in systems),
                   "smcr to Linux"], rows)


def small(part):
    """Streams of small writes."""
    yield filled(
        "Streams of small writes with the windows that sockets have by "
        "default, and without TCP_NODELAY except where it is named: medians of "
        f"{part.measured('write64')}, and in brackets the quartiles.")
    yield writes(part, SMALL, ("smcr", "linux", "tcp"))


def windows(part):
    """Streams through windows of several sizes."""
    yield filled(
        "Streams of writes of 64 KB, with windows of the same size at both "
        "ends, and with those that sockets have by default: medians of "
        f"{part.measured('ring64k')}, and in brackets the quartiles.")
    yield writes(part, WINDOWS, ("smcr", "linux", "tcp"))
    yield from each_boot(part, WINDOWS)


def percentile(part, work, system):
    """The 99th percentile of the times of a run's round trips, in ms."""
    column = part.need(part.samples.column(work, system, "p99"),
                       f"{work}, {system}")
    return beside([us / 1000 for us in column.values()], short)


def neighbours(part):
    """Round trips beside streams, and beside each other."""
    systems = ("smcr", "linux", "tcp")
    yield filled(
        "The time in ms in which 99 % of the round trips of 64 bytes end: "
        "those of one connection, while 4 or 8 others of the same program to "
        "the same server carry writes of 64 KB (once through windows of 128 "
        "KB), and those of several connections at once. They are medians of "
        f"{part.measured('bulk4')}, with the quartiles in brackets. The last "
        "column is what the streams carry, or how many round trips all "
        "connections do, beside Linux.")
    for title, works, rate in (
            ("Beside", BESIDE, "streams"),
            ("Connections", {w: t for w, (t, _) in bench.CROWD.items()},
             "round trips")):
        rows = [[text] + [percentile(part, w, s) for s in systems]
                + [beside(part.need(part.samples.ratios(
                    w, "smcr", "linux", name), f"{w}, smcr and linux"),
                    ratio_text) for name in ("p99", "rate")]
                for w, text in works.items()]
        yield simple([title, *(NAMES[s] for s in systems), "smcr\nto Linux",
                      rate], rows)


def unused(part):
    """What a connection costs that RDMA does not carry."""
    works = [(text, [f"unused-{case}-{w}" for w in UNUSED_WORKS])
             for case, text in bench.UNUSED.items()]
    head = ["smcr to TCP", *UNUSED_WORKS.values()]
    kinds = {w: s for w, s in part.samples.values if s != "tcp"}
    yield filled(
        "What a connection of smcr costs that is plain TCP, for several "
        "reasons, beside one of a TCP socket. Instructions of both ends "
        "together:")
    rows = []
    for text, names in works:
        rows.append([text])
        for name in names:
            found = part.instructions.get(name, {})
            ours, theirs = (statistics.median(part.work(name, s)) for s in
                            (next((s for s in found if s != "tcp"), "smcr"),
                             "tcp"))
            rows[-1].append(f"{ours / theirs:.3f}")
    yield simple(head, rows)
    yield filled(
        "Times between two hosts, medians of "
        f"{part.measured('unused-listed-rr64')}, and in brackets the "
        "quartiles:")
    yield simple(head, [[text] + [
        beside(part.need(part.samples.ratios(n, kinds.get(n), "tcp"), n),
               ratio_text) for n in names] for text, names in works])
    kb = [" and ".join(f"{found[side] / 1024:.1f}" for side in ("own", "peer"))
          for found in (part.need(bench.slope(part.samples, s,
                                              "unused-memory"), f"memory, {s}")
                        for s in ("smcr", "tcp"))]
    yield filled(
        f"An idle connection to a listed destination takes {kb[0]} KB of the "
        f"client's and the server's memory, one of a TCP socket {kb[1]} KB.")


def failover(part):
    """Time without a byte when a link fails."""
    found = {f: list(part.need(part.samples.get(f"failover:{f}", "smcr"),
                               f"failover:{f}").values())
             for f in bench.FAULTS}
    count = len(found["none"])
    failed = len(part.samples.failed)
    boot = part.samples.boots[0]
    yield (f"{count} rounds ({boot['date'].split()[0]}, commit "
           + boot["commit"] + (f"; {failed} runs failed):" if failed
                               else "):"))
    rows = []
    for fault, rounds in found.items():
        ms = [g["us"] / 1000 for g in rounds]
        worst = max(g["us"] / g["retry_us"] for g in rounds)
        rows.append(["no fault" if fault == "none" else bench.FAULTS[fault],
                     *(f"{v:.0f} ms" for v in
                       (min(ms), statistics.median(ms), max(ms))),
                     ratio_text(worst)])
    yield simple(["Time without a byte", "best", "median", "worst",
                  "worst : retry"], rows)
    traced = part.need([g for g in found["silent"] if "noticed_us" in g],
                       "failover:silent with a trace")
    late, moved = ([f"{f(v):.0f}" for f in (statistics.median, min, max)]
                   for v in ([(g["noticed_us"] - g["retry_us"]) / 1000
                              for g in traced],
                             [g["moved_us"] / 1000 for g in traced]))
    yield filled(
        "A trace of the sender's kernel shows how much a silent path takes "
        "beyond the retry time, without the pace of the stream: the link "
        f"failed {late[0]} ms (median, {late[1]} to {late[2]} ms) later than "
        "the retry time after its last completion, and the first message over "
        f"the other link followed {moved[0]} ms ({moved[1]} to {moved[2]} ms) "
        "after that.")


def linux(part):
    """smcr and Linux with each other."""
    yield filled(
        "``make bench PART=main`` measures smcr and Linux with each other "
        "beside smcr with smcr and Linux with Linux, in the rounds of which "
        "smcr-performance.rst has the other results: medians of "
        f"{part.measured('rr64')}, and in brackets the quartiles.")
    yield from rate_tables(part, PAIRS, "\nclient\nserver")
    yield filled(
        "The ratios to Linux with Linux. For a time, smcr is faster where the "
        "ratio is below 1; for a speed or a rate, where it is above 1:")
    pairs = {s: text for s, text in PAIRS.items() if s != "linux"}
    yield ratio_table(part, ROWS, [(s, "linux") for s in pairs],
                      ["Ratio\nclient\nserver", *pairs.values()])


def readme_rows(part):
    """Yield the rows of README's table."""
    for group, _, works in RATES:
        unit = {"Time in us": ", us", "MB per second": ", MB/s"}.get(group, "")
        for work, text in works.items():
            if works is CONNECTS:
                text = f"connections per second, {text}"
            yield [text + unit] + [
                beside(part.rates(work, s), short, " ")
                for s in ("tcp", "linux", "smcr")] + [
                beside(part.gains(work, "smcr", "linux"), ratio_text, " ")]
    for work in ("rr64", "connect1"):
        found = [statistics.median(part.work(work, s))
                 for s in ("tcp", "linux", "smcr")]
        yield [f"instructions, {WORKS[work]}"] + [
            f"{n:,.0f}" for n in found] + [ratio_text(found[2] / found[1])]


def readme(part):
    """README's chart and table."""
    yield ("![Round trips, streams and connections of TCP, Linux and smcr:\n"
           f"the values of the table below]({CHART})")
    rows = [["", "TCP", "net/smc", "smcr", "smcr : net/smc"], ["---"] * 5,
            *readme_rows(part)]
    yield "\n".join("| " + " | ".join(row) + " |" for row in rows)
    yield filled(
        f"Medians of {part.measured('rr64')}; in brackets the quartiles: half "
        "of the rounds are between them. A ratio is the median of the ratios of"
        " each round. For a time, smcr is faster where it is below 1; for a "
        "speed or a rate, where it is above 1; between 0.9 and 1.1 it shows no "
        "difference. Instructions are those of both ends together.")


def speed_chart(part):
    """The chart of README's table."""
    systems = {"TCP": "tcp", "Linux": "linux", "smcr": "smcr"}
    found = [(title, note, [
        (text, {name: (*quartiles(part.rates(work, s)),
                       beside(part.rates(work, s), short, " "))
                for name, s in systems.items()})
        for work, text in works.items()]) for title, note, works in RATES]
    return chart.svg(
        "smcr beside Linux's net/smc and TCP",
        "Emulated hosts with Soft-RoCE, which loses to TCP whoever uses it: "
        "compare smcr with Linux. Lines are quartiles.", found)


# Document, name of the table, part, paragraphs and tables
TABLES = (
    (README, "rates", "main", readme),
    (PERFORMANCE, "memory", "main", memory),
    (PERFORMANCE, "times", "main", times),
    (PERFORMANCE, "ratios", "main", ratios),
    (PERFORMANCE, "instructions", "main", instructions),
    (PERFORMANCE, "packets", "main", packets),
    (PERFORMANCE, "small", "small", small),
    (PERFORMANCE, "windows", "windows", windows),
    (PERFORMANCE, "neighbours", "neighbours", neighbours),
    (PERFORMANCE, "unused", "unused", unused),
    (PERFORMANCE, "boots", "main", between_boots),
    (PERFORMANCE, "failover", "failover", failover),
    (INTEROP, "linux", "main", linux),
)
BLOCK = re.compile(r"^(\.\. |<!-- )samples: (\w+)( -->)?\n.*?"
                   r"^\1end: \2(?: -->)?\n", re.M | re.S)


class Tree:
    """A tree with samples and documents."""

    def __init__(self, top):
        self.top = top
        self.faults = []

    def path(self, name):
        """Where a file of the tree is."""
        return os.path.join(self.top, name)

    def text(self, name):
        """Contents of a file, or "" if the file does not exist."""
        try:
            with open(self.path(name), encoding="utf-8") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    @functools.cached_property
    def parts(self):
        """The parts that have samples."""
        found = {}
        names = os.listdir(self.path(SAMPLES)) if os.path.isdir(
            self.path(SAMPLES)) else []
        for name in sorted(names):
            part = name.removesuffix(".txt")
            if part == name or part not in bench.PARTS:
                self.faults.append(f"{SAMPLES}/{name}: no part of the bench")
                continue
            found[part] = Part(part, self.text(
                f"{SAMPLES}/{name}").splitlines())
        return {n: p for n, p in found.items() if self.whole(p)}

    def whole(self, part):
        """Does each boot of a part say what was measured?"""
        boots, before = part.samples.boots, len(self.faults)
        name = f"{SAMPLES}/{part.name}.txt"
        if not boots:
            self.faults.append(f"{name}: no header")
        for boot in boots:
            if f" PART={part.name} " not in boot["boot"] + " ":
                self.faults.append(f"{name}: of another part: {boot['boot']}")
            self.faults += [f"{name}: no commit of a clean tree"
                            if field == "commit" else f"{name}: no {field}"
                            for field, form in FIELDS.items()
                            if not re.fullmatch(form, boot.get(field, ""))]
        if len({b.get("net/smcr") for b in boots}) > 1:
            self.faults.append(f"{name}: boots of different code")
        return len(self.faults) == before

    def wanted(self, document):
        """A document with the tables that the samples give."""
        tables = {t[1]: t for t in TABLES if t[0] == document}
        seen = []

        def block(found):
            begin, name, end = found.groups(default="")
            seen.append(name)
            if name not in tables:
                self.faults.append(f"{document}: no table {name}")
                return found.group()
            part, make = tables[name][2:]
            if part not in self.parts:
                self.faults.append(
                    f"{document}, table {name}: no {SAMPLES}/{part}.txt")
                return found.group()
            try:
                new = "\n\n".join(make(self.parts[part]))
            except Missing as missing:
                self.faults.append(f"{document}, table {name}: {missing}")
                return found.group()
            return (f"{begin}samples: {name}{end}\n\n{new}\n\n"
                    f"{begin}end: {name}{end}\n")

        text = BLOCK.sub(block, self.text(document))
        self.faults += [f"{document}: {seen.count(t)} tables {t}"
                        for t in tables if seen.count(t) != 1]
        return text

    def wanted_chart(self):
        """The chart, or "" without samples."""
        if "main" not in self.parts:
            return ""
        try:
            return speed_chart(self.parts["main"])
        except Missing as missing:
            self.faults.append(f"{CHART}: {missing}")
            return self.text(CHART)

    def files(self):
        """Yield each file that has measurements, and its contents."""
        for document in dict.fromkeys(t[0] for t in TABLES):
            yield document, self.wanted(document)
        yield CHART, self.wanted_chart()


def write(tree):
    """Write the documents and the chart."""
    for name, text in list(tree.files()):
        if text == tree.text(name):
            continue
        if text:
            with open(tree.path(name), "w", encoding="utf-8") as f:
                f.write(text)
        else:
            os.remove(tree.path(name))
        print(f"{name} is written")


def check(tree):
    """Find the files that are not as write() would write them."""
    for name, text in tree.files():
        tree.faults += [f"{name}:{n}: not what the samples give; run "
                        "bench/documents.py"
                        for n in differences(tree.text(name), text)]


def differences(old, new):
    """Yield the number of the first line that differs, or nothing."""
    if old != new:
        pairs = zip(old.splitlines(), new.splitlines())
        same = (n for n, (a, b) in enumerate(pairs, 1) if a != b)
        yield next(same, min(old.count("\n"), new.count("\n")) + 1)


def main(arguments):
    """Write or check the tree that this script is in, or another one."""
    only_check = "--check" in arguments
    tops = [a for a in arguments if a != "--check"]
    tree = Tree(tops[0] if tops else bench.TOP)
    (check if only_check else write)(tree)
    for line in sorted(set(tree.faults)):
        print(line)
    return 1 if tree.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
