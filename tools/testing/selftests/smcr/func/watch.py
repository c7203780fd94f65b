#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Round trips of 64 bytes whose readers block.

usage: watch.py serve ADDRESS PORT
       watch.py ask ADDRESS PORT CONNECTIONS ROUNDS BUSY_POLL
       watch.py stay ADDRESS PORT ROUNDS

ask does ROUNDS round trips on each of its connections, by turns. Readers poll
for BUSY_POLL microseconds before they sleep. stay does its round trips, prints
"asleep", and waits in recv() for a byte that never comes.
"""
import socket
import sys

from lib import sock as smcr

SO_BUSY_POLL = 46
SIZE = 64


def echo(sock):
    """Echo all bytes."""
    with sock:
        while data := sock.recv(SIZE, socket.MSG_WAITALL):
            sock.sendall(data)


def serve(address):
    """Serve until killed."""
    smcr.serve(address, echo)


def round_trip(sock):
    """Do one round trip."""
    sock.sendall(bytes(SIZE))
    if len(sock.recv(SIZE, socket.MSG_WAITALL)) != SIZE:
        sys.exit("the stream has ended")


def ask(address, connections, rounds, busy_poll):
    """Do round trips on each connection by turns."""
    socks = [smcr.connected(address) for _ in range(connections)]
    for sock in socks:
        sock.setsockopt(socket.SOL_SOCKET, SO_BUSY_POLL, busy_poll)
    for _ in range(rounds):
        for sock in socks:
            round_trip(sock)


def stay(address, rounds):
    """Do round trips, then sleep in recv()."""
    sock = smcr.connected(address)
    for _ in range(rounds):
        round_trip(sock)
    print("asleep", flush=True)
    sock.recv(1)


def main():
    """Run one of the three modes."""
    role, address, port, *numbers = sys.argv[1:]
    {"serve": serve, "ask": ask, "stay": stay}[role](
        (address, int(port)), *map(int, numbers))


main()
