#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Connections that the client closes first, and the server at once.

    close   the client sends a byte and closes, COUNT times
    linger  the same, but its close() waits until the byte has arrived

usage: detach.py serve|close|linger ADDRESS PORT COUNT
"""
import socket
import struct
import sys

from lib import sock as smcr


def serve_one(sock):
    """Close as soon as the byte has come."""
    sock.recv(1)
    sock.close()


def close(address, count, linger):
    """Open and close connections, one after the other."""
    for _ in range(count):
        sock = smcr.connected(address)
        if linger:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                            struct.pack("ii", 1, 5))
        sock.send(b"x")
        sock.close()


def main():
    """Run one of the two ends."""
    what, address, port, count = sys.argv[1:]
    address = (address, int(port))
    if what == "serve":
        smcr.serve(address, serve_one)
    else:
        close(address, int(count), what == "linger")


main()
