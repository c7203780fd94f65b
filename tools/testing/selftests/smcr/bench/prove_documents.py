#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests documents.py on a small tree with made-up samples: the tables and the
chart have the medians and quartiles of the samples, and the check finds each
kind of difference. Prints TAP."""
import contextlib
import io
import os
import re
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import bench
import documents

COUNT = 0
BAD = 0
# How much longer each round takes than the median one
FACTORS = (0.9, 1.1, 1.0, 1.05, 0.95)
# Microseconds of a round trip of each system; other works take multiples
USEC = {"floor": 1027, "smcr": 1100, "smcr-linux": 1111, "linux-smcr": 1122,
        "linux": 1000, "tcp": 500}
HEADER = ["# boot: make bench PART={part} ROUNDS=5 CONNECTIONS=4064",
          "# commit: 0123456789ab", "# net/smcr: " + "5" * 40,
          "# date: 2026-01-02 03:04 UTC", "# machine: 2 processors",
          "# guest: Linux 6.12"]
DOCUMENTS = (documents.README, documents.PERFORMANCE, documents.INTEROP)


def check(fact, holds):
    """Print one line of TAP."""
    global COUNT, BAD                   # pylint: disable=global-statement
    COUNT += 1
    BAD += not holds
    print(f"{'ok' if holds else 'not ok'} {COUNT} - {fact}")


def main_samples(slower=1):
    """Yield the samples of the part main. smcr is slower by a factor."""
    for number, factor in enumerate(FACTORS, 1):
        for work in bench.TITLES:
            for system, usec in USEC.items():
                if system == "floor" and work.startswith("connect"):
                    continue
                # Linux is slow when the others are fast
                ns = usec * bench.COUNT[work] * 1000 * (
                    2 - factor if system == "linux" else factor) * (
                    slower if system == "smcr" else 1)
                yield (f"sample {number} {system} {work} ns={ns:.0f} "
                       f"packets={ns // 1000000 + 1:.0f}")
    for number in (1, 2):
        for work in documents.WORKS:
            for system in ("floor", "smcr", "linux", "tcp"):
                for n in (100, 200):
                    yield (f"sample {number} {system} icount:{work}:{n} "
                           f"tsc={5000 + n * (USEC[system] * 100 + number)} "
                           "ns=1 packets=1")
    for system, kb in (("smcr", 24), ("tcp", 4)):
        for more, count in ((16, 16), (4064, 4080)):
            yield (f"sample 0 {system} memory:{more} "
                   f"own={count * kb * 1024} peer={count * (kb - 1) * 1024}")


def write_samples(works, systems):
    """Yield the samples of streams."""
    for number, factor in enumerate(FACTORS, 1):
        for work in works:
            for system in systems:
                yield (f"sample {number} {system} {work} packets=9 "
                       f"ns={1e9 * factor * USEC[system]:.0f}")


def neighbours_samples():
    """Yield the samples of the part neighbours."""
    for number, factor in enumerate(FACTORS, 1):
        for work in bench.BESIDE | bench.CROWD:
            for system in ("smcr", "linux", "tcp"):
                usec = factor * USEC[system]
                yield (f"sample {number} {system} {work} packets=9 p50=1 "
                       f"p99={usec:.0f} p999=2 ns={usec * 1e6:.0f}"
                       + " bytes=1000000" * (work in bench.BESIDE))


def unused_samples():
    """Yield the samples of the part unused."""
    for number, factor in enumerate(FACTORS, 1):
        for case in bench.UNUSED:
            ours = "smcr" if case == "listed" else "smcr-tcp"
            for work in bench.UNUSED_WORKS:
                name = f"unused-{case}-{work}"
                for system, usec in ((ours, 510), ("tcp", 500)):
                    yield (f"sample {number} {system} {name} packets=0 "
                           f"ns={factor * usec * 1000:.0f}")
                    for n in (100, 200):
                        yield (f"sample {number} {system} icount:{name}:{n} "
                               f"tsc={5000 + n * usec} ns=1")
    for system, kb in (("smcr", 6), ("tcp", 4)):
        for more, count in ((16, 16), (4064, 4080)):
            yield (f"sample 0 {system} unused-memory:{more} "
                   f"own={count * kb * 1024} peer={count * (kb - 1) * 1024}")


def failover_samples():
    """Yield the samples of the part failover."""
    for number, factor in enumerate(FACTORS, 1):
        for fault in bench.FAULTS:
            yield (f"sample {number} smcr failover:{fault} "
                   f"us={factor * 20000:.0f} retry_us=1000000 "
                   + (f"noticed_us={1000000 + factor * 20000:.0f} "
                      "moved_us=1000" if fault == "silent" else ""))


class Sample(documents.Tree):
    """A tree in a directory, with documents whose tables are empty."""

    def __init__(self, top):
        super().__init__(top)
        for name in DOCUMENTS:
            self.store(name, "Text before\n\n" + "\n".join(
                self.empty_table(name, t[1]) for t in documents.TABLES
                if t[0] == name) + "\nText behind\n")

    @staticmethod
    def empty_table(document, name):
        """The comments between which a table belongs."""
        begin, end = ("<!-- ", " -->") if document.endswith(".md") else (
            ".. ", "")
        return f"{begin}samples: {name}{end}\n\n{begin}end: {name}{end}\n"

    def store(self, name, text):
        """Write a file."""
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def store_part(self, part, *boots, header=HEADER):
        """Write the samples of a part."""
        self.store(f"{documents.SAMPLES}/{part}.txt", "\n".join(
            line.format(part=part) for boot in boots
            for line in (*header, *boot)) + "\n")

    def run(self, *arguments):
        """Run documents.py on this tree; return its status and its output."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = documents.main([*arguments, self.top])
        return status, out.getvalue()

    def finds(self, words):
        """Does the check fail, and say these words?"""
        status, out = self.run("--check")
        if status != 1 or words not in out:
            print(f"# status {status}: {out}")
        return status == 1 and words in out

    def is_clean(self):
        """Does the check find nothing?"""
        status, out = self.run("--check")
        if status:
            print(f"# {out}")
        return status == 0


