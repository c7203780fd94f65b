#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""make bench: measure smcr beside the floor of its device, Linux's own SMC-R,
TCP and perftest. Runs pair.sh, icount.sh, unused.sh and failover.sh in the test
bed and writes tables, a JSON file, a plot and the raw samples to ../out/bench.
There are no thresholds: a missed aim is reported and is no failure. With --keep
the samples of each part are stored in samples/, for documents.py."""
import argparse
import bisect
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BED = os.path.join(HERE, "../vm/bed.py")
OUT = os.path.join(HERE, "../out/bench")
TOP = os.path.abspath(os.path.join(HERE, "../../../../.."))
SAMPLES = os.path.join(HERE, "samples")
# The same as git knows it
KEPT = os.path.relpath(SAMPLES, TOP)
# What is measured, in order; "all" leaves linux out, since main has its rows
PARTS = ("main", "linux", "small", "windows", "neighbours", "unused",
         "failover")
# A part may have been measured in several boots of the same code. The rounds of
# its boot n begin at (n - 1) * BOOT.
BOOT = 1000

TITLES = {
    "rr64": "64 B round trip", "rr4k": "4 KB round trip",
    "stream64k-w64k": "64 KB stream, 64 KB window",
    "stream64k": "64 KB stream, 128 KB window",
    "stream64k-w256k": "64 KB stream, 256 KB window",
    "stream1m": "1 MB stream, 512 KB window",
    "connect1": "connect + byte + close, 1 at a time",
    "connect16": "connect + byte + close, 16 at a time",
}
# Streams of writes of pair.sh, in its parts "small" and "windows": title, size,
# number of writes of the measured run, and of the warm-up before it
WRITES = {}
for _size, _count in ((64, 160000), (512, 48000), (1024, 24000), (4096, 8000),
                      (16384, 2000)):
    for _mode, _text in (("", ", TCP_NODELAY"), ("-nagle", "")):
        WRITES[f"write{_size}{_mode}"] = (f"{_size} B{_text}", _size, _count,
                                          _count // 10)
for _name, _text in (("64k", "64 KB"), ("128k", "128 KB"), ("256k", "256 KB"),
                     ("512k", "512 KB"), ("-default", "default")):
    WRITES[f"ring{_name}"] = (f"64 KB, {_text} windows", 65536, 400, 40)
# Round trips of pair.sh, in its part "neighbours": title, number of round trips
BESIDE = {"bulk4": ("4 streams, default windows", 600),
          "bulk8": ("8 streams, default windows", 600),
          "bulk4-w128k": ("4 streams, 128 KB windows", 600)}
CROWD = {f"crowd{_n}": (f"{_n}", 1536) for _n in (1, 16, 64, 256)}
# Cases and works of unused.sh: why RDMA carries nothing; title of the work, and
# how many instructions of TCP it may cost at most
UNUSED = {"declined": "the server declines",
          "plain": "the server does not know smcr",
          "served": "the client does not know smcr",
          "listed": "the destination is listed",
          "local": "the destination is this host",
          "bare": "no RoCE adapter"}
UNUSED_WORKS = {"rr64": ("64 B round trip", 1.03),
                "stream64k": ("64 KB of a stream", 1.03),
                "connect1": ("connect + byte + close", 1.10)}
# Faults of failover.sh
FAULTS = {
    "none": "none, for comparison",
    "removed": "adapter of the sender removed",
    "qp_error": "queue pair of the sender in error",
    "port_down": "port of the sender down",
    "peer_port_down": "port of the receiver down",
    "silent": "path silent",
}
# Bounds of the histogram, as ratios to the retry time
BINS = (0.05, 0.25, 0.95, 1.05, 1.25, 2)
COUNT = {"rr64": 400, "rr4k": 400, "stream64k-w64k": 160, "stream64k": 160,
         "stream64k-w256k": 160, "stream1m": 12, "connect1": 96,
         "connect16": 160}
SIZE = {"stream64k-w64k": 65536, "stream64k": 65536,
        "stream64k-w256k": 65536, "stream1m": 1 << 20}
# Runs of pair.sh before the measured part, which its counters see too
WARM = {"rr64": 40, "rr4k": 40, "stream64k-w64k": 8, "stream64k": 8,
        "stream64k-w256k": 8, "stream1m": 2, "connect1": 8, "connect16": 16}
for _work, (_text, _size, _count, _warm) in WRITES.items():
    SIZE[_work], COUNT[_work], WARM[_work] = _size, _count, _warm


class Samples:
    """The samples that the scripts printed: values by work, system, round."""

    def __init__(self):
        self.values = {}
        self.failed = []
        self.boots = []

    def read(self, lines):
        """Store the lines that are samples or failures, and what a boot's
        header says."""
        begin = 0
        for line in lines:
            word = line.split()
            if word[:2] == ["#", "boot:"]:
                begin = BOOT * sum(b["boot"].split()[:3] == word[2:5]
                                   for b in self.boots)
                self.boots.append({})
            if word[:1] == ["#"] and self.boots:
                name, _, value = line[1:].strip().partition(": ")
                self.boots[-1][name] = value
            if word[:1] in (["failed"], ["failed:"]):
                self.failed.append(line.strip())
            if word[:1] != ["sample"]:
                continue
            pairs = (w.split("=", 1) for w in word[4:])
            found = {k: float(v) for k, v in pairs if v}
            # A run with AF_SMC that sent no RDMA packets fell back to TCP
            if ("linux" in word[2] and "ns" in found
                    and not found.get("packets")):
                self.failed.append(f"{word[3]}: {word[2]} fell back to TCP")
                continue
            if "unused-" in word[3] and found.get("RdmaWrites"):
                self.failed.append(f"{word[3]}: {word[2]} used RDMA")
                continue
            # A rate is bytes a microsecond of the streams beside, or round
            # trips a second
            if "bytes" in found:
                found["rate"] = found["bytes"] * 1000 / found["ns"]
            elif word[3] in CROWD:
                found["rate"] = CROWD[word[3]][1] * 1e9 / found["ns"]
            by_round = self.values.setdefault((word[3], word[2]), {})
            by_round[begin + int(word[1])] = found

    def get(self, work, system):
        """Values of one work by round."""
        return self.values.get((work, system), {})

    def column(self, work, system, name):
        """One value of each round."""
        return {r: v[name] for r, v in self.get(work, system).items()
                if name in v}

    def median(self, work, system, name="ns"):
        """Over the rounds, or None."""
        column = self.column(work, system, name)
        return statistics.median(column.values()) if column else None

    def ratios(self, work, system, other, name="ns"):
        """The ratio of each round, which the same disturbances affect."""
        a = self.column(work, system, name)
        b = self.column(work, other, name)
        return [a[r] / b[r] for r in a if r in b]

    def ratio(self, work, system, other, name="ns"):
        """Median of the ratios of each round."""
        both = self.ratios(work, system, other, name)
        return statistics.median(both) if both else None

    def best(self, work, system, other):
        """Ratio of the shortest times: the least disturbed rounds."""
        a = self.column(work, system, "ns").values()
        b = self.column(work, other, "ns").values()
        return min(a) / min(b) if a and b else None


def bed(*arguments):
    """Run the bed, print its lines as they come, and return them."""
    lines = []
    command = [sys.executable, "-B", BED, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            lines.append(line)
            if not line.startswith("sample"):
                print(line, end="", flush=True)
    if run.returncode:
        lines.append(f"failed: the bed ended with status {run.returncode}\n")
    return lines


def instructions(samples):
    """Instructions for each message: work -> system -> values of the rounds,
    each from the difference between a run and one of twice the length."""
    found = {}
    for name, system in samples.values:
        m = re.match(r"icount:([\w-]+):(\d+)$", name)
        if not m:
            continue
        work, n = m.group(1), int(m.group(2))
        twice = samples.column(f"icount:{work}:{2 * n}", system, "tsc")
        once = samples.column(name, system, "tsc")
        rounds = [(twice[r] - once[r]) / n for r in once if r in twice]
        if rounds:
            found.setdefault(work, {})[system] = rounds
    return found


def per_message(samples, work, name, system="smcr"):
    """A counter of the client's host, divided by the messages of a system."""
    value = samples.median(work, system, name) or 0
    return value / (COUNT[work] + WARM.get(work, 0))


