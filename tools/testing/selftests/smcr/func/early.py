#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Options that a program sets before it connects or listens.

They apply to the program's own bytes. They must not keep TCP from reporting or
sending a message of the handshake. A connection without them shows what TCP's
socket has: its cookie, and the queue of the device that its packets come over.

usage: early.py serve ADDRESS PORT      run a listener for each option
       early.py talk ADDRESS PORT       print a line for each option and each
                                        side that sets it: "good" or the error
       early.py lowat                   test SO_RCVLOWAT after a fallback
"""
import array
import fcntl
import re
import select
import socket
import struct
import subprocess
import sys
import termios
import time

from lib import sock as smcr

SO_INCOMING_NAPI_ID = 56
SO_COOKIE = 57
SIZE = 4096
# TCP sends what TCP_CORK holds back after this many seconds at the earliest.
CORKED = 0.2
TRIES = 3

OPTIONS = {
    "nothing": (),
    "SO_RCVLOWAT": (socket.SOL_SOCKET, socket.SO_RCVLOWAT, SIZE),
    "SO_RCVBUF": (socket.SOL_SOCKET, socket.SO_RCVBUF, 1),
    "SO_SNDBUF": (socket.SOL_SOCKET, socket.SO_SNDBUF, 1),
    "SO_KEEPALIVE": (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    # All times of transmission
    "SO_TIMESTAMPING": (socket.SOL_SOCKET, 37, 1 << 1 | 1 << 4 | 1 << 8 | 1 << 9),
    "TCP_CORK": (socket.SOL_TCP, socket.TCP_CORK, 1),
    "TCP_DEFER_ACCEPT": (socket.SOL_TCP, socket.TCP_DEFER_ACCEPT, 1),
    "TCP_MAXSEG": (socket.SOL_TCP, socket.TCP_MAXSEG, 88),
    "TCP_NODELAY": (socket.SOL_TCP, socket.TCP_NODELAY, 1),
    "TCP_NOTSENT_LOWAT": (socket.SOL_TCP, socket.TCP_NOTSENT_LOWAT, 1),
    "TCP_USER_TIMEOUT": (socket.SOL_TCP, socket.TCP_USER_TIMEOUT, 5000),
    "TCP_WINDOW_CLAMP": (socket.SOL_TCP, socket.TCP_WINDOW_CLAMP, 1),
}
# TCP reports values of its own for these options of a connection.
OTHER = "TCP_MAXSEG", "TCP_WINDOW_CLAMP", "TCP_DEFER_ACCEPT"


def smcr_socket(option=()):
    """Return a new socket of smcr with this option."""
    sock = smcr.smcr_socket()
    if option:
        sock.setsockopt(*option)
    return sock


def listening(sock, address):
    """Make a socket listen, even on a port that was in use before."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(address)
    sock.listen()
    return sock


def shows_tcp(sock):
    """Return True if a connection has the cookie that ss(8) shows, and has come
    over a queue."""
    here, there = sock.getsockname()[1], sock.getpeername()[1]
    out = subprocess.run(["ss", "-Htne", f"sport = :{here}",
                          f"dport = :{there}"],
                         check=True, capture_output=True, text=True).stdout
    cookie, = struct.unpack("=Q", sock.getsockopt(socket.SOL_SOCKET, SO_COOKIE,
                                                  8))
    shown = re.search(r"sk:([0-9a-f]+)", out)
    return bool(shown and int(shown[1], 16) == cookie and
                sock.getsockopt(socket.SOL_SOCKET, SO_INCOMING_NAPI_ID))


def no_times(sock):
    """Return True if the queue of errors has no times of transmission."""
    try:
        sock.recvmsg(1, 256, socket.MSG_ERRQUEUE)
        return False
    except BlockingIOError:
        return True


def kept(sock, name):
    """Return True if a connection has the value that setsockopt() set, and no
    effect of it on messages of the handshake."""
    if not OPTIONS[name]:
        return shows_tcp(sock)
    if name in OTHER:
        return True
    with smcr_socket(OPTIONS[name]) as like:
        level, number, _ = OPTIONS[name]
        return sock.getsockopt(level, number) == \
            like.getsockopt(level, number) and no_times(sock)


