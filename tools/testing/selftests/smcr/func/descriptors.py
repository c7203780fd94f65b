#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Use descriptors of a connection, and of its listener, while it is made.

Each case connects to its own listener on ADDRESS. While smcr's handshake runs,
the descriptors change hands, and their new users begin their calls. Then the
handshake may end. What the users see is printed; it must be the same over TCP
(protocol 0), over smcr (257), and over smcr if the handshake ends in TCP.

HOLD is the file of ../mod/noaccept.c that keeps smcr from accepting TCP's
children, so that a handshake does not end.

usage: descriptors.py cases ADDRESS PROTOCOL [HOLD]
       descriptors.py client|listener SOCKET PIPE CLOSED
"""
import ctypes
import errno
import os
import select
import socket
import sys
import time

from lib import uring
from lib.sock import WRONG_BYTES, exact, heard, status, stream, word, \
    wrong_bytes

STAT = "/proc/net/smcr_stat"
READY = b"."
WAIT = 30
MASKS = ((select.EPOLLIN, "in"), (select.EPOLLOUT, "out"),
         (select.EPOLLERR, "err"), (select.EPOLLHUP, "hup"))


def named(mask):
    """Return the names of epoll's events."""
    return "+".join(name for bit, name in MASKS if mask & bit)


def receive(sock, wanted):
    """Receive as many bytes as are wanted, or fewer before the end."""
    got = heard(sock, len(wanted))
    exact(got, wanted)
    return got


def ask(sock):
    """Be the client: send a word, and return what comes back."""
    sock.sendall(b"ping")
    return receive(sock, b"PING")


def answer(conn):
    """Be the server of ask()."""
    got = receive(conn, b"ping")
    conn.sendall(got.upper())
    return got


def end_of(sock):
    """Return what comes at the end of a stream: nothing."""
    got = sock.recv(1)
    exact(got, b"")
    return got


def use_client(sock):
    """Return what the client sees."""
    with sock:
        return str(ask(sock))


def use_listener(sock):
    """Return what the server sees: its client ends the connection."""
    with sock, sock.accept()[0] as conn:
        return f"{answer(conn)} {end_of(conn)}"


USES = {"client": use_client, "listener": use_listener}


class User:
    """A process that writes READY and then what function(*args) returns."""

    def __init__(self, function, *args):
        self.pipe, self.out = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.pipe)
            self.run(function, args)
        os.close(self.out)

    def run(self, function, args):
        """Be the process."""
        try:
            os.write(self.out, str(function(self.out, *args)).encode())
        except OSError as err:
            os.write(self.out, errno.errorcode[err.errno].encode())
        finally:
            os._exit(status())

    def await_calls(self):
        """Wait until the process sleeps in a call, or has ended."""
        end = time.monotonic() + WAIT
        if os.read(self.pipe, 1) != READY:
            sys.exit("a user did not begin")
        while time.monotonic() < end:
            with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
                if file.read().rsplit(")", 1)[1].split()[0] in "SZ":
                    return
            time.sleep(0.001)
        sys.exit("a user does not sleep")

    def result(self):
        """Wait for the end; return what the process has written."""
        said = b""
        while more := os.read(self.pipe, 4096):
            said += more
        os.close(self.pipe)
        if os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]) == WRONG_BYTES:
            wrong_bytes()
        return said.decode()


def forked(out, role, sock, other):
    """Use a socket that fork() has copied, beside one that it does not need."""
    other.close()
    os.write(out, READY)
    return USES[role](sock)


def passed(out, role, channel):
    """Use a socket that comes as a message."""
    file = socket.recv_fds(channel, 1, 1)[1][0]
    os.write(out, READY)
    return USES[role](socket.socket(fileno=file))


def executed(out, role, sock, _):
    """Use a socket that another program inherits, and no other descriptor."""
    closed = os.dup(sock.fileno())
    os.set_inheritable(out, True)
    os.set_inheritable(sock.fileno(), True)
    os.execv(sys.executable,
             [sys.executable, "-B", os.path.abspath(__file__), role,
              str(sock.fileno()), str(out), str(closed)])