def slope(samples, system, name="memory"):
    """Bytes of an idle connection on the client's and the server's host."""
    works = {w for w, s in samples.values
             if s == system and w.startswith(f"{name}:")}
    count = max((int(w.split(":")[1]) for w in works), default=0)
    if count <= 16:
        return None
    few = samples.get(f"{name}:16", system).get(0, {})
    many = samples.get(f"{name}:{count}", system).get(0, {})
    return {side: (many[side] - few[side]) / count
            for side in ("own", "peer") if side in few and side in many}


def is_rate(work):
    """Is the result of a work a speed or a rate, of which more is better?"""
    return work in SIZE or work.startswith("connect")


def in_unit(work, ns):
    """The time of a run as MB or connections a second, or as us."""
    if work in SIZE:
        return SIZE[work] * COUNT[work] / ns * 1000
    if work.startswith("connect"):
        return COUNT[work] / ns * 1e9
    return ns / COUNT[work] / 1000


def speed(samples, work, system):
    """A median in the unit of its work, as text."""
    ns = samples.median(work, system)
    if not ns:
        return "-"
    value = in_unit(work, ns)
    if work in SIZE:
        return f"{value:.1f} MB/s"
    return f"{value:.0f} " + ("/s" if work.startswith("connect") else "us")


def gains(samples, work, other, system="smcr"):
    """The ratio of each round of a system's time to another's, or for streams
    and connections of its speed."""
    ratios = samples.ratios(work, system, other)
    return [1 / r for r in ratios] if is_rate(work) else ratios


