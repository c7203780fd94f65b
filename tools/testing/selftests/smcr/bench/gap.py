#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A paced stream, and the longest time in which no byte of it arrives.

gap.py send ADDRESS PORT      accept a connection, send 64 bytes every 5 ms
gap.py receive ADDRESS PORT   connect and read; a line "mark" on standard input
                              begins a measurement, "gap" prints the longest gap
                              since then in microseconds, one that lasts
                              included, "since" the time since the last byte
"""
import socket
import sys
import threading
import time

IPPROTO_SMCR = 257
PACE_NS = 5_000_000


def send(where):
    """Send until the peer is gone."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM,
                       IPPROTO_SMCR) as listener:
        listener.bind(where)
        listener.listen()
        conn, _ = listener.accept()
    due = time.monotonic_ns()
    while True:
        try:
            conn.sendall(bytes(64))
        except ConnectionError:
            return 0
        # After a stall the pace begins anew: no burst makes up for it
        due = max(due + PACE_NS, time.monotonic_ns())
        time.sleep(max(0, due - time.monotonic_ns()) / 1e9)


class Gaps:
    """The longest gap of a stream."""

    def __init__(self):
        self.lock = threading.Lock()
        self.last = time.monotonic_ns()
        self.longest = 0

    def came(self):
        """Bytes have come."""
        with self.lock:
            now = time.monotonic_ns()
            self.longest = max(self.longest, now - self.last)
            self.last = now

    def mark(self):
        """Forget the gaps that are over."""
        with self.lock:
            self.longest = 0

    def gap(self):
        """Microseconds of the longest gap."""
        with self.lock:
            return max(self.longest,
                       time.monotonic_ns() - self.last) // 1000

    def since(self):
        """Microseconds since the last byte."""
        with self.lock:
            return (time.monotonic_ns() - self.last) // 1000


def read_all(conn, gaps):
    """Read until the end of the stream, which is a failure."""
    while conn.recv(65536):
        gaps.came()


def receive(where):
    """Read a stream, and answer questions about it."""
    conn = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMCR)
    conn.connect(where)
    gaps = Gaps()
    reader = threading.Thread(target=read_all, args=(conn, gaps), daemon=True)
    reader.start()
    print("receiving", flush=True)
    for line in sys.stdin:
        if not reader.is_alive():
            return 1
        if line == "mark\n":
            gaps.mark()
            print("marked", flush=True)
        else:
            print(gaps.gap() if line == "gap\n" else gaps.since(),
                  flush=True)
    return 0


if __name__ == "__main__":
    ROLE = {"send": send, "receive": receive}[sys.argv[1]]
    sys.exit(ROLE((sys.argv[2], int(sys.argv[3]))))
