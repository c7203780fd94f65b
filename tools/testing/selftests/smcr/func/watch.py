#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Round trips of 64 bytes whose readers block.

usage: watch.py serve ADDRESS PORT
       watch.py ask ADDRESS PORT CONNECTIONS ROUNDS BUSY_POLL
       watch.py stay ADDRESS PORT ROUNDS
       watch.py read ADDRESS PORT recv|poll
       watch.py time ADDRESS PORT ROUNDS

ask does ROUNDS round trips on each of its connections, by turns. Readers poll
for BUSY_POLL microseconds before they sleep. stay does its round trips, prints
"asleep", and waits in recv() for a byte that never comes. read reads a stream
of 64 bytes each 2 ms, and waits for them in recv() or in poll().
time prints how many microseconds half of its round trips took at most, and 99 %
of them.
"""
import socket
import sys
import time

from lib import sock as smcr

SO_BUSY_POLL = 46
SIZE = 64


# The first byte of a connection that wants a stream
POUR = b"p"
# Times between two writes of the stream, and between two round trips that are
# timed: many messages of the stream come between two of the others.
PACE = 0.002
REST = 0.06


def answer(sock):
    """Echo all bytes, or send a stream until the connection ends."""
    with sock:
        while data := sock.recv(SIZE, socket.MSG_WAITALL):
            if data[:1] == POUR:
                pour(sock)
            sock.sendall(data)


def pour(sock):
    """Send the stream."""
    while True:
        sock.sendall(bytes(SIZE))
        time.sleep(PACE)


def serve(address):
    """Serve until killed."""
    smcr.serve(address, answer)


def round_trip(sock, number):
    """Do one round trip of a message that has this number in all words."""
    message = number.to_bytes(8, "big") * (SIZE // 8)
    sock.sendall(message)
    if not smcr.exact(smcr.heard(sock, SIZE, socket.MSG_WAITALL), message):
        print(f"message {number} is wrong", file=sys.stderr)
        sys.exit(smcr.status())


def ask(address, connections, rounds, busy_poll):
    """Do round trips on each connection by turns."""
    socks = [smcr.connected(address) for _ in range(connections)]
    for sock in socks:
        sock.setsockopt(socket.SOL_SOCKET, SO_BUSY_POLL, busy_poll)
    for number in range(rounds):
        for sock in socks:
            round_trip(sock, number)


def stay(address, rounds):
    """Do round trips, then sleep in recv()."""
    sock = smcr.connected(address)
    for number in range(rounds):
        round_trip(sock, number)
    print("asleep", flush=True)
    sock.recv(1)


def read(address, how):
    """Read a stream for ever."""
    sock = smcr.connected(address)
    sock.sendall(POUR + bytes(SIZE - 1))
    # With a time limit, Python waits in poll(), and its recv() never does.
    sock.settimeout(1000 if how == "poll" else None)
    sock.recv(1)
    print("reading", flush=True)
    while sock.recv(1 << 16):
        pass


def measure(address, rounds):
    """Print the median and the 99th percentile of the times of round trips."""
    sock = smcr.connected(address)
    times = []
    for number in range(rounds):
        time.sleep(REST)
        begin = time.monotonic_ns()
        round_trip(sock, number)
        times.append((time.monotonic_ns() - begin) // 1000)
    times.sort()
    print(times[rounds // 2], times[rounds * 99 // 100])


def main():
    """Run one of the modes."""
    role, address, port, *words = sys.argv[1:]
    {"serve": serve, "ask": ask, "stay": stay, "read": read,
     "time": measure}[role](
         (address, int(port)),
         *(int(w) if w.isdigit() else w for w in words))


main()