def gain(samples, work, other, best=False, system="smcr"):
    """Median of the ratios, or the ratio of the best rounds; None if one of the
    systems is missing."""
    if not best:
        ratios = gains(samples, work, other, system)
        return statistics.median(ratios) if ratios else None
    ratio = samples.best(work, system, other)
    return 1 / ratio if ratio and is_rate(work) else ratio


def number(value, digits=2):
    """Text of a value that may be missing."""
    return "-" if value is None else f"{value:.{digits}f}"


def table_times(samples):
    """Wall-clock medians and ratios."""
    yield ("| work | floor | smcr | Linux | TCP | smcr : floor "
           "| best rounds | smcr : Linux | best rounds | smcr : TCP "
           "| best rounds |")
    yield "|---" * 11 + "|"
    for work, title in TITLES.items():
        yield (f"| {title} | " + " | ".join(
            speed(samples, work, s) for s in ("floor", "smcr", "linux",
                                              "tcp"))
            + "".join(f" | {number(gain(samples, work, other, best))}"
                      for other in ("floor", "linux", "tcp")
                      for best in (False, True)) + " |")
    usec = samples.median("rr64", "perftest", "usec")
    rate = samples.median("stream64k", "perftest", "mib")
    yield ""
    yield ("perftest with events beside it: ib_send_lat -e, 64 B: round trip "
           f"{number(usec and 2 * usec, 0)} us (SENDs alone, half the "
           "packets); ib_send_bw -e, 64 KB: "
           f"{number(rate and rate * 1.048576, 1)} MB/s.")


def table_writes(samples):
    """Streams of writes: speeds and ratios."""
    works = [w for w in WRITES if samples.get(w, "smcr")]
    if not works:
        return
    yield ("| writes | floor | smcr | Linux | TCP | smcr : Linux | from, to "
           "| best rounds | smcr : TCP | smcr : floor |")
    yield "|---" * 10 + "|"
    for work in works:
        smcr, linux = (samples.column(work, s, "ns") for s in ("smcr", "linux"))
        each = [linux[r] / smcr[r] for r in smcr if r in linux]
        yield (f"| {WRITES[work][0]} | " + " | ".join(
            speed(samples, work, s) for s in ("floor", "smcr", "linux", "tcp"))
            + f" | {number(gain(samples, work, 'linux'))}"
            f" | {number(min(each, default=None))}, "
            f"{number(max(each, default=None))}"
            f" | {number(gain(samples, work, 'linux', True))}"
            f" | {number(gain(samples, work, 'tcp'))}"
            f" | {number(gain(samples, work, 'floor'))} |")


