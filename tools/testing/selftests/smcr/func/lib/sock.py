#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Library of the tests' Python programs: smcr's sockets and a server.

As a program it opens one connection, waits for a byte with "read", and prints
the result: "connected", "data", "EOF" or the name of an errno.

usage: sock.py connect|read ADDRESS PORT
"""
import errno
import socket
import sys
import threading

IPPROTO_SMCR = 257


def smcr_socket():
    """Return a new socket of smcr."""
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMCR)


def stream(protocol=0):
    """Return a new socket, which may bind to an address just used."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return sock


def connected(address, rcvbuf=0):
    """Return a connection to a server, with a receive buffer of this size."""
    sock = smcr_socket()
    if rcvbuf:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
    sock.connect(address)
    return sock


def word(function, *args):
    """Return the result of a call, or the name of its errno."""
    try:
        return str(function(*args) or 0)
    except OSError as err:
        return errno.errorcode[err.errno]


def serve(address, function):
    """Call function(socket) in a thread for each connection, until killed."""
    listener = stream(IPPROTO_SMCR)
    listener.bind(address)
    listener.listen()
    print("serving", flush=True)
    while True:
        sock, _ = listener.accept()
        threading.Thread(target=function, args=(sock,), daemon=True).start()


def outcome(verb, address):
    """Open one connection and return its result in a word."""
    try:
        sock = connected(address)
        if verb == "connect":
            return "connected"
        return "data" if sock.recv(1) else "EOF"
    except OSError as err:
        return errno.errorcode[err.errno]


if __name__ == "__main__":
    print(outcome(sys.argv[1], (sys.argv[2], int(sys.argv[3]))), flush=True)
