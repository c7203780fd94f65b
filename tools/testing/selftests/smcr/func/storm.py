#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A storm of connections with random sizes and ends.

The client has several connections open all the time, each in a process of its
own, and so has the server. A number that the client draws decides, for both
ends, how many bytes go in each direction, which ones, and how the connection
ends: in order, or with a reset or a kill of one of the processes somewhere in
the middle. Each end checks every byte that it reads, and in order also that
none is missing.

Each end prints a line that begins with "bad" for each fault, and the client the
numbers of connections by how they ended; the server ends when it is told to.
The exit status of a program tells of wrong bytes (lib/sock.py). An end that
gives up resets its connection, so that the other one does not miss bytes.

usage: storm.py serve ADDRESS PORT
       storm.py storm ADDRESS PORT SEED CONNECTIONS AT_ONCE
"""
import collections
import os
import random
import select
import signal
import socket
import struct
import sys

from lib import sock as smcr

# The period of the bytes of a direction is prime, so that bytes in a wrong
# place of a ring differ.
PERIOD = 65521
HEAD = struct.Struct("!Q")
SIZES = (0, 1, 100, 4096, 65536, 200000, 1000000)
ENDS = ("order", "order", "order", "order", "reset-client", "reset-server",
        "kill-client", "kill-server")
QUIT = 0
# Exit status of the server's child that has got this number
QUITS = 2
# Seconds without progress after which an end gives up: far above any timer
PATIENCE = 120


class Way:
    """One direction of a connection."""

    def __init__(self, rnd):
        self.bytes = rnd.randbytes(PERIOD) * 3
        self.total = rnd.randint(0, rnd.choice(SIZES))
        self.pos = 0

    def next(self, most):
        """Return the next bytes, at most so many."""
        at = self.pos % PERIOD
        return self.bytes[at:at + min(most, self.total - self.pos)]

    def took(self, data):
        """Count bytes that have arrived; return whether they are right."""
        at = self.pos % PERIOD
        self.pos += len(data)
        return self.pos <= self.total and \
            data == self.bytes[at:at + len(data)]


class Faulty(Exception):
    """The connection is not what it should be."""


class WrongBytes(Faulty):
    """A byte is wrong, or missing at the end of file."""


class End:
    """One end of a connection."""

    def __init__(self, sock, number, me):
        rnd = random.Random(number)
        self.sock = sock
        up, down = Way(rnd), Way(rnd)
        self.out, self.inward = (up, down) if me == "client" else (down, up)
        self.end = rnd.choice(ENDS)
        cut = rnd.randint(0, up.total + down.total)
        self.cut = cut if self.end.endswith(me) else -1
        self.rnd = random.Random()
        self.open = True

    def act(self):
        """Reset or kill, if it is time to."""
        if self.cut < 0 or self.out.pos + self.inward.pos < self.cut:
            return
        if self.end.startswith("kill"):
            os.kill(os.getpid(), signal.SIGKILL)
        self.reset()
        sys.exit(0)

    def reset(self):
        """Reset the connection."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                             struct.pack("ii", 1, 0))
        self.sock.close()

    def write(self):
        """Send some bytes; end the direction after the last one."""
        data = self.out.next(self.rnd.randint(1, PERIOD))
        if data:
            self.out.pos += self.sock.send(data)
        else:
            self.sock.shutdown(socket.SHUT_WR)
            self.open = False

    def read(self):
        """Read some bytes; return false at the end of file."""
        data = self.sock.recv(self.rnd.randint(1, PERIOD))
        if not data:
            return False
        if not self.inward.took(data):
            raise WrongBytes(f"a byte before {self.inward.pos} is wrong")
        return True

    def carry(self):
        """Carry both directions until their end."""
        poll = select.poll()
        self.sock.setblocking(False)
        more = True
        while more or self.open:
            self.act()
            poll.register(self.sock, (select.POLLIN if more else 0) |
                          (select.POLLOUT if self.open else 0))
            found = poll.poll(PATIENCE * 1000)
            if not found:
                self.reset()
                raise Faulty("no progress")
            try:
                if more and found[0][1] & ~select.POLLOUT:
                    more = self.read()
                if self.open and found[0][1] & ~select.POLLIN:
                    self.write()
            except BlockingIOError:
                pass
        self.act()

    def run(self):
        """Carry the connection; raise Faulty if it is not as it should be."""
        try:
            self.carry()
        except OSError as err:
            if self.end == "order":
                raise Faulty(f"{err}, {self.inward.pos} of "
                             f"{self.inward.total} bytes read") from err
            return
        if self.end == "order" and self.inward.pos != self.inward.total:
            raise WrongBytes(f"end of file after {self.inward.pos} of "
                             f"{self.inward.total} bytes")