def cost(samples, work, system, host, name):
    """What a host does for a write, or None. A doorbell of Linux's SMC-R posts
    one request, and one of the floor ends with a message."""
    found = samples.get(f"cost:{host}:{work}", system).get(0, {})
    doorbells, written = (found.get(n) for n in ("doorbells", "written"))
    if system == "tcp" and name not in ("packets", "wakeups"):
        return None
    if system == "floor" and name == "messages":
        return doorbells
    if system == "floor" and name == "writes" and host == "client":
        run = samples.get(f"cost:{work}", system).get(0, {})
        posted = run.get("WorkRequests", 0) - run.get("Doorbells", 0)
        return posted / COUNT[work]
    if system == "linux" and name == "messages" and doorbells is not None:
        return doorbells - written
    if system in ("linux", "floor") and name == "writes":
        return written
    return found.get(name)


def table_costs(samples):
    """What each host does for a write."""
    names = ("messages", "writes", "packets", "doorbells", "completions",
             "wakeups")
    works = [w for w in WRITES if samples.get(f"cost:client:{w}", "smcr")]
    if not works:
        return
    yield "For each write, on the client's / the server's host:"
    yield ""
    yield "| writes | system | " + " | ".join(names) + " |"
    yield "|---" * (2 + len(names)) + "|"
    for work in works:
        for system in ("floor", "smcr", "linux", "tcp"):
            if not samples.get(f"cost:client:{work}", system):
                continue
            yield (f"| {WRITES[work][0]} | {system} | " + " | ".join(
                " / ".join(number(cost(samples, work, system, host, name), 4)
                           for host in ("client", "server"))
                for name in names) + " |")


def spread_text(ratios):
    """Median of ratios, and the least and the greatest."""
    if not ratios:
        return "-"
    return (f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to "
            f"{max(ratios):.2f})")


def table_neighbours(samples):
    """Round trips beside streams, and beside each other."""
    systems = ("smcr", "linux", "tcp")
    parts = ((BESIDE, "A 64 B round trip beside", "bulk, MB/s"),
             (CROWD, "Connections that do round trips", "round trips /s"))
    for works, title, rate in parts:
        if not any(samples.get(w, "smcr") for w in works):
            continue
        yield (f"| {title} | system | p50, ms | p99, ms | p99.9, ms | {rate} "
               "| smcr : this, p99 | smcr : this, rate |")
        yield "|---" * 8 + "|"
        for work, (text, _) in works.items():
            for system in systems:
                if not samples.get(work, system):
                    continue
                times = ((samples.median(work, system, p) or 0) / 1000
                         for p in ("p50", "p99", "p999"))
                rates = (["", ""] if system == "smcr" else
                         [spread_text(samples.ratios(work, "smcr", system, n))
                          for n in ("p99", "rate")])
                yield (f"| {text} | {system} | "
                       + " | ".join(f"{t:.2f}" for t in times)
                       + f" | {number(samples.median(work, system, 'rate'), 1)}"
                       f" | {rates[0]} | {rates[1]} |")
        yield ""


def table_linux(samples):
    """smcr with Linux's SMC-R at the other end, beside Linux to Linux."""
    pairs = ("smcr", "smcr-linux", "linux-smcr", "linux")
    if not samples.get("rr64", "smcr-linux"):
        return
    yield ("| client to server | smcr to smcr | smcr to Linux | Linux to smcr "
           "| Linux to Linux "
           + "".join(f"| {a} : Linux to Linux | best rounds " for a in
                     ("smcr to Linux", "Linux to smcr")) + "|")
    yield "|---" * 9 + "|"
    for work, title in TITLES.items():
        yield (f"| {title} | " + " | ".join(
            speed(samples, work, s) for s in pairs)
            + "".join(f" | {number(gain(samples, work, 'linux', best, s))}"
                      for s in pairs[1:3] for best in (False, True)) + " |")


