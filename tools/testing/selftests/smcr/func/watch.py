#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Round trips of 64 bytes whose readers block.

usage: watch.py serve ADDRESS PORT
       watch.py ask ADDRESS PORT CONNECTIONS ROUNDS BUSY_POLL
       watch.py stay ADDRESS PORT ROUNDS

ask does ROUNDS round trips on each of its connections, by turns. Readers poll
for BUSY_POLL microseconds before they sleep. stay does its
round trips, prints "asleep", and waits in recv() for a byte that never comes.
"""
import socket
import sys
import threading

IPPROTO_SMCR = 257
SO_BUSY_POLL = 46
SIZE = 64


def smcr_socket():
    """A new one."""
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMCR)


def echo(sock):
    """What comes is sent back."""
    with sock:
        while data := sock.recv(SIZE, socket.MSG_WAITALL):
            sock.sendall(data)


def serve(address):
    """Until it is killed."""
    listener = smcr_socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    listener.listen()
    print("serving", flush=True)
    while True:
        sock, _ = listener.accept()
        threading.Thread(target=echo, args=(sock,), daemon=True).start()


def connected(address):
    """A connection to the server."""
    sock = smcr_socket()
    sock.connect(address)
    return sock


def round_trip(sock):
    """One."""
    sock.sendall(bytes(SIZE))
    if len(sock.recv(SIZE, socket.MSG_WAITALL)) != SIZE:
        sys.exit("the stream has ended")


def ask(address, connections, rounds, busy_poll):
    """Round trips by turns."""
    socks = [connected(address) for _ in range(connections)]
    for sock in socks:
        sock.setsockopt(socket.SOL_SOCKET, SO_BUSY_POLL, busy_poll)
    for _ in range(rounds):
        for sock in socks:
            round_trip(sock)


def stay(address, rounds):
    """Round trips, then nothing more."""
    sock = connected(address)
    for _ in range(rounds):
        round_trip(sock)
    print("asleep", flush=True)
    sock.recv(1)


def main():
    """One of the three."""
    role, address, port, *numbers = sys.argv[1:]
    {"serve": serve, "ask": ask, "stay": stay}[role](
        (address, int(port)), *map(int, numbers))


main()
