#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Races of the last bytes with end of file, of a writer with send space, and of
an error with a program that asks for it.

    ends    the server sends a byte and closes, COUNT times; the client reads
            without pause and must get the byte before the end of file
    refused a socket that only TCP can serve connects to a port that nobody
            listens at, COUNT times; the client polls without pause, and asks
            for the error as soon as poll() reports one
    room    the client writes to a server that does not read, until there is no
            room for long; the server's ring and the send space must be full
    edge    the client fills the send space with each write, writes again a
            random time later, and if there is no space, waits for the edge that
            reports space; the server reads all bytes as they arrive. COUNT
            times the client finds no space
    left    the client writes until there is no room, and then no more until
            all bytes have left, COUNT times; the server reads all bytes as they
            arrive

The client prints a line that begins with "bad" for each failure, and its exit
status tells of a byte that is wrong or missing (lib/sock.py).

usage: slowly.py serve|ends|refused|room|edge|left ADDRESS PORT COUNT
"""
import errno
import fcntl
import os
import random
import select
import socket
import struct
import sys
import termios
import time

from lib import sock as smcr

# Seconds to wait for an edge: shorter than the test's time limit
PATIENCE = 20
PIECE = 32768
TCP_FASTOPEN_CONNECT = 30
# About the time in which space returns, and how often none may be found
COMES = 0.06
TRIES = 20
# Seconds without room after which none is expected to appear
QUIET = 2
# Seconds: much longer than bytes are left to a writer, but shorter than the time
# after which the sender looks at them for another reason
LATE = 0.15
# Bytes of the server's element that stay empty: the eye catcher, and one that is
# kept for an urgent byte
SPARE = 5


def serve_one(sock):
    """Serve one connection until its end."""
    what = sock.recv(1)
    if what == b"e":
        sock.recv(1)
        sock.send(b"x")
    if what == b"u":
        poll = select.poll()
        poll.register(sock, select.POLLRDHUP)
        poll.poll()
    while what == b"r" and sock.recv(1 << 20):
        pass
    sock.close()


def connected(address, what, room=0):
    """Open a connection and tell the server its purpose."""
    sock = smcr.smcr_socket()
    if room:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, room)
    sock.connect(address)
    sock.send(what)
    return sock


def one_end(address):
    """Return the bytes that come before end of file."""
    sock = connected(address, b"e")
    sock.setblocking(False)
    sock.send(b"g")
    got = b""
    while True:
        try:
            more = sock.recv(10)
        except BlockingIOError:
            continue
        if not more:
            sock.close()
            return got
        got += more


def ends(address, count):
    """Check that the bytes come before end of file."""
    for i in range(count):
        got = one_end(address)
        if not smcr.exact(got, b"x"):
            print(f"bad: stream {i} gave {got!r} before its end")


def refused(address, count):
    """Check that the error is there as soon as poll() reports it."""
    for i in range(count):
        sock = smcr.smcr_socket()
        sock.setsockopt(socket.IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1)
        sock.setblocking(False)
        poll = select.poll()
        sock.connect_ex(address)
        poll.register(sock, select.POLLOUT)
        while not poll.poll(0):
            pass
        err = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if err != errno.ECONNREFUSED:
            print(f"bad: connection {i} got error {err}")
        sock.close()


def write_until_full(sock, piece):
    """Return the bytes that are taken before there is no room."""
    done = 0
    try:
        while True:
            done += sock.send(bytes(piece))
    except BlockingIOError:
        return done


def room(address, count):
    """Check that a writer gets all room that its peer and its host have."""
    for i in range(count):
        sock = connected(address, b"u", 131072)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                        struct.pack("ii", 1, 0))
        ring = int(sock.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF))
        want = ring + sock.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) // 2
        sock.setblocking(False)
        poll = select.poll()
        poll.register(sock, select.POLLOUT)
        done = 1
        while True:
            done += write_until_full(sock, 4096 * (1 + i))
            if not poll.poll(QUIET * 1000):
                break
        done += write_until_full(sock, 1)
        print(f"# ring and send space {want}, taken {done}", file=sys.stderr)
        if done < want - SPARE:
            print(f"bad: {done} of {want} bytes in round {i}")
        sock.close()


def edge(address, count):
    """Check that an edge follows each time without send space."""
    seed = int(os.environ.get("SMCR_SEED", time.time_ns()))
    print(f"SEED={seed}", file=sys.stderr)
    rnd = random.Random(seed)
    # Each send() takes all space, which then returns at once.
    sock = connected(address, b"r", PIECE)
    sock.setblocking(False)
    poll = select.epoll()
    poll.register(sock, select.EPOLLOUT | select.EPOLLET)
    data = bytes(PIECE)
    for _ in range(count * TRIES):
        # Drop edges of earlier rounds.
        poll.poll(0)
        try:
            sock.send(data)
            time.sleep(rnd.uniform(0, COMES))
            continue
        except BlockingIOError:
            count -= 1
        if not poll.poll(PATIENCE):
            print(f"bad: no edge within {PATIENCE} s, {count} to go")
            break
        if not count:
            break
    else:
        print(f"bad: there was room nearly always, {count} to go")
    sock.close()


def bytes_left(sock):
    """Return how many bytes have not reached the peer (SIOCOUTQ)."""
    return struct.unpack("i", fcntl.ioctl(sock, termios.TIOCOUTQ, bytes(4)))[0]


def left(address, count):
    """Check that no byte waits for a writer that found no room, and does not
    come back when there is.
    """
    sock = connected(address, b"r", 65536)
    sock.setblocking(False)
    waits = []
    for _ in range(count):
        write_until_full(sock, PIECE)
        begin = time.monotonic()
        while bytes_left(sock) and time.monotonic() - begin < PATIENCE:
            pass
        waits.append(time.monotonic() - begin)
        if waits[-1] >= PATIENCE:
            print(f"bad: {bytes_left(sock)} bytes have not left")
            break
    late = sum(wait > LATE for wait in waits)
    print(f"# {late} of {count} waits took more than {LATE} s, the longest one"
          f" {max(waits):.3f} s", file=sys.stderr)
    if late > count // 10:
        print(f"bad: {late} of {count} waits took more than {LATE} s")
    sock.close()


def main():
    """Run one of the two ends."""
    what, address, port, count = sys.argv[1:]
    address = (address, int(port))
    if what == "serve":
        smcr.serve(address, serve_one)
    else:
        {"ends": ends, "refused": refused, "room": room,
         "edge": edge, "left": left}[what](address, int(count))
        sys.exit(smcr.status())


main()
