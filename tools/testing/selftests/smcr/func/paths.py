#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A server and clients of the test of paths that treat the TCP option badly.

PROTOCOL is 0 for TCP, 257 for smcr. The server prints "serving" when it
listens, echoes, and serves until it is killed; with "greet" it speaks first. A
client prints one line: "exact" if each byte came back and no other, or else what
came, or the name of an errno. If bytes are wrong or missing, the exit status
tells (lib/sock.py). "flood" connects from COUNT addresses of a network, one
after the other. "offer" is a client over TCP whose SYN has the option, as if
something had sent it again; it says whether the server has answered the option.
"steady" sends its message again and again, until SIGTERM, and prints a line each
time it comes back. SOURCE binds a client, and BYTES makes it send as many; each
eight of them differ.

usage: paths.py serve|greet PROTOCOL ADDRESS PORT
       paths.py talk|listen|close|offer|steady PROTOCOL ADDRESS PORT
                [SOURCE SOURCE-PORT BYTES]
       paths.py flood PROTOCOL ADDRESS PORT NETWORK COUNT
       paths.py cross PROTOCOL OWN-ADDRESS PORT ADDRESS PORT
"""
import errno
import fcntl
import ipaddress
import itertools
import signal
import socket
import sys
import threading

from lib import sock as smcr

LIMIT = 100
HELLO = b"hello"
GREETING = b"220 "
# ioctls of mod/synopt.c
SYNOPT = "/dev/synopt"
SYNOPT_MARK = 0x7901
SYNOPT_AGREED = 0x7902


def new_socket(protocol, host):
    """Return a new socket of a protocol for addresses like this one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM, protocol)
    sock.settimeout(LIMIT)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return sock


def address_of(host, port):
    """Return the address of a socket; HOST may have a zone."""
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4]


def echo(conn, first):
    """Send what comes first, then back what comes, until the end."""
    got = 0
    with conn:
        try:
            conn.sendall(first)
            while data := conn.recv(1000):
                got += len(data)
                conn.sendall(data)
        except OSError as err:
            print(f"# the server got {got} bytes and {err}", file=sys.stderr,
                  flush=True)


def serve(protocol, host, port, first):
    """Serve each connection in a thread of its own."""
    listener = new_socket(protocol, host)
    listener.bind(address_of(host, port))
    listener.listen()
    listener.settimeout(None)
    print("serving", flush=True)
    while True:
        conn = listener.accept()[0]
        threading.Thread(target=echo, args=(conn, first), daemon=True).start()


def verdict(came, wanted):
    """Return what a client prints about its bytes."""
    return "exact" if smcr.exact(came, wanted) else \
        f"{len(came)} bytes, first {came[:40]!r}"


def talk(sock, address, message):
    """Speak first, and end the stream."""
    sock.connect(address)
    sock.sendall(message)
    sock.shutdown(socket.SHUT_WR)
    return verdict(smcr.heard(sock, len(message) + 1), message)


def listen(sock, address, message):
    """Let the server speak first."""
    sock.connect(address)
    came = smcr.heard(sock, len(GREETING))
    sock.sendall(message)
    sock.shutdown(socket.SHUT_WR)
    came += smcr.heard(sock, len(message) + 1)
    return verdict(came, GREETING + message)


def close(sock, address, _):
    """Say nothing, and end the stream."""
    sock.connect(address)
    sock.shutdown(socket.SHUT_WR)
    return verdict(smcr.heard(sock, 100), b"")


def offer(sock, address, message):
    """Talk as TCP after a SYN with the option."""
    with open(SYNOPT, "rb", buffering=0) as synopt:
        fcntl.ioctl(synopt, SYNOPT_MARK, sock.fileno())
        sock.connect(address)
        if fcntl.ioctl(synopt, SYNOPT_AGREED, sock.fileno()):
            return "the option was answered"
    sock.sendall(message)
    sock.shutdown(socket.SHUT_WR)
    return verdict(smcr.heard(sock, len(message) + 1), message)


def steady(sock, address, message):
    """Talk until SIGTERM."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    sock.connect(address)
    came = message
    while came == message and not stop.is_set():
        sock.sendall(message)
        came = smcr.heard(sock, len(message))
        print("word", flush=True)
        stop.wait(0.05)
    return verdict(came, message)


def client(function, protocol, address, more):
    """Run one of these five on a new socket."""
    message = HELLO
    with new_socket(protocol, address[0]) as sock:
        if more:
            sock.bind((more[0], int(more[1])))
            message = b"".join(b"%07d\n" % n for n in range(int(more[2]) // 8))
        return function(sock, address, message)


def flood(protocol, host, port, network, count):
    """Talk to a server from one source address after the other."""
    sources = ipaddress.ip_network(network).hosts()
    for source in itertools.islice(sources, count):
        with new_socket(protocol, host) as sock:
            sock.bind((str(source), 0))
            sock.connect((host, port))
            sock.sendall(HELLO)
            came = smcr.heard(sock, len(HELLO))
        if came != HELLO:
            break
    return verdict(came, HELLO)


def cross(protocol, own, peer):
    """Connect to a peer that connects, too; each end sends the same bytes."""
    with new_socket(protocol, own[0]) as sock:
        sock.bind(own)
        sock.connect(peer)
        sock.sendall(HELLO)
        sock.shutdown(socket.SHUT_WR)
        return verdict(smcr.heard(sock, 100), HELLO)


def main():
    """Run the function that the first word names."""
    verb, protocol, host, port, *peer = sys.argv[1:]
    if verb in ("serve", "greet"):
        serve(int(protocol), host, int(port),
              GREETING if verb == "greet" else b"")
    function = {"talk": talk, "listen": listen, "close": close,
                "offer": offer, "steady": steady}.get(verb)
    try:
        if verb == "flood":
            result = flood(int(protocol), host, int(port), peer[0],
                           int(peer[1]))
        elif function:
            result = client(function, int(protocol), address_of(host, port),
                            peer)
        else:
            result = cross(int(protocol), (host, int(port)),
                           (peer[0], int(peer[1])))
    except OSError as err:
        result = errno.errorcode.get(err.errno, err)
    print(result)
    return smcr.status(result == "exact")


sys.exit(main())