def cell(text, row, column):
    """A cell of the first table that has this row, with the line below it."""
    lines = text.split("\n")
    at = next(n for n, x in enumerate(lines) if x.startswith(row + "  "))
    rule = next(x for x in reversed(lines[:at]) if x.startswith("==="))
    where = [m.span() for m in re.finditer("=+", rule)][column]
    return " ".join(x[slice(*where)].strip() for x in lines[at:at + 2])


def prove_absent(tree):
    """Tables without samples."""
    before = [tree.text(name) for name in DOCUMENTS]
    status, out = tree.run()
    check("each table without samples is found", status == 1 and all(
        f"table {name}: no {documents.SAMPLES}/{part}.txt" in out
        for _, name, part, _ in documents.TABLES))
    check("without samples nothing is written",
          before == [tree.text(name) for name in DOCUMENTS]
          and not tree.text(documents.CHART))
    tree.store_part("failover", failover_samples())
    tree.run()
    after = [tree.text(name) for name in DOCUMENTS]
    check("the parts with samples are written, and the others stay",
          [a == b for a, b in zip(before, after)] == [True, False, True]
          and after[1].count("path silent") == 1)


def prove_values(tree):
    """Tables and chart of one boot."""
    tree.store_part("main", main_samples())
    tree.store_part("small", write_samples(documents.SMALL,
                                           ("smcr", "linux", "tcp")))
    tree.store_part("windows", write_samples(
        documents.WINDOWS, ("smcr", "linux", "tcp")))
    tree.store_part("neighbours", neighbours_samples())
    tree.store_part("unused", unused_samples())
    tree.run()
    check("all tables are written", tree.is_clean() and not any(
        re.search(r"samples: \w+( -->)?\n\n(\.\.|<!--)", tree.text(name))
        for name in DOCUMENTS))
    text = tree.text(documents.PERFORMANCE)
    check("a time is a median beside its quartiles",
          cell(text, "64 B round trip", 2) == "1100 (1045-1155)")
    rates = [65536 / (1100 * f) for f in FACTORS]
    low, middle, high = statistics.quantiles(rates, n=4, method="inclusive")
    check("a speed is, too",
          cell(text, "64 KB writes, 64 KB window", 2)
          == f"{middle:.1f} ({low:.1f}-{high:.1f})")
    check("a ratio is the median of the ratios of the rounds",
          cell(text, "64 B round trip, time", 2) == "1.10 (1.00-1.22)"
          and cell(text, "connections, 16 at a time", 2)
          == "0.91 (0.82-1.00)")
    check("instructions are the difference of two runs",
          cell(text, "connect, byte each way, close", 2).startswith("110002"))
    check("memory is a slope",
          "24.0 and 23.0 KB" in " ".join(text.split()))
    check("failover has best, median and worst",
          re.search(r"^path silent +18 ms +20 ms +22 ms +0\.02$", text, re.M))
    check("a percentile is in milliseconds",
          cell(text, "4 streams", 1) == "1.10 (1.04-1.16)")
    check("what the streams carry is a ratio of rates",
          cell(text, "4 streams", 5) == "0.91 (0.91-0.91)")
    check("what RDMA does not carry stands beside TCP", re.search(
        r"^the destination is listed +1\.020 +1\.020 +1\.020$", text, re.M)
        and "6.0 and 5.0 KB" in " ".join(text.split()))
    check("one boot is not compared with another",
          "boot 2" not in text and "tables are of one boot" in text)
    interop = tree.text(documents.INTEROP)
    check("both documents have the same ratio of the same samples",
          cell(interop, "64 B round trip, time", 1) == "1.10 (1.00-1.22)")
    readme = tree.text(documents.README)
    check("so has README", "| 64 B round trip, us | 500 (475-525) | "
          "1000 (950-1050) | 1100 (1045-1155) | 1.10 (1.00-1.22) |" in readme)
    parsed = [subprocess.run(
        [sys.executable, "-m", "docutils", "--writer=null", "--report=1",
         "--exit-status=1", tree.path(name)], check=False).returncode
        for name in DOCUMENTS[1:]]
    check("documents with tables parse", parsed == [0, 0])
    check("lines fit 80 columns", all(
        len(x) <= 80 for x in (text + interop).split("\n")))


