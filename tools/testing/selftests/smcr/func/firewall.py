#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Connections over a path whose firewall forgets TCP.

    serve   count the numbered words of each client; send the count at the end
    talk    send a word each GAP seconds for SECONDS seconds, then the END, and
            read the server's count

A client prints "open" when the server has got its first word, and in the end
"exact", or the name of an errno. Its exit status tells of a word that the
server has missed or that was another one (lib/sock.py).

usage: firewall.py serve PROTOCOL ADDRESS PORT [LATE]
       firewall.py talk PROTOCOL ADDRESS PORT SECONDS GAP [KEEPALIVE]

LATE is for how many seconds a server does not read after the first word.
KEEPALIVE is IDLE,INTERVAL,COUNT.
"""
import errno
import socket
import sys
import threading
import time

from lib import sock as smcr

WORD = 8
END = bytes([255] * WORD)


def new_socket(protocol, address):
    """Return a socket for an address; protocol 0 is TCP."""
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    return socket.socket(family, socket.SOCK_STREAM, protocol)


def whole(sock):
    """Return the next word, or less at the end of the stream."""
    return smcr.heard(sock, WORD, socket.MSG_WAITALL)


def count_words(sock, late):
    """Serve one client."""
    count = 0
    try:
        while whole(sock) == count.to_bytes(WORD, "big"):
            count += 1
            if count == 1:
                sock.sendall(bytes(WORD))
                time.sleep(late)
        sock.sendall(count.to_bytes(WORD, "big"))
    except OSError as err:
        print("server:", err, file=sys.stderr, flush=True)
    sock.close()


def serve(protocol, address, late):
    """Serve until killed."""
    listener = new_socket(protocol, address)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    listener.listen()
    print("serving", flush=True)
    while True:
        sock, _ = listener.accept()
        threading.Thread(target=count_words, args=(sock, late),
                         daemon=True).start()


def keep(sock, values):
    """Set SO_KEEPALIVE, and check that it reads back as it was set."""
    names = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
    values = [int(value) for value in values.split(",")]
    for name, value in zip(names, values):
        sock.setsockopt(socket.IPPROTO_TCP, name, value)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return lambda: [sock.getsockopt(socket.IPPROTO_TCP, name)
                    for name in names] == values


def talk(protocol, address, seconds, gap, keepalive=None):
    """Run a client and return its result."""
    sock = new_socket(protocol, address)
    unchanged = keep(sock, keepalive) if keepalive else lambda: True
    sock.settimeout(60)
    sock.connect(address)
    end = time.monotonic() + seconds
    count = 0
    while count == 0 or time.monotonic() < end:
        sock.sendall(count.to_bytes(WORD, "big"))
        if count == 0:
            smcr.exact(whole(sock), bytes(WORD))
            print("open", flush=True)
        count += 1
        time.sleep(gap)
    sock.sendall(count.to_bytes(WORD, "big") + END)
    got = whole(sock)
    if not unchanged():
        return "keepalive changed"
    if sock.getpeername()[:2] != address:
        return "another peer"
    if smcr.exact(got + whole(sock), (count + 1).to_bytes(WORD, "big")):
        return "exact"
    return f"count {int.from_bytes(got, 'big')}"


def main():
    """Run one of the two ends."""
    verb, protocol, address, port, *rest = sys.argv[1:]
    address = (address, int(port))
    if verb == "serve":
        serve(int(protocol), address, float(rest[0]) if rest else 0)
        return
    try:
        result = talk(int(protocol), address, float(rest[0]), float(rest[1]),
                      *rest[2:])
    except TimeoutError as err:
        result = errno.errorcode[err.errno] if err.errno else "hangs"
    except OSError as err:
        result = errno.errorcode[err.errno]
    print(result, flush=True)
    sys.exit(smcr.status(result == "exact"))


main()