def spread(systems):
    """How much the rounds of smcr and the floor differ, in per cent."""
    return max((max(v) / min(v) - 1) * 100 for s, v in systems.items()
               if s != "tcp")


def work_ratio(systems, other):
    """Instructions of smcr over those of another, or None."""
    if other not in systems or "smcr" not in systems:
        return None
    return (statistics.median(systems["smcr"])
            / statistics.median(systems[other]))


def table_instructions(found):
    """Instructions a message."""
    yield ("| instructions | floor | smcr | Linux | TCP | smcr : floor "
           "| smcr : Linux | rounds differ by |")
    yield "|---" * 8 + "|"
    for work, systems in found.items():
        if work.startswith("unused-"):
            continue
        title = TITLES.get(work) or WRITES[work][0]
        yield (f"| {title} | " + " | ".join(
            number(statistics.median(systems[s]) if s in systems else None, 0)
            for s in ("floor", "smcr", "linux", "tcp"))
            + f" | {number(work_ratio(systems, 'floor'), 3)}"
            f" | {number(work_ratio(systems, 'linux'), 3)}"
            f" | {spread(systems):.1f} % |")


def table_counts(samples):
    """Exact counts of the client's host."""
    names = {"Doorbells": "doorbells", "WorkRequests": "work requests",
             "SendCompletions": "send completions",
             "RecvCompletions": "receive completions",
             "RecvReposts": "calls of ib_post_recv()",
             "TxChunkAllocs": "chunks of send space allocated",
             "LlcSent": "LLC messages", "MrRegistrations": "registrations"}
    yield "| count, client's host | a 64 B round trip | a connection |"
    yield "|---|---|---|"
    for name, text in names.items():
        yield (f"| {text} | {per_message(samples, 'rr64', name):.3f}"
               f" | {per_message(samples, 'connect1', name):.3f} |")


def aims(samples, found):
    """The aims of the project: text, value, limit, whether at most."""
    memory = slope(samples, "smcr")
    return [
        ("instructions, 64 B round trip : floor",
         work_ratio(found.get("rr64", {}), "floor"), 1.15, True),
        ("instructions, 64 B round trip : Linux",
         work_ratio(found.get("rr64", {}), "linux"), 0.90, True),
        ("instructions, 64 KB stream : floor",
         work_ratio(found.get("stream64k", {}), "floor"), 1.15, True),
        ("time, 64 B round trip : floor", gain(samples, "rr64", "floor"),
         1.10, True),
        ("time, 64 B round trip : Linux", gain(samples, "rr64", "linux"),
         0.90, True),
        ("time, 4 KB round trip : floor", gain(samples, "rr4k", "floor"),
         1.10, True),
        ("speed, 64 KB stream : floor", gain(samples, "stream64k", "floor"),
         0.95, False),
        ("connections, 1 at a time : TCP", gain(samples, "connect1", "tcp"),
         0.4, False),
        ("KB an idle connection, 16 KB elements",
         max(memory.values()) / 1024 if memory else None, 24, True),
        ("doorbells a message", per_message(samples, "rr64", "Doorbells"),
         1.05, True),
        ("send completions a message",
         per_message(samples, "rr64", "SendCompletions"), 1 / 16, True),
        ("LLC messages a connection",
         per_message(samples, "connect1", "LlcSent"), 0.1, True),
    ]


def table_aims(samples, found):
    """Aims, and whether they are met."""
    yield "| aim | limit | measured | |"
    yield "|---|---|---|---|"
    for text, value, limit, most in aims(samples, found):
        verdict = "-"
        if value is not None:
            good = value <= limit if most else value >= limit
            verdict = "met" if good else "missed"
        yield (f"| {text} | {'<=' if most else '>='} {limit:.2f} "
               f"| {number(value, 3)} | {verdict} |")


