#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Connect to targets that refuse, and print what each call says.

Each line is a target: its name, address and port, and how often the SYN is sent
again. Two sockets of PROTOCOL connect to it twice, one without blocking, and
then to GOOD, where a server listens. The lines that are printed are in the
order of the targets.

usage: targets.py PROTOCOL GOOD PORT <TARGETS
"""
import concurrent.futures
import errno
import select
import socket
import sys

PATIENCE_MS = 60000


def name_of(err):
    """Return the name of an errno."""
    return errno.errorcode.get(err, str(err)) if err else "0"


def connect(sock, address):
    """Return what connect() says. Python itself refuses some addresses."""
    try:
        sock.connect(address)
        return "0"
    except OSError as err:
        return name_of(err.errno) if err.errno else type(err).__name__


def mask_of(sock, wait):
    """Return what poll() says, if need be after some time."""
    poll = select.poll()
    poll.register(sock, select.POLLIN | select.POLLOUT | select.POLLPRI |
                  select.POLLRDHUP)
    if wait:
        poll.poll(PATIENCE_MS)
    ready = poll.poll(0)
    return format(ready[0][1], "x") if ready else "none"


def error_of(sock):
    """Return what getsockopt(SO_ERROR) says."""
    return name_of(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))


def attempt(sock, address, wait):
    """Return what the calls of one attempt say."""
    said = ["connect", connect(sock, address)]
    wait = wait and said[1] == "EINPROGRESS"
    said += ["poll", mask_of(sock, wait), "error", error_of(sock),
             "poll", mask_of(sock, False)]
    return said


def visit(protocol, good, name, address, again, wait):
    """Return the line of one target."""
    family = socket.AF_INET6 if ":" in good[0] else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM, protocol)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_SYNCNT, again)
    sock.setblocking(not wait)
    said = [name, "non-blocking:" if wait else "blocking:"]
    for _ in range(2):
        said += attempt(sock, address, wait)
    sock.settimeout(60)
    said += ["then", connect(sock, good)]
    sock.close()
    return " ".join(said)


def main():
    """Visit all targets at once."""
    protocol, good = int(sys.argv[1]), (sys.argv[2], int(sys.argv[3]))
    targets = [line.split() for line in sys.stdin]
    with concurrent.futures.ThreadPoolExecutor(2 * len(targets)) as pool:
        jobs = [pool.submit(visit, protocol, good, name,
                            (address, int(port)), int(again), wait)
                for name, address, port, again in targets
                for wait in (False, True)]
        for job in jobs:
            print(job.result())


if __name__ == "__main__":
    main()
