#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A server and clients of the test of paths that treat the TCP option badly.

PROTOCOL is 0 for TCP, 257 for smcr. The server prints "serving" when it
listens, echoes, and serves until it is killed. A client prints one line: "exact"
if each byte came back and no other, or else what came, or the name of an errno.

usage: paths.py serve PROTOCOL ADDRESS PORT
       paths.py talk PROTOCOL ADDRESS PORT
       paths.py cross PROTOCOL OWN-ADDRESS PORT ADDRESS PORT
"""
import errno
import socket
import sys
import threading

LIMIT = 100
HELLO = b"hello"


def new_socket(protocol, host):
    """Return a new socket of a protocol for addresses like this one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM, protocol)
    sock.settimeout(LIMIT)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return sock


def echo(conn):
    """Send back what comes, until the end."""
    with conn:
        try:
            while data := conn.recv(1000):
                conn.sendall(data)
        except OSError as err:
            print(f"# the server got {err}", file=sys.stderr, flush=True)


def serve(protocol, host, port):
    """Serve each connection in a thread of its own."""
    listener = new_socket(protocol, host)
    listener.bind((host, port))
    listener.listen()
    listener.settimeout(None)
    print("serving", flush=True)
    while True:
        conn = listener.accept()[0]
        threading.Thread(target=echo, args=(conn,), daemon=True).start()


def heard(sock, size):
    """Return the next bytes, fewer at the end of the stream."""
    data = b""
    while len(data) < size:
        more = sock.recv(size - len(data))
        if not more:
            break
        data += more
    return data


def verdict(came, wanted):
    """Return what a client prints about its bytes."""
    return "exact" if came == wanted else f"{came!r}"


def talk(protocol, host, port):
    """Connect, and compare what comes back up to the end of the stream."""
    with new_socket(protocol, host) as sock:
        sock.connect((host, port))
        sock.sendall(HELLO)
        sock.shutdown(socket.SHUT_WR)
        return verdict(heard(sock, 100), HELLO)


def cross(protocol, own, peer):
    """Connect to a peer that connects, too; each end sends the same bytes."""
    with new_socket(protocol, own[0]) as sock:
        sock.bind(own)
        sock.connect(peer)
        sock.sendall(HELLO)
        sock.shutdown(socket.SHUT_WR)
        return verdict(heard(sock, 100), HELLO)


def main():
    """Run the function that the first word names."""
    verb, protocol, host, port, *peer = sys.argv[1:]
    if verb == "serve":
        serve(int(protocol), host, int(port))
    try:
        if verb == "talk":
            print(talk(int(protocol), host, int(port)))
        else:
            print(cross(int(protocol), (host, int(port)),
                        (peer[0], int(peer[1]))))
    except OSError as err:
        print(errno.errorcode.get(err.errno, err))


main()