def in_child(function):
    """Run a function in a child; faults are lines of standard output."""
    pid = os.fork()
    if pid:
        return pid
    status = 0
    try:
        status = function() or 0
    except Faulty as fault:
        print("bad:", fault, flush=True)
        if isinstance(fault, WrongBytes):
            smcr.wrong_bytes()
        status = smcr.status(False)
    except BaseException as err:        # pylint: disable=broad-except
        if not isinstance(err, SystemExit):
            print(f"bad: {type(err).__name__} {err}", flush=True)
            status = 1
    os._exit(status)


def serve_one(sock):
    """Serve a connection; return QUITS for the one that ends the server."""
    try:
        head = smcr.heard(sock, HEAD.size)
    except OSError:
        return 0
    if len(head) < HEAD.size:
        return 0
    number = HEAD.unpack(head)[0]
    if number == QUIT:
        return QUITS
    End(sock, number, "server").run()
    return 0


def note(status):
    """Note how a child has ended; return its exit status, or None."""
    if not os.WIFEXITED(status):
        return None
    if os.WEXITSTATUS(status) == smcr.WRONG_BYTES:
        smcr.wrong_bytes()
    return os.WEXITSTATUS(status)


def serve(address):
    """Serve each connection in a child until one ends the server; return
    whether all were in order."""
    listener = smcr.stream(smcr.IPPROTO_SMCR)
    listener.bind(address)
    listener.listen(64)
    listener.settimeout(0.2)
    print("serving", flush=True)
    children, over, good = set(), False, True
    while not over or children:
        if not over:
            try:
                sock, _ = listener.accept()
                sock.settimeout(None)
                children.add(in_child(lambda: serve_one(sock)))
                sock.close()
            except TimeoutError:
                pass
        while children:
            pid, status = os.waitpid(-1, 0 if over else os.WNOHANG)
            if not pid:
                break
            children.discard(pid)
            ended = note(status)
            over = over or ended == QUITS
            good = good and ended in (None, 0, QUITS)
    return good


def connect_one(address, number):
    """Open a connection and carry it."""
    sock = smcr.smcr_socket()
    try:
        sock.connect(address)
        sock.sendall(HEAD.pack(number))
    except OSError as err:
        raise Faulty(f"connect: {err}") from err
    End(sock, number, "client").run()


def storm(address, seed, count, at_once):
    """Have so many connections, some of them at a time; return whether all
    were in order."""
    rnd = random.Random(seed)
    ended, children = collections.Counter(), set()
    for i in range(count + at_once):
        if i >= at_once:
            pid, status = os.wait()
            children.discard(pid)
            ended[{None: "killed", 0: "well"}.get(note(status), "badly")] += 1
        if i < count:
            number = rnd.randrange(1, 1 << 64)
            children.add(in_child(lambda: connect_one(address, number)))
    print(f"# {dict(ended)}", file=sys.stderr)
    with smcr.smcr_socket() as sock:
        sock.connect(address)
        sock.sendall(HEAD.pack(QUIT))
    return not ended["badly"]


def main():
    """Run one of the two ends."""
    what, address, port, *numbers = sys.argv[1:]
    address = (address, int(port))
    return smcr.status(serve(address) if what == "serve" else
                       storm(address, *map(int, numbers)))


sys.exit(main())