def prove_chart(tree):
    """The chart of README's table."""
    root = xml.fromstring(tree.text(documents.CHART))
    space = "{http://www.w3.org/2000/svg}"
    named = [root.find(f".//*[@id='{i}']") for i in
             root.get("aria-labelledby").split()]
    check("the chart has a title and a description of its values",
          root.get("role") == "img" and all(n is not None for n in named)
          and "64 B round trip: TCP 500 (475-525), Linux 1000 (950-1050), smcr "
          "1100 (1045-1155)." in named[1].text)
    check("it has colours for dark and for light", "prefers-color-scheme: dark"
          in root.find(f"{space}style").text)
    bars = {s: [float(b.get("width")) for b in root.findall(f"{space}rect")
                if b.get("class") == s] for s in ("TCP", "Linux", "smcr")}
    check("it has a bar for each value, as long as the value",
          [len(b) for b in bars.values()] == [8, 8, 8]
          and all(abs(s / t - 2.2) < 0.01 for s, t in
                  zip(bars["smcr"][:2], bars["TCP"][:2])))
    box = list(map(float, root.get("viewBox").split()))
    check("all of it is inside the picture", all(
        0 <= float(e.get("x", 0)) - box[0] <= box[2] - 100
        and float(e.get("y", 0)) < box[3]
        for e in root.iter(f"{space}text")))


def prove_faults(tree):
    """What the check must find."""
    for name in (*DOCUMENTS, documents.CHART):
        text = tree.text(name)
        for digit in re.finditer(r"\d\.\d|1100", text):
            if "commit" not in text[digit.start() - 90:digit.start()]:
                break
        tree.store(name, text[:digit.start()] + "7" + text[digit.end():])
        check(f"another digit in {name} is found",
              tree.finds(f"{name}:"))
        tree.store(name, text)
    readme = tree.text(documents.README)
    tree.store(documents.README, readme.replace("<!-- samples", "<!-- sample"))
    check("a table without its comments is found",
          tree.finds("0 tables rates"))
    tree.store(documents.README, readme + readme.replace("rates", "rate"))
    check("a table that nothing makes is found", tree.finds("no table rate"))
    tree.store(documents.README, readme)
    tree.store_part("main", main_samples(1.01))
    check("other samples are found", tree.finds("not what the samples give"))
    for field, value, words in (
            (1, "# commit: 0123456789ab-dirty", "no commit of a clean tree"),
            (1, "#", "no commit of a clean tree"), (2, "#", "no net/smcr"),
            (3, "#", "no date"), (4, "#", "no machine"),
            (0, "# boot: make bench PART=all ROUNDS=5", "of another part"),
            (0, "#", "no header")):
        header = [*HEADER]
        header[field] = value
        tree.store_part("main", main_samples(), header=header)
        check(f"{words!r} is found", tree.finds(words))
    tree.store_part("main", (x for x in main_samples()
                             if "tcp stream1m" not in x))
    before = tree.text(documents.README)
    check("a work without samples is found",
          tree.finds("no sample of stream1m, tcp"))
    tree.run()
    check("and its tables are left alone",
          tree.text(documents.README) == before)
    tree.store_part("mian", main_samples())
    check("samples of no part are found", tree.finds("no part of the bench"))
    os.remove(tree.path(f"{documents.SAMPLES}/mian.txt"))
    os.remove(tree.path(f"{documents.SAMPLES}/main.txt"))
    check("a table of samples that are gone is found",
          tree.finds("table times: no "))


