#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Bytes that begin like a CLC message, to a server that has become plain TCP.

The server listens on PORT, over PROTOCOL, and on the port after that, over TCP,
for orders. The client runs all cases at once, each over a connection and orders
of its own, and prints a line for each: its name and "right", or what was wrong.

HELD says that the server runs smcr and waits for a Proposal: it holds a part of
the eye catcher, and resets at a whole one. Without it, which is plain TCP, the
program gets each byte at once.

usage: late.py serve PROTOCOL ADDRESS PORT
       late.py try PROTOCOL ADDRESS PORT [held]
"""
import errno
import fcntl
import select
import socket
import struct
import sys
import termios
import threading
import time

LIMIT = 60
EYE = b"\xe2\xd4\xc3\xd9"
# The rest of a Proposal's length does not matter: nobody reads so far
REST = bytes((1, 0, 52, 0x10)) + bytes(44)
OTHER = b"no eye catcher"
SIOCOUTQ = termios.TIOCOUTQ


def name_of(err):
    """Return the name of an error."""
    return errno.errorcode.get(err.errno, str(err))


def number(sock, request):
    """Return the number that an ioctl answers."""
    return struct.unpack("i", fcntl.ioctl(sock, request, bytes(4)))[0]


class Conn:
    """A connection of the server, and a thread that reads it."""

    def __init__(self, sock):
        self.sock = sock
        self.first = 0
        self.thread = None
        self.came = ""

    def look(self):
        """Return what a program finds now: "nothing", or what differs."""
        poll, epoll = select.poll(), select.epoll()
        poll.register(self.sock, select.POLLIN)
        epoll.register(self.sock, select.EPOLLIN | select.EPOLLET)
        found = [str(bool(poll.poll(0))), str(bool(epoll.poll(0))),
                 str(number(self.sock, termios.FIONREAD))]
        epoll.close()
        try:
            found.append(self.sock.recv(
                100, socket.MSG_PEEK | socket.MSG_DONTWAIT).hex())
        except OSError as err:
            found.append(name_of(err))
        nothing = ["False", "False", "0", "EAGAIN"]
        return "nothing" if found == nothing else " ".join(found)

    def readable(self):
        """Wait until poll() finds something."""
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        return str(bool(poll.poll(LIMIT * 1000)))

    def lowat(self, value):
        """Set SO_RCVLOWAT."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, int(value))
        return "ok"

    def take(self):
        """Return what one recv() gets."""
        try:
            return self.sock.recv(100).hex() or "EOF"
        except OSError as err:
            return name_of(err)

    def read_all(self):
        """Read until the end; the first recv() only looks."""
        came = b""
        end = "EOF"
        try:
            self.first = len(self.sock.recv(100, socket.MSG_PEEK))
            while data := self.sock.recv(100):
                came += data
        except OSError as err:
            end = name_of(err)
        self.came = came.hex() + end

    def begin(self):
        """Start to read."""
        self.thread = threading.Thread(target=self.read_all, daemon=True)
        self.thread.start()
        return "ok"

    def result(self):
        """Return how many bytes the first look found, and all, with the end."""
        if not self.thread:
            self.begin()
        self.thread.join(LIMIT)
        return f"{self.first} {self.came}"


class Server:
    """The connections by the client's port."""

    def __init__(self, protocol, host, port):
        self.conns = {}
        self.news = threading.Condition()
        self.data = listener(protocol, host, port)
        self.orders = listener(0, host, port + 1)

    def accept(self):
        """Accept connections."""
        while True:
            sock, peer = self.data.accept()
            with self.news:
                self.conns[peer[1]] = Conn(sock)
                self.news.notify_all()

    def obey(self, sock):
        """Answer orders, VERB PORT [VALUE], each with a line."""
        with sock.makefile("rw") as lines:
            for line in lines:
                verb, port, *more = line.split()
                with self.news:
                    known = self.news.wait_for(
                        lambda key=int(port): key in self.conns, LIMIT)
                if not known:
                    answer = "none"
                elif verb == "has":
                    answer = "ok"
                else:
                    answer = getattr(self.conns[int(port)], verb)(*more)
                print(answer, file=lines, flush=True)

    def run(self):
        """Serve until killed."""
        threading.Thread(target=self.accept, daemon=True).start()
        print("serving", flush=True)
        while True:
            sock, _ = self.orders.accept()
            threading.Thread(target=self.obey, args=(sock,),
                             daemon=True).start()