def say(sock, data):
    """Send all of the data, and let TCP hold nothing back."""
    sock.sendall(data)
    sock.setsockopt(socket.SOL_TCP, socket.TCP_CORK, 0)


def hear(sock):
    """Receive as many bytes as the other end sends."""
    return smcr.heard(sock, SIZE)


def serve(address, port):
    """Run a listener without options, and one for each option."""
    names = {}
    for i, name in enumerate(OPTIONS):
        sock = listening(smcr_socket(OPTIONS[name]), (address, int(port) + i))
        names[sock] = name
    print("serving", flush=True)
    while True:
        for listener in select.select(list(names), [], [])[0]:
            with listener.accept()[0] as conn:
                good = kept(conn, names[listener])
                heard = hear(conn)
                if heard == b"q" * SIZE:
                    say(conn, (b"y" if good else b"n") * SIZE)
                elif len(heard) == SIZE:
                    say(conn, b"w" * SIZE)


def talk_over(address, name, who, usual):
    """Test several connections, one after the other. Return what is wrong, and
    the fastest time of connect(). Without an option it is about usual."""
    fastest = 100.0
    for _ in range(TRIES):
        with smcr_socket(() if who == "server" else OPTIONS[name]) as sock:
            begin = time.monotonic()
            sock.connect(address)
            fastest = min(fastest, time.monotonic() - begin)
            if who != "server" and not kept(sock, name):
                return "the client's value is another one", fastest
            say(sock, b"q" * SIZE)
            answer = hear(sock)
        if answer == b"n" * SIZE:
            return "the server's value is another one", fastest
        if not smcr.exact(answer, b"y" * SIZE):
            return (f"the server says {answer[:1]!r}, {len(answer)} bytes",
                    fastest)
    if fastest >= usual + CORKED * 3 / 4:
        return (f"the fastest connect() took {fastest:.3f} s, "
                f"and {usual:.3f} s without an option"), fastest
    return "", fastest


def talk(address, port):
    """Connect to the listener with each option, or to the one without; return
    the exit status."""
    usual = 100.0
    for i, name in enumerate(OPTIONS):
        for who in "client", "server", "both":
            to = (address, int(port) + (0 if who == "client" else i))
            try:
                wrong, took = talk_over(to, name, who, usual)
                if name == "nothing":
                    usual = min(usual, took)
            except OSError as error:
                wrong = str(error)
            print(wrong.replace(" ", "_") or "good", name, "set by", who,
                  flush=True)
    return smcr.status()


def waits_for_more(sock, peer, size):
    """Return True if a socket is readable at SIZE bytes and not at fewer."""
    count = array.array("i", [0])
    peer.sendall(b"x" * (size - 1))
    while count[0] < size - 1:
        fcntl.ioctl(sock, termios.FIONREAD, count)
    if select.select([sock], [], [], 0)[0]:
        return False
    peer.sendall(b"x")
    return bool(select.select([sock], [], [], 10)[0])


def lowat():
    """Test connections of a host with itself that fall back at either end."""
    size = 64
    option = (socket.SOL_SOCKET, socket.SO_RCVLOWAT, size)
    for early in True, False:
        for make in (smcr_socket, socket.socket), (socket.socket, smcr_socket):
            with make[0]() as client, \
                 listening(make[1](), ("127.0.0.1", 0)) as listener:
                ours = client if make[0] is smcr_socket else listener
                if early:
                    ours.setsockopt(*option)
                client.connect(listener.getsockname())
                with listener.accept()[0] as server:
                    pair = [client, server]
                    if ours is listener:
                        pair.reverse()
                    if not early:
                        pair[0].setsockopt(*option)
                    if not waits_for_more(*pair, size):
                        return f"{pair[0]} does not wait, early: {early}"
    return 0


if __name__ == "__main__":
    verbs = {"serve": serve, "talk": talk, "lowat": lowat}
    sys.exit(verbs[sys.argv[1]](*sys.argv[2:]))