def program(role, file, out, closed):
    """Be the other program."""
    gone = word(os.fstat, closed)
    os.write(out, READY)
    said = USES[role](socket.socket(fileno=file))
    os.write(out, f"{said} {gone}".encode())


def waiter(out, outer, inner):
    """Wait at an epoll set that contains another one."""
    os.write(out, READY)
    outer.poll(WAIT)
    return named(inner.poll(0)[0][1])


def reader(out, sock):
    """Receive one byte."""
    os.write(out, READY)
    return sock.recv(1)


def in_flight():
    """Return the number of handshakes that have not ended."""
    with open(STAT, encoding="ascii") as file:
        stat = dict(line.split() for line in file)
    return int(stat["HandshakesStarted"]) - int(stat["HandshakesEnded"])


class Cases:
    """The cases for one address and one protocol."""

    def __init__(self, address, protocol, hold=None):
        self.address = address
        self.protocol = protocol
        self.hold = hold
        self.listener = None

    def set_hold(self, value):
        """Let no handshake end, or let them end."""
        if self.hold:
            with open(self.hold, "w", encoding="ascii") as file:
                file.write(value)

    def begin(self):
        """Return a client whose connection is being made."""
        self.set_hold("1")
        self.listener = stream(self.protocol)
        self.listener.bind((self.address, 0))
        self.listener.listen()
        client = stream(self.protocol)
        client.setblocking(False)
        print("connect", errno.errorcode[client.connect_ex(
            self.listener.getsockname())])
        client.setblocking(True)
        return client

    def proceed(self):
        """Let the handshake end, which has not done so yet."""
        if self.hold and in_flight() != 1:
            sys.exit(f"{in_flight()} handshakes are held")
        self.set_hold("0")

    def serve(self):
        """Answer the client until it ends the connection."""
        print("server", use_listener(self.listener))

    def hand_over(self, role, how):
        """Give the client or the listener to another process."""
        ours, theirs = socket.socketpair()
        user = User(passed, role, theirs) if how is passed else None
        theirs.close()
        client = self.begin()
        sock, other = client, self.listener
        if role == "listener":
            sock, other = other, sock
        if user:
            socket.send_fds(ours, [b"x"], [sock.fileno()])
        else:
            user = User(how, role, sock, other)
        ours.close()
        sock.close()
        user.await_calls()
        self.proceed()
        if role == "client":
            self.serve()
        else:
            print("client", use_client(client))
        print("user", user.result())

    def client_forked(self):
        """A client in a forked process."""
        self.hand_over("client", forked)

    def client_passed(self):
        """A client in a message."""
        self.hand_over("client", passed)

    def client_executed(self):
        """A client in another program."""
        self.hand_over("client", executed)

    def listener_forked(self):
        """A listener in a forked process."""
        self.hand_over("listener", forked)

    def listener_passed(self):
        """A listener in a message."""
        self.hand_over("listener", passed)

    def listener_executed(self):
        """A listener in another program."""
        self.hand_over("listener", executed)

    def nobodys(self):
        """A client that is in a message, and nowhere else, meanwhile."""
        ours, theirs = socket.socketpair()
        client = self.begin()
        with ours, theirs:
            socket.send_fds(ours, [b"x"], [client.fileno()])
            client.close()
            self.proceed()
            conn = self.listener.accept()[0]
            file = socket.recv_fds(theirs, 1, 1)[1][0]
        self.talk(socket.socket(fileno=file), conn)

    def duplicated(self):
        """A client under another number."""
        client = self.begin()
        other = os.open("/dev/null", os.O_RDONLY)
        os.dup2(client.fileno(), other)
        client.setblocking(False)
        client.close()
        print("blocks", os.get_blocking(other))
        os.set_blocking(other, True)
        self.proceed()
        self.talk(socket.socket(fileno=other), self.listener.accept()[0])

    @staticmethod
    def talk(client, conn):
        """Let both ends of a connection speak in turn."""
        client.sendall(b"ping")
        print("server", answer(conn))
        print("client", receive(client, b"PING"))
        client.close()
        print("server", end_of(conn))
        conn.close()

    def two_readers(self):
        """A client of which two processes read."""
        client = self.begin()
        users = [User(reader, client), User(reader, client)]
        client.close()
        for user in users:
            user.await_calls()
        self.proceed()
        with self.listener.accept()[0] as conn:
            conn.sendall(b"ab")
            print("users", sorted(user.result() for user in users))
            print("server", end_of(conn))

    def in_epoll_set(self):
        """A client in an epoll set inside another, under a closed number."""
        client = self.begin()
        inner, outer = select.epoll(), select.epoll()
        inner.register(client, select.EPOLLIN | select.EPOLLOUT |
                       select.EPOLLET)
        outer.register(inner, select.EPOLLIN)
        copy = client.dup()
        client.close()
        user = User(waiter, outer, inner)
        user.await_calls()
        self.proceed()
        print("user", user.result())
        with self.listener.accept()[0] as conn:
            conn.sendall(b"ping")
            while not (mask := inner.poll(WAIT)[0][1]) & select.EPOLLIN:
                pass
            print("set", named(mask))
            print("client", receive(copy, b"ping"))
            copy.close()
            print("set", inner.poll(0))
            print("server", end_of(conn))

    def fixed_client(self):
        """A client that only an io_uring has."""
        client = self.begin()
        ring = uring.Ring()
        ring.register([client.fileno()])
        client.close()
        sent = ctypes.create_string_buffer(b"ping", 4)
        got = ctypes.create_string_buffer(4)
        ring.submit(uring.OP_SEND, 0, flags=uring.SQE_FIXED_FILE,
                    addr=ctypes.addressof(sent), length=4)
        ring.submit(uring.OP_RECV, 0, flags=uring.SQE_FIXED_FILE,
                    addr=ctypes.addressof(got), length=4)
        self.proceed()
        with self.listener.accept()[0] as conn:
            print("server", answer(conn))
            done = sorted((ring.wait(), ring.wait()))
            print("ring", done, got.raw)
            if (uring.OP_RECV, 4) in done:
                exact(got.raw, b"PING")
            ring.close()
            print("server", end_of(conn))

    def fixed_listener(self):
        """A listener, and what it accepts, that only an io_uring has."""
        client = self.begin()
        ring = uring.Ring()
        ring.register([self.listener.fileno(), -1])
        self.listener.close()
        ring.submit(uring.OP_ACCEPT, 0, flags=uring.SQE_FIXED_FILE, slot=2)
        self.proceed()
        print("ring", ring.wait())
        client.sendall(b"ping")
        got = ctypes.create_string_buffer(4)
        for opcode in (uring.OP_RECV, uring.OP_SEND):
            ring.submit(opcode, 1, flags=uring.SQE_FIXED_FILE,
                        addr=ctypes.addressof(got), length=4)
            done = ring.wait()
            print("ring", done, got.raw)
            if done == (uring.OP_RECV, 4):
                exact(got.raw, b"ping")
        print("client", receive(client, b"ping"))
        ring.close()
        print("client", end_of(client))
        client.close()

    def run(self):
        """Run all cases."""
        for case in (self.client_forked, self.client_passed,
                     self.client_executed, self.listener_forked,
                     self.listener_passed, self.listener_executed,
                     self.nobodys, self.duplicated, self.two_readers,
                     self.in_epoll_set, self.fixed_client,
                     self.fixed_listener):
            print("case", case.__doc__, flush=True)
            case()
            self.listener.close()


if __name__ == "__main__":
    if sys.argv[1] == "cases":
        Cases(sys.argv[2], int(sys.argv[3]), *sys.argv[4:]).run()
    else:
        program(sys.argv[1], *map(int, sys.argv[2:]))
    sys.exit(status())