def listener(protocol, host, port):
    """Return a socket that listens."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((host, port))
    sock.listen(100)
    return sock


class Client:
    """One connection, and the orders to its server's end."""

    def __init__(self, protocol, host, port, held):
        self.held = held
        self.reads = False
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
        self.sock.settimeout(LIMIT)
        self.sock.setsockopt(socket.SOL_TCP, socket.TCP_NODELAY, 1)
        self.wrong = []
        self.orders = socket.create_connection((host, port + 1), LIMIT)
        self.lines = self.orders.makefile("rw")

    def send(self, data):
        """Send a segment, and return when the server has it."""
        end = time.monotonic() + LIMIT
        self.sock.sendall(data)
        while number(self.sock, SIOCOUTQ):
            if time.monotonic() > end:
                self.wrong.append("nothing is acknowledged")
                return
            time.sleep(0.01)

    def ask(self, verb, *more):
        """Return what the server answers."""
        print(verb, self.sock.getsockname()[1], *more, file=self.lines,
              flush=True)
        return self.lines.readline().strip()

    def wants(self, wanted, verb, *more):
        """Note what the server answers if it is not what was wanted."""
        answer = self.ask(verb, *more)
        if answer not in wanted:
            self.wrong.append(f"{verb}: {answer}, not {wanted[0]}")

    def reader(self):
        """Let a thread of the server read all."""
        self.reads = True
        self.ask("begin")

    def hidden(self, data):
        """Check that the server's program cannot see these bytes yet."""
        if self.reads and not self.held:
            return
        self.wants(["nothing"] if self.held else
                   [f"True True {len(data)} {data.hex()}"], "look")

    def shown(self, data):
        """Check that it can see these."""
        self.wants([f"True True {len(data)} {data.hex()}"], "look")

    def all(self, data, end="EOF", first=0):
        """Check what the server's program has read, and what it saw first."""
        found, came = (self.ask("result") + " ").split(" ", 1)
        if came.strip() != data.hex() + end:
            self.wrong.append(f"the program has read {came.strip()}")
        if self.held and first and int(found) != first:
            self.wrong.append(f"it saw {found} bytes first, not {first}")

    def reset(self):
        """Check that this end gets a RST."""
        try:
            self.wrong.append(f"the client got {self.sock.recv(10)}")
        except OSError as err:
            if err.errno != errno.ECONNRESET:
                self.wrong.append(f"the client got {name_of(err)}")

    def late(self, size):
        """Send the rest of a Proposal of which the program has read nothing."""
        self.sock.sendall(EYE[size:] + REST)
        if self.held:
            self.reset()
            self.all(b"", "ECONNRESET")
        else:
            self.sock.shutdown(socket.SHUT_WR)
            self.all(EYE + REST)


def proposal(client, size):
    """A Proposal in two pieces, while a thread reads."""
    client.reader()
    client.send(EYE[:size])
    client.hidden(EYE[:size])
    client.late(size)


def by_byte(client, _):
    """A Proposal, a byte at a time."""
    for i in range(3):
        client.send(EYE[i:i + 1])
        client.hidden(EYE[:i + 1])
    client.late(3)


def program(client, size):
    """The bytes of a program begin like an eye catcher."""
    client.reader()
    client.send(EYE[:size])
    client.send(OTHER)
    client.sock.shutdown(socket.SHUT_WR)
    client.all(EYE[:size] + OTHER, first=size + len(OTHER))


