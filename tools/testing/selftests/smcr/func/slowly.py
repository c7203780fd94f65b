#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Bytes and the end, room and the wish for it, at the same moment.

    ends    the server sends a byte and closes, COUNT times; the client asks for
            bytes all the time and must find the byte before the end
    edge    the client takes all room with each write, finds none a random time
            later, and waits for the edge that tells of room; the server reads
            all there is whenever there is any. COUNT times there is no room

The client prints a line for each that failed, "bad" in front.

usage: slowly.py serve|ends|edge ADDRESS PORT COUNT
"""
import os
import random
import select
import socket
import sys
import time

from lib import sock as smcr

# Longer than a moment, shorter than the test may take
PATIENCE = 20
PIECE = 32768
# The time in which room comes back, about, and how often none may be found
COMES = 0.06
TRIES = 20


def serve_one(sock):
    """A connection of the server, to its end."""
    what = sock.recv(1)
    if what == b"e":
        sock.recv(1)
        sock.send(b"x")
    while what == b"r" and sock.recv(1 << 20):
        pass
    sock.close()


def connected(address, what, room=0):
    """A connection of which the server knows what it is for."""
    sock = smcr.smcr_socket()
    if room:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, room)
    sock.connect(address)
    sock.send(what)
    return sock


def one_end(address):
    """What came before the end."""
    sock = connected(address, b"e")
    sock.setblocking(False)
    sock.send(b"g")
    while True:
        try:
            got = sock.recv(10)
        except BlockingIOError:
            continue
        sock.close()
        return got


def ends(address, count):
    """Bytes come before the end."""
    for i in range(count):
        got = one_end(address)
        if got != b"x":
            print(f"bad: stream {i} ended after {len(got)} bytes")


def edge(address, count):
    """There is an edge for each time without room."""
    seed = int(os.environ.get("SMCR_SEED", time.time_ns()))
    print(f"SEED={seed}", file=sys.stderr)
    rnd = random.Random(seed)
    # Each send() takes all room, and then all of it comes at once
    sock = connected(address, b"r", PIECE)
    sock.setblocking(False)
    poll = select.epoll()
    poll.register(sock, select.EPOLLOUT | select.EPOLLET)
    data = bytes(PIECE)
    for _ in range(count * TRIES):
        # Edges of former times
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


def main():
    """One of the two ends."""
    what, address, port, count = sys.argv[1:]
    address = (address, int(port))
    if what == "serve":
        smcr.serve(address, serve_one)
    else:
        {"ends": ends, "edge": edge}[what](address, int(count))


main()
