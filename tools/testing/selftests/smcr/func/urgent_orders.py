#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print a script for sem/semantics that tries every order of events around
urgent bytes, in both directions of a connection.

The events of a direction, each order of LENGTH of which occurs:

    s   send two bytes
    u   send an urgent byte
    U   send two bytes, the second one urgent
    t   take the urgent byte
    i   change SO_OOBINLINE
    r   read one byte
    R   read as much as one call gives
    p   peek

Over SMC-R nothing goes out behind an urgent byte until the peer's program has
read all bytes before it. Over TCP it would come earlier, which changes results.
So the reader reads up to an urgent byte before more is sent.

usage: urgent_orders.py LENGTH
"""
import sys

EVENTS = "suUtirRp"
MOST = 1000


def every_order(events, length):
    """Return a text in which each text of this length of these letters occurs
    (a de Bruijn sequence, from Lyndon words)."""
    text, word = [], [-1]
    while word:
        word[-1] += 1
        if length % len(word) == 0:
            text += word
        word = (word * length)[:length]
        while word and word[-1] == len(events) - 1:
            word.pop()
    text += text[:length - 1]
    return "".join(events[i] for i in text)


class Direction:
    """A direction of a connection, and what its reader has, by TCP's rules."""

    def __init__(self, writer, reader):
        self.writer, self.reader = writer, reader
        self.arrived = self.passed = self.mark = self.signals = 0
        self.urgent = self.in_line = False

    def step(self, end, verb, *words):
        """Print a step of the writer's or the reader's end."""
        print(" ".join([end, verb, end.lower(), *map(str, words)]))

    def skip(self, count):
        """Tell the reader that its next bytes are not in the stream."""
        if count:
            self.step(self.reader, "skip", count)

    def send(self, event):
        """Send, and wait until the reader has the bytes."""
        count = 1 if event == "u" else 2
        if event == "s":
            self.step(self.writer, "send", count)
            self.arrived += count
            self.step(self.reader, "awaitpeek", self.read(MOST, True)[1])
            return
        self.step(self.writer, "send", count, "oob")
        # TCP drops an urgent byte that its reader has reached
        if self.urgent and not self.in_line:
            self.passed += 1
            self.skip(1)
        self.arrived += count
        self.urgent, self.mark = True, self.arrived - 1
        self.signals += 1
        # While the connection moves, the signal comes before the bytes
        print(f"{self.reader} awaiturg {self.signals}")
        end = self.arrived if self.in_line else self.mark
        self.step(self.reader, "awaitq", "inq", end - self.passed)
        self.step(self.reader, "awaitoob")

    def read(self, most, peek):
        """Return how many bytes recv() skips, and how many it gets."""
        skipped, pos = 0, self.passed
        if self.urgent and pos == self.mark and pos < self.arrived and \
                not self.in_line:
            skipped, pos = 1, pos + 1
        end = self.arrived
        if self.urgent and pos < self.mark:
            end = self.mark
        got = min(end - pos, most)
        if not peek:
            self.passed = pos + got
            self.urgent = self.urgent and self.passed <= self.mark
        return skipped, got

    def recv(self, most, flags):
        """Read or peek."""
        peek = "peek" in flags
        skipped, _ = self.read(most, peek)
        self.skip(skipped)
        self.step(self.reader, "recv", most, flags)
        if peek:
            self.skip(-skipped)

    def happen(self, event):
        """Print the steps of an event."""
        if event in "suU":
            if self.urgent and self.passed < self.mark:
                self.recv(MOST, "dontwait")
            self.send(event)
        elif event == "t":
            self.step(self.reader, "oob", self.mark - self.passed)
        elif event == "i":
            self.in_line = not self.in_line
            self.step(self.reader, "setopt", "socket", "oobinline",
                      int(self.in_line))
        elif event == "p":
            self.recv(MOST, "peek+dontwait")
        else:
            self.recv(1 if event == "r" else MOST, "dontwait")
        self.step(self.reader, "mark")


def main():
    """Print a case for each direction."""
    order = every_order(EVENTS, int(sys.argv[1]))
    for writer, reader in ("CS", "SC"):
        print(f"case urgent_orders_to_{reader}")
        for line in ("S socket l", "S bind l S/0", "S listen l 8",
                     "S port l P", "C socket c", "C connect c S/$P",
                     "S accept s l"):
            print(line)
        way = Direction(writer, reader)
        way.step(writer, "setopt", "tcp", "nodelay", 1)
        way.step(reader, "sigurg")
        for event in order:
            way.happen(event)


main()