def other_byte(client, size):
    """The same, a byte at a time, and a look at each."""
    for i in range(size):
        client.send(EYE[i:i + 1])
        client.hidden(EYE[:i + 1])
    client.send(OTHER[:1])
    client.shown(EYE[:size] + OTHER[:1])
    client.send(OTHER[1:])
    client.sock.shutdown(socket.SHUT_WR)
    client.all(EYE[:size] + OTHER)


def fin(client, size):
    """A FIN after a part of the eye catcher."""
    client.reader()
    client.send(EYE[:size])
    client.hidden(EYE[:size])
    client.sock.shutdown(socket.SHUT_WR)
    client.all(EYE[:size], first=size)


def rst(client, size):
    """A RST after a part of the eye catcher."""
    client.reader()
    client.send(EYE[:size])
    client.hidden(EYE[:size])
    port = client.sock.getsockname()
    client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                           struct.pack("ii", 1, 0))
    client.sock.close()
    client.sock = NoSocket(port)
    client.all(EYE[:size], "ECONNRESET")


class NoSocket:
    """The name of a socket that is closed."""

    def __init__(self, name):
        self.getsockname = lambda: name
        self.close = lambda: None


def time_over(client, size):
    """Nothing follows, and the program reads what there is; then all is its."""
    client.send(EYE[:size])
    client.hidden(EYE[:size])
    client.wants([EYE[:size].hex()], "take")
    client.send(EYE[size:] + REST)
    client.sock.shutdown(socket.SHUT_WR)
    client.all(EYE[size:] + REST)


def time_unread(client, size):
    """Nothing follows, until the program may read; it does not."""
    client.send(EYE[:size])
    client.hidden(EYE[:size])
    client.wants(["True"], "readable")
    client.shown(EYE[:size])
    client.late(size)


def lowat(client, size):
    """The program wants eight bytes at least."""
    client.wants(["ok"], "lowat", 8)
    client.send(EYE[:size])
    client.send(OTHER[:1])
    client.wants([f"False False {size + 1} {(EYE[:size] + OTHER[:1]).hex()}"],
                 "look")
    client.send(OTHER[1:])
    client.shown(EYE[:size] + OTHER)
    client.sock.shutdown(socket.SHUT_WR)
    client.all(EYE[:size] + OTHER)


def early_unread(client, size):
    """A part has come before the server gave up waiting; it is the program's."""
    client.shown(EYE[:size])
    client.late(size)


def early_read(client, size):
    """The same, and the program reads it."""
    client.wants([EYE[:size].hex()], "take")
    client.send(EYE[size:] + REST)
    client.sock.shutdown(socket.SHUT_WR)
    client.all(EYE[size:] + REST)


EARLY = (early_unread, early_read)
CASES = [(case, size) for case in (proposal, program, other_byte, fin, rst)
         for size in (1, 2, 3)]
CASES += [(by_byte, 3), (time_over, 1), (time_unread, 2), (lowat, 3),
          (early_unread, 1), (early_read, 2)]


def run(case, size, args):
    """Run a case once the server's program has accepted."""
    client = Client(*args)
    try:
        client.sock.connect((args[1], args[2]))
        if case in EARLY:
            client.send(EYE[:size])
        client.wants(["ok"], "has")
        case(client, size)
    except OSError as err:
        client.wrong.append(name_of(err))
    print(f"{case.__name__} {size}:", "; ".join(client.wrong) or "right",
          flush=True)
    client.sock.close()
    client.orders.close()


def main():
    """Run one of the two ends."""
    verb, protocol, host, port, *held = sys.argv[1:]
    if verb == "serve":
        Server(int(protocol), host, int(port)).run()
    args = (int(protocol), host, int(port), bool(held))
    threads = [threading.Thread(target=run, args=(*case, args))
               for case in CASES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
