#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Round trips of 64 bytes beside streams over the same link.

usage: neighbours.py serve ADDRESS PORT
       neighbours.py trips ADDRESS PORT STREAMS ROUNDS

trips opens STREAMS connections that write without end, and does ROUNDS round
trips on another one, whose messages must come back as they were sent. It prints
how many kilobytes this host has written by RDMA during half of the round trips
at most, and during 90 % of them. This does not depend on the speed of the
hosts, but when a host stands still it is much: the few worst round trips tell
of the machine only.
"""
import socket
import sys
import threading

from lib import sock as smcr

SIZE = 64
WRITE = 65536
# First byte of a connection that carries a stream
BULK = b"b"
# Round trips until the streams are under way, and the link's rate is known
WARM = 50


def answer(sock):
    """Echo all bytes, or read a stream until the connection ends."""
    with sock:
        while data := sock.recv(SIZE, socket.MSG_WAITALL):
            if data[:1] == BULK:
                while sock.recv(WRITE):
                    pass
                return
            sock.sendall(data)


def pour(sock):
    """Write until the program ends."""
    while True:
        sock.sendall(BULK * WRITE)


def written():
    """Bytes that this host has written to its peers' memory."""
    with open("/proc/net/smcr_stat", encoding="ascii") as stat:
        for line in stat:
            name, value = line.split()
            if name == "TxBytes":
                return int(value)
    sys.exit("no TxBytes")


def trips(address, streams, rounds):
    """Print the median and the 90th percentile of kilobytes."""
    for _ in range(streams):
        threading.Thread(target=pour, args=(smcr.connected(address),),
                         daemon=True).start()
    sock = smcr.connected(address)
    counts = []
    for number in range(WARM + rounds):
        before = written()
        message = number.to_bytes(8, "big") * (SIZE // 8)
        sock.sendall(message)
        if not smcr.exact(smcr.heard(sock, SIZE, socket.MSG_WAITALL), message):
            print(f"message {number} is wrong", file=sys.stderr)
            sys.exit(smcr.status())
        counts.append((written() - before) // 1000)
    counts = sorted(counts[WARM:])
    print(counts[rounds // 2], counts[rounds * 90 // 100], flush=True)


def main():
    """Run one of the modes."""
    role, address, port, *words = sys.argv[1:]
    where = (address, int(port))
    if role == "serve":
        smcr.serve(where, answer)
    else:
        trips(where, *(int(w) for w in words))


main()