def table_events(samples):
    """Events of both kernels in a round trip, counted by tracepoints."""
    systems = ("floor", "smcr", "linux")
    found = {(s, h): samples.get(f"events:{h}", s).get(0, {})
             for s in systems for h in ("client", "server")}
    yield "| events a 64 B round trip, client / server | floor | smcr | Linux |"
    yield "|---|---|---|---|"
    for name in found["smcr", "client"]:
        yield f"| {name.replace('_', ' ')} | " + " | ".join(
            " / ".join(number(found[s, h].get(name))
                       for h in ("client", "server")) for s in systems) + " |"


def table_memory(samples):
    """Memory of an idle connection."""
    for system in ("smcr", "tcp"):
        memory = slope(samples, system)
        if memory:
            yield (f"An idle {system} connection with 16 KB buffers costs "
                   f"{memory.get('own', 0) / 1024:.1f} KB on the client's "
                   f"and {memory.get('peer', 0) / 1024:.1f} KB on the "
                   "server's host.")


def table_unused(samples, found):
    """What a connection costs that smcr makes and RDMA does not carry."""
    works = {f"unused-{c}-{w}": (c, w) for c in UNUSED for w in UNUSED_WORKS}
    system = {w: s for w, s in samples.values if w in works and s != "tcp"}
    if not system and not any(w in found for w in works):
        return
    yield ("| RDMA is not used, as | work | instructions | TCP | ratio | aim "
           "| | time : TCP (rounds) |")
    yield "|---" * 8 + "|"
    for name, (case, work) in works.items():
        title, limit = UNUSED_WORKS[work]
        median = {("tcp" if s == "tcp" else "smcr"): statistics.median(v)
                  for s, v in found.get(name, {}).items()}
        ratio = (median["smcr"] / median["tcp"] if len(median) == 2 else None)
        verdict = ("-" if ratio is None else
                   "met" if ratio <= limit else "missed")
        times = samples.ratios(name, system.get(name), "tcp")
        yield (f"| {UNUSED[case]} | {title} "
               f"| {number(median.get('smcr'), 0)} "
               f"| {number(median.get('tcp'), 0)} | {number(ratio, 3)} "
               f"| <= {limit:.2f} | {verdict} | {spread_text(times)} |")
    memory = {s: slope(samples, s, "unused-memory") for s in ("smcr", "tcp")}
    if all(memory.values()):
        yield ""
        yield ("An idle connection that is listed costs "
               + " and ".join(f"{memory['smcr'][side] / 1024:.1f} KB on the "
                              f"{host}'s host ({memory['tcp'][side] / 1024:.1f}"
                              " KB over TCP)" for side, host in
                              (("own", "client"), ("peer", "server"))) + ".")


def table_failover(samples):
    """Time without a byte when a link fails, beside the retry time."""
    gaps = {f: samples.get(f"failover:{f}", "smcr") for f in FAULTS}
    gaps = {f: list(rounds.values()) for f, rounds in gaps.items() if rounds}
    if not gaps:
        return
    retry = next(iter(gaps.values()))[0]["retry_us"]
    edges = [f"to {b:g}" for b in BINS] + [f"over {BINS[-1]:g}"]
    yield (f"Time without a byte when a link fails. A queue pair retries for "
           f"{retry / 1000:.0f} ms; columns from \"{edges[0]}\" on count "
           "faults by the ratio of their time to that.")
    yield ""
    yield ("| fault | median | worst | median : retry | worst : retry | "
           + " | ".join(edges) + " |")
    yield "|---" * (5 + len(edges)) + "|"
    for fault, found in gaps.items():
        ratios = [g["us"] / g["retry_us"] for g in found]
        counts = [0] * len(edges)
        for ratio in ratios:
            counts[bisect.bisect_left(BINS, ratio)] += 1
        half, worst = statistics.median(ratios), max(ratios)
        yield (f"| {FAULTS[fault]} | {half * retry / 1000:.0f} ms "
               f"| {worst * retry / 1000:.0f} ms | {half:.2f} | {worst:.2f} | "
               + " | ".join(str(c or "") for c in counts) + " |")
    yield ""
    traced = [g for g in gaps.get("silent", ()) if "noticed_us" in g]
    for name, what in (("noticed_us", "A silent link fails {} after its last "
                        "completion"),
                       ("moved_us", "The first message over the other link "
                        "follows {} later")):
        times = [g[name] / 1000 for g in traced]
        if times:
            yield what.format(f"{statistics.median(times):.0f} ms (median, "
                              f"{min(times):.0f} to {max(times):.0f} ms)") + "."
    for host in ("client", "server"):
        for count in samples.get(f"failover-count:{host}", "smcr").values():
            yield (f"The {host}'s own count: " + ", ".join(
                f"{name} {value:.0f}" for name, value in count.items()) + ".")


