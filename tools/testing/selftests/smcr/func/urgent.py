#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Urgent bytes from a server to a client that reads late.

The first byte that the client sends selects what the server sends:

    w   as many bytes as it can without waiting, an urgent byte, 1000 bytes
    s   ROUNDS times some bytes and an urgent byte; the client answers each
    l   LONG bytes, the last one urgent, and 1000 bytes, after another byte
    t   as many bytes as the next 4 bytes say, an urgent byte, and 1000 bytes

and then its end. Each byte is that of its position in the stream. The client's
exit status tells if one is not (lib/sock.py).

The client runs in stages. It prints the name of each stage that has ended and
waits for a line on standard input before the next one.

usage: urgent.py serve|read ADDRESS PORT
"""
import array
import fcntl
import os
import random
import select
import signal
import socket
import sys
import termios
import time

from lib import sock as smcr

ROUNDS = 200
REST = 1000
# Bytes of the smallest ring: an element of 16 KB without its eye catcher
TIGHT = 16384 - 4
# Fits in the window, but not in the writes that go out with one message
LONG = 120000
SIOCATMARK = 0x8905


def coded(pos, count):
    """Return the bytes from a position on."""
    return bytes((i * 167 + (i >> 8) * 13) & 255
                 for i in range(pos, pos + count))


def send_all(sock, pos, count, flags=0):
    """Send bytes; return the position after them."""
    data = coded(pos, count)
    while data:
        data = data[sock.send(data, flags):]
    return pos + count


def fill(sock):
    """Send until no byte is taken any more; return the position after them."""
    pos = 0
    while True:
        try:
            pos += sock.send(coded(pos, 4096), socket.MSG_DONTWAIT)
        except BlockingIOError:
            return pos


def serve_one(sock):
    """Serve one connection until its end."""
    what = sock.recv(1)
    if what == b"w":
        pos = send_all(sock, fill(sock), 1, socket.MSG_OOB)
        send_all(sock, pos, REST)
    elif what == b"l":
        sock.recv(1)
        pos = send_all(sock, 0, LONG, socket.MSG_OOB)
        send_all(sock, pos, REST)
    elif what == b"t":
        count = int.from_bytes(sock.recv(4, socket.MSG_WAITALL), "big")
        pos = send_all(sock, send_all(sock, 0, count), 1, socket.MSG_OOB)
        send_all(sock, pos, REST)
    else:
        pos, rng = 0, random.Random(1)
        for _ in range(ROUNDS):
            pos = send_all(sock, pos, rng.randrange(3000))
            pos = send_all(sock, pos, 1, socket.MSG_OOB)
            sock.recv(1)
    sock.close()


class Reader:
    """A client's end of a stream."""

    def __init__(self, address, what, rcvbuf=0):
        self.pos = 0
        self.signals = 0
        signal.signal(signal.SIGURG, self.on_signal)
        self.sock = smcr.connected(address, rcvbuf)
        fcntl.fcntl(self.sock, fcntl.F_SETOWN, os.getpid())
        self.sock.sendall(what)

    def on_signal(self, _signum, _frame):
        """Count a SIGURG."""
        self.signals += 1

    def await_pri(self):
        """Wait for POLLPRI."""
        poll = select.poll()
        poll.register(self.sock, select.POLLPRI)
        poll.poll()

    def await_queued(self, count):
        """Wait until so many bytes can be read."""
        answer = array.array("i", [0])
        while answer[0] < count:
            time.sleep(0.001)
            fcntl.ioctl(self.sock, termios.FIONREAD, answer)

    def at_mark(self):
        """Return whether the urgent byte is next."""
        answer = array.array("i", [0])
        fcntl.ioctl(self.sock, SIOCATMARK, answer)
        return bool(answer[0])

    def read(self):
        """Read once; return the number of bytes, or a negative one if they are
        not those of their position."""
        data = self.sock.recv(30000)
        good = smcr.exact(data, coded(self.pos, len(data)))
        self.pos += len(data)
        return len(data) if good else -1

    def read_to_mark(self):
        """Read up to the urgent byte; return whether all bytes are good."""
        while not self.at_mark():
            if not self.more():
                return False
        return True

    def more(self):
        """Read once before the end; return whether all is good."""
        count = self.read()
        if not count:
            smcr.wrong_bytes()
        return count > 0

    def urgent(self):
        """Receive the urgent byte; return whether it is that of its
        position."""
        good = smcr.exact(self.sock.recv(1, socket.MSG_OOB),
                          coded(self.pos, 1))
        self.pos += 1
        return good

    def rest(self):
        """Return whether the rest and the end of the stream follow."""
        end = self.pos + REST
        while self.pos < end:
            if not self.more():
                return False
        return smcr.exact(self.pos, end) and self.ends()

    def ends(self):
        """Return whether the stream ends here."""
        return smcr.exact(self.sock.recv(1), b"")


