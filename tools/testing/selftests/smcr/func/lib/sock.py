#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Library of the tests' Python programs: smcr's sockets, a server, and the
exit status of a program that judges bytes.

As a program it opens one connection, waits for a byte with "read", and prints
the result: "connected", "data", "EOF" or the name of an errno.

usage: sock.py connect|read ADDRESS PORT
"""
import errno
import socket
import sys
import threading

IPPROTO_SMCR = 257
# Exit status of a program to which a byte came that is wrong, or from which one
# is missing at an orderly end (util.h). The bed never excuses it.
WRONG_BYTES = 9

wrong = threading.Event()


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


def heard(sock, size, flags=0):
    """Return the next bytes: so many, or fewer if the stream ends in order. An
    errno or a time limit is an exception."""
    data = b""
    while len(data) < size:
        more = sock.recv(size - len(data), flags)
        if not more:
            break
        data += more
    return data


def wrong_bytes():
    """Note that a received byte is wrong or missing."""
    wrong.set()


def exact(came, wanted):
    """Return whether what heard() has returned is what was wanted, and note it
    if not."""
    if came != wanted:
        wrong_bytes()
    return came == wanted


def status(good=True):
    """Return the exit status of this program: 0 or 1, but WRONG_BYTES if a byte
    was."""
    return WRONG_BYTES if wrong.is_set() else int(not good)


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