def prove_boots(tree):
    """Samples of two boots."""
    tree.store_part("main", main_samples(), main_samples(1.2))
    tree.run()
    text = tree.text(documents.PERFORMANCE)
    check("two boots are counted",
          tree.is_clean() and "10 rounds of 2 boots" in " ".join(text.split()))
    check("each boot has its ratio",
          re.search(r"^64 B round trip, time +1\.10 +1\.32$", text, re.M)
          and "differ by up to 20 %" in " ".join(text.split()))
    path = tree.path(f"{documents.SAMPLES}/main.txt")
    with open(path, encoding="utf-8") as f:
        lines = f.readlines()
    at = [n for n, x in enumerate(lines) if x.startswith("# net/smcr")][1]
    lines[at] = lines[at].replace("5", "6")
    tree.store(f"{documents.SAMPLES}/main.txt", "".join(lines))
    check("boots of different code are found",
          tree.finds("boots of different code"))


def rounds_of(*lines):
    """The rounds that bench.py reads."""
    samples = bench.Samples()
    samples.read(lines)
    return [[*rounds] for rounds in samples.values.values()]


def prove_keep():
    """What bench.py reads and stores."""
    one, two = "sample 1 smcr rr64 ns=1", "sample 1 smcr write64 ns=1"
    check("samples without a header have the rounds that they name",
          rounds_of(one, two) == [[1], [1]])
    check("so have those of several parts in one file",
          rounds_of("# boot: make bench PART=main", one,
                    "# boot: make bench PART=small", two) == [[1], [1]])
    check("a further boot of a part has rounds of its own",
          rounds_of(*["# boot: make bench PART=main", one] * 2)
          == [[1, 1 + bench.BOOT]])
    with tempfile.TemporaryDirectory() as top:
        bench.SAMPLES = os.path.join(top, "samples")
        path = os.path.join(bench.SAMPLES, "main.txt")

        def kept(code):
            bench.keep("main", [f"# net/smcr: {code}\n", "sample\n"])
            with open(path, encoding="utf-8") as f:
                return f.read().count("sample\n")

        check("samples of another boot of the same code are added",
              [kept("a"), kept("a")] == [1, 2])
        check("samples of other code replace them", kept("b") == 1)
        bench.TOP = top

        def put(name):
            path = os.path.join(top, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "a", encoding="utf-8") as f:
                f.write("text\n")
            return bench.commit()

        git = ["git", "-C", top, "-c", "user.name=n", "-c", "user.email=e"]
        put("net/file")
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "net"], check=True)
        subprocess.run([*git, "commit", "-qm", "subject"], check=True)
        found = [re.fullmatch("[0-9a-f]{12}(-dirty)?", put(name)) for name in
                 (f"{bench.KEPT}/main.txt", "README.md", "net/file")]
        check("samples and documents do not change what is measured",
              found[0] and found[0].group(1) is None and found[1]
              and found[1].group(1) is None)
        check("a change of the code does", found[2] and found[2].group(1))


def main():
    """All of it."""
    with tempfile.TemporaryDirectory() as top:
        for step in (prove_absent, prove_values, prove_chart, prove_faults,
                     prove_boots):
            step(Sample(top) if step is prove_absent else Again(top))
    prove_keep()
    print(f"1..{COUNT}")
    return 1 if BAD else 0


class Again(Sample):                    # pylint: disable=too-few-public-methods
    """The same tree, as the step before left it."""

    def __init__(self, top):            # pylint: disable=super-init-not-called
        documents.Tree.__init__(self, top)


if __name__ == "__main__":
    sys.exit(main())