def first(*command):
    """The first line that a command prints, or ""."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, check=False)
    return done.stdout.split("\n", maxsplit=1)[0]


def commit():
    """HEAD, with "-dirty" if what is measured or measures differs from it."""
    changed = first("git", "-C", TOP, "status", "--porcelain", "--", "include",
                    "net", "scripts", "tools", ":!" + KEPT)
    return (first("git", "-C", TOP, "rev-parse", "--short=12", "HEAD")
            + ("-dirty" if changed else ""))


def processor():
    """Name of the processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        found = re.search(r"^model name\s*: (.*)", f.read(), re.M)
    return found.group(1) if found else platform.machine()


def environment():
    """Where this was measured."""
    return {
        "commit": first("git", "-C", TOP, "describe", "--always", "--dirty"),
        "qemu": first("qemu-system-x86_64", "--version"),
        "host": platform.release(), "processors": os.cpu_count(),
        "load": os.getloadavg()[0],
    }


def write_plot(samples):
    """Time of each system over the floor's, by gnuplot."""
    data = os.path.join(OUT, "bench.dat")
    works = [w for w in TITLES if samples.ratio(w, "smcr", "floor")]
    with open(data, "w", encoding="utf-8") as f:
        for work in works:
            others = (samples.ratio(work, s, "floor") or 0
                      for s in ("smcr", "linux", "tcp"))
            f.write(f"{work} 1 " + " ".join(f"{r:.3f}" for r in others)
                    + "\n")
    script = f"""set terminal svg size 900,420 background "white"
set output "{OUT}/bench.svg"
set title "Time relative to the floor (median of each round's ratio)"
set style data histograms
set style fill solid 0.8 border -1
set yrange [0:*]
set grid ytics
set key top left
plot "{data}" using 2:xtic(1) title "floor", "" using 3 title "smcr", \\
"" using 4 title "Linux", "" using 5 title "TCP"
"""
    try:
        subprocess.run(["gnuplot"], input=script, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"# no plot: {error}")


def tables(samples, found):
    """The whole text."""
    parts = (table_times(samples), table_linux(samples),
             table_instructions(found), table_counts(samples), table_events(samples),
             table_memory(samples),
             table_aims(samples, found))
    if not samples.get("rr64", "floor"):
        parts = (table_linux(samples),
                 table_instructions(found) if not all(
                     w.startswith("unused-") for w in found) else ())
    parts += (table_writes(samples), table_costs(samples),
              table_neighbours(samples), table_unused(samples, found),
              table_failover(samples))
    return "\n\n".join("\n".join(p) for p in parts) + "\n"


def measure(part, opt):
    """Run the scripts of a part; return their lines."""
    if part == "failover":
        return bed("pair", "--nics", "2", "--rails", "--timeout", "1500",
                   "--name", "bench-failover", f"{HERE}/failover.server.sh",
                   f"{HERE}/failover.sh {opt.rounds}")
    if part == "unused":
        return bed("one", "--icount", "--timeout", "900", "--name",
                   "bench-icount-unused", f"{HERE}/unused.sh icount 3") + bed(
                   "pair", "--timeout", "2100", "--name",
                   "bench-pair-unused", f"{HERE}/unused.server.sh",
                   f"{HERE}/unused.sh pair {opt.rounds} {opt.connections}")
    lines = []
    if part not in ("linux", "neighbours"):
        lines += bed("one", "--icount", "--rocev1", "--timeout", "600",
                     "--name", f"bench-icount-{part}",
                     f"{HERE}/icount.sh 2 {part}")
    limit = "4200" if part == "neighbours" else "2100"
    return lines + bed("pair", "--rocev1", "--timeout", limit, "--name",
                       f"bench-pair-{part}", f"{HERE}/pair.server.sh",
                       f"{HERE}/pair.sh {opt.rounds} {opt.connections} {part}")


