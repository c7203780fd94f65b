#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Sockets that obey lines on standard input; each answers with one line.

    listen ADDRESS [OPTION]         listen on the port; the option, transparent or
                                    freebind, permits any address
    accept NAME
    connect NAME ADDRESS
    set NAME OPTION VALUE           user_timeout, keepalive (seconds), keepcnt
    send NAME TEXT                  "ok"; it never waits
    look NAME                       what a read finds now: text, EOF, an errno,
                                    or "nothing"
    read NAME                       the same, after waiting for it
    end NAME                        what poll() shows, after waiting for an
                                    error
    error NAME                      SO_ERROR: an errno, or "ok"
    queued NAME                     SIOCINQ: bytes that can be read
    fill NAME                       send until nothing has fitted for a second:
                                    the number of bytes
    put NAME                        send what fits now: the number of bytes
    sent NAME                       the number of bytes that "put" and "fill"
                                    have sent
    drain NAME                      read what a read finds now: the number of
                                    bytes
    rest NAME                       the same until the end of file
    shutdown NAME                   for sending
    close NAME
    bye                             the end of the program

usage: address.py PROTOCOL PORT
"""
import collections
import errno
import fcntl
import select
import socket
import struct
import sys
import termios
import time

# IP_TRANSPARENT, IPV6_TRANSPARENT, IP_FREEBIND, IPV6_FREEBIND
ANY_ADDRESS = {
    "transparent": {socket.AF_INET: (socket.SOL_IP, 19),
                    socket.AF_INET6: (socket.IPPROTO_IPV6, 75)},
    "freebind": {socket.AF_INET: (socket.SOL_IP, 15),
                 socket.AF_INET6: (socket.IPPROTO_IPV6, 78)},
}
socks = {}
sent_bytes = collections.Counter()
protocol, port = (int(arg) for arg in sys.argv[1:])


def new(address):
    """Return a new socket for an address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.socket(family, socket.SOCK_STREAM, protocol)


def listen(address, how=""):
    """Listen on an address."""
    sock = socks["listener"] = new(address)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if how:
        sock.setsockopt(*ANY_ADDRESS[how][sock.family], 1)
    sock.bind((address, port))
    sock.listen()


def accept(name):
    """Accept a connection."""
    socks[name], _ = socks["listener"].accept()


def connect(name, address):
    """Open a connection."""
    socks[name] = new(address)
    socks[name].connect((address, port))


def set_option(name, option, value):
    """Set an option of a connection."""
    sock, value = socks[name], int(value)
    if option == "user_timeout":
        sock.setsockopt(socket.SOL_TCP, socket.TCP_USER_TIMEOUT, value)
        return
    if option == "keepcnt":
        sock.setsockopt(socket.SOL_TCP, socket.TCP_KEEPCNT, value)
        return
    sock.setsockopt(socket.SOL_TCP, socket.TCP_KEEPIDLE, value)
    sock.setsockopt(socket.SOL_TCP, socket.TCP_KEEPINTVL, value)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def read(name, flags=0):
    """Return what a read finds."""
    try:
        return socks[name].recv(1000, flags).decode() or "EOF"
    except BlockingIOError:
        return "nothing"


def end(name):
    """Return what poll() shows after an error."""
    bits = ("POLLIN", "POLLOUT", "POLLERR", "POLLHUP", "POLLRDHUP")
    poller = select.poll()
    poller.register(socks[name], 0)
    poller.poll()
    poller.modify(socks[name], select.POLLIN | select.POLLOUT |
                  select.POLLRDHUP)
    ((_, events),) = poller.poll(0)
    return "+".join(bit for bit in bits if events & getattr(select, bit))


def error(name):
    """Return the pending error."""
    err = socks[name].getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    return errno.errorcode[err] if err else "ok"


def queued(name):
    """Return the number of unread bytes."""
    answer = fcntl.ioctl(socks[name], termios.FIONREAD, bytes(4))
    return str(struct.unpack("i", answer)[0])


def put(name):
    """Send until nothing fits; return the number of bytes."""
    before = sent_bytes[name]
    try:
        while True:
            sent_bytes[name] += socks[name].send(bytes(65536),
                                                 socket.MSG_DONTWAIT)
    except BlockingIOError:
        return sent_bytes[name] - before


def fill(name):
    """Send until nothing has fitted for a second: only time shows that."""
    sent_bytes[name] = 0
    while put(name):
        time.sleep(1)
    return str(sent_bytes[name])


def drain(name, flags=socket.MSG_DONTWAIT):
    """Read what is there, or without the flag until the end of file."""
    total = 0
    try:
        while got := socks[name].recv(65536, flags):
            total += len(got)
    except BlockingIOError:
        pass
    return str(total)


VERBS = {
    "listen": listen, "accept": accept, "connect": connect,
    "set": set_option, "read": read, "end": end, "error": error,
    "queued": queued, "fill": fill, "drain": drain,
    "rest": lambda name: drain(name, 0),
    "put": lambda name: str(put(name)),
    "sent": lambda name: str(sent_bytes[name]),
    "look": lambda name: read(name, socket.MSG_DONTWAIT),
    "send": lambda name, text: socks[name].send(text.encode(),
                                                socket.MSG_DONTWAIT) and None,
    "shutdown": lambda name: socks[name].shutdown(socket.SHUT_WR),
    "close": lambda name: socks.pop(name).close(),
}

print("serving", flush=True)
for line in sys.stdin:
    verb, *words = line.split()
    if verb == "bye":
        break
    try:
        answer = VERBS[verb](*words) or "ok"
    except OSError as err:
        answer = errno.errorcode[err.errno]
    print(answer, flush=True)