def fact(good, name):
    """Print whether something is as it should be."""
    print(f"{'good' if good else 'bad'} {name}", flush=True)


def stage(name):
    """Print the name of an ended stage and wait for a line."""
    print(f"stage {name}", flush=True)
    sys.stdin.readline()


def blocked(address):
    """The window and the server's send space are full (4.7.6)."""
    reader = Reader(address, b"w")
    reader.await_pri()
    fact(reader.signals == 1, "SIGURG and POLLPRI come while nothing is read")
    fact(not reader.at_mark(), "the urgent byte is not next")
    try:
        reader.sock.recv(1, socket.MSG_OOB)
        fact(False, "the urgent byte has not come yet")
    except BlockingIOError:
        fact(True, "the urgent byte has not come yet")
    fact(reader.read_to_mark(), "all bytes before it are good")
    fact(reader.urgent(), "the urgent byte is good")
    fact(reader.rest(), "the bytes behind it are good, and end")
    fact(reader.signals == 1, "there was one SIGURG")


def tight(address):
    """The urgent byte follows bytes that fill the window, or nearly do. While
    nothing is read, no update opens the window."""
    early = good = True
    for count in range(TIGHT - 5, TIGHT + 5):
        reader = Reader(address, b"t" + count.to_bytes(4, "big"), 8192)
        reader.await_pri()
        # It may be known before all bytes are there
        reader.await_queued(min(count, TIGHT - 5))
        if count <= TIGHT - 2:
            byte = reader.sock.recv(1, socket.MSG_OOB | socket.MSG_PEEK)
            early = smcr.exact(byte, coded(count, 1)) and early
        good = good and reader.read_to_mark() and reader.pos == count
        good = good and reader.urgent() and reader.rest()
        good = good and reader.signals == 1
    fact(early, "the urgent byte comes although the window is closed")
    fact(good, "each reader finds it at its place behind a full window")


def answered(address):
    """One urgent byte after the other."""
    reader = Reader(address, b"s")
    good = True
    for number in range(ROUNDS):
        reader.await_pri()
        # Each second time the byte is taken before the bytes in front of it.
        if number % 2:
            good = good and reader.read_to_mark() and reader.urgent()
        else:
            byte = reader.sock.recv(1, socket.MSG_OOB)
            good = good and reader.read_to_mark() and \
                smcr.exact(byte, coded(reader.pos, 1))
            reader.pos += 1
        reader.sock.send(b".")
    fact(good, f"{ROUNDS} urgent bytes are good, and so is what is between")
    fact(reader.ends(), "then the stream ends")
    fact(reader.signals == ROUNDS, f"{reader.signals} SIGURG came")


def moved(address):
    """The link is silent when the server sends an urgent byte."""
    reader = Reader(address, b"l")
    stage("open")
    reader.sock.send(b".")
    reader.await_pri()
    fact(reader.read_to_mark() and reader.pos == LONG - 1,
         "the bytes before the urgent one are good")
    fact(reader.urgent(), "the urgent byte is good")
    fact(reader.rest(), "the bytes behind it are good, and end")
    fact(reader.signals == 1, "there was one SIGURG")
    # The connection stays open, so that its group does.
    stage("moved")
    reader.sock.close()


def read(address):
    """Run all stages."""
    blocked(address)
    tight(address)
    answered(address)
    moved(address)


def main():
    """Run one of the two ends."""
    role, address, port = sys.argv[1:]
    if role == "serve":
        smcr.serve((address, int(port)), serve_one)
    else:
        read((address, int(port)))
    return smcr.status()


sys.exit(main())