def header(part, opt):
    """Yield the lines before the samples of a boot: what is measured, with
    which code, where and when. The tree of net/smcr stays the same when the
    commit is moved to another place of the history."""
    yield (f"# boot: make bench PART={part} ROUNDS={opt.rounds} "
           f"CONNECTIONS={opt.connections}\n")
    yield f"# commit: {commit()}\n"
    yield f"# net/smcr: {first('git', '-C', TOP, 'rev-parse', 'HEAD:net/smcr')}\n"
    yield time.strftime("# date: %Y-%m-%d %H:%M UTC\n", time.gmtime())
    yield (f"# machine: {os.cpu_count()} processors ({processor()}), Linux "
           f"{platform.release()}, load {os.getloadavg()[0]:.2f}\n")
    kernel = first(os.path.join(TOP, "scripts/kernel"), "release")
    yield (f"# guest: Linux {os.path.basename(kernel).partition('-')[2]}, "
           f"{first('qemu-system-x86_64', '--version')}\n")


def keep(part, lines):
    """Store a boot's samples in samples/. They are added to those of other
    boots of the same code, and replace those of other code."""
    path = os.path.join(SAMPLES, f"{part}.txt")
    mode = "w"
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            code = [x for x in f if x.startswith("# net/smcr: ")]
        if code and set(code) <= set(lines):
            mode = "a"
    os.makedirs(SAMPLES, exist_ok=True)
    with open(path, mode, encoding="utf-8") as f:
        f.writelines(lines)


def measure_all(opt):
    """Measure the parts that are wanted, store the samples, and return them."""
    every = []
    for part in PARTS:
        if opt.part != part and (opt.part, part == "linux") != ("all", False):
            continue
        head = list(header(part, opt))
        lines = head + [x for x in measure(part, opt)
                        if x.startswith(("sample", "failed"))]
        if opt.keep:
            keep(part, lines)
        every += lines
        with open(os.path.join(OUT, "samples.txt"), "w",
                  encoding="utf-8") as f:
            f.writelines(every)
    return every


def main():
    """Run, or read samples of an earlier run again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--connections", type=int, default=4064)
    parser.add_argument("--part", default="all",
                        choices=(*PARTS, "all"))
    parser.add_argument("--read", metavar="FILE",
                        help="samples of an earlier run")
    parser.add_argument("--keep", action="store_true",
                        help="store the samples in samples/")
    opt = parser.parse_args()
    os.makedirs(OUT, exist_ok=True)
    if opt.read:
        with open(opt.read, encoding="utf-8") as f:
            lines = f.readlines()
    else:
        if opt.keep and not re.fullmatch("[0-9a-f]{12}", commit()):
            sys.exit("bench: samples are kept of a commit only, and this tree "
                     "has changes that are in none")
        lines = measure_all(opt)
    samples = Samples()
    samples.read(lines)
    found = instructions(samples)
    text = tables(samples, found)
    print(text)
    with open(os.path.join(OUT, "bench.md"), "w", encoding="utf-8") as f:
        f.write(text)
    with open(os.path.join(OUT, "bench.json"), "w", encoding="utf-8") as f:
        json.dump({
            "environment": environment(),
            "instructions": found,
            "memory": {s: slope(samples, s) for s in ("smcr", "tcp")},
            "aims": [{"aim": a, "value": v, "limit": x, "at_most": m}
                     for a, v, x, m in aims(samples, found)],
            "samples": [{"work": w, "system": s, "round": r, **v}
                        for (w, s), rounds in samples.values.items()
                        for r, v in rounds.items()],
        }, f, indent=1)
    if samples.get("rr64", "floor"):
        write_plot(samples)
    for line in samples.failed:
        print(f"# {line}")
    print(f"# table, JSON, plot and samples: {os.path.relpath(OUT)}/")
    return 1 if samples.failed or not samples.values else 0


if __name__ == "__main__":
    sys.exit(main())
