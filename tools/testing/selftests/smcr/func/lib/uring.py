#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Library of the tests' Python programs: a small io_uring."""
import ctypes
import mmap
import os
import struct

SYS_SETUP, SYS_ENTER, SYS_REGISTER = 425, 426, 427
SETUP_SQPOLL = 2
OFF_SQES = 0x10000000
ENTER_GETEVENTS, ENTER_SQ_WAKEUP = 1, 2
REGISTER_FILES = 2
SQE_FIXED_FILE, SQE_ASYNC = 1, 16
OP_ACCEPT, OP_SEND, OP_RECV, OP_SOCKET = 13, 26, 27, 45
ENTRIES = 8

libc = ctypes.CDLL(None, use_errno=True)


def called(result):
    """Return the result of a system call."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


class Ring:
    """An io_uring with room for ENTRIES requests at a time."""

    def __init__(self, setup=0):
        params = ctypes.create_string_buffer(
            struct.pack("=8xI108x", setup), 120)
        self.ring = called(libc.syscall(SYS_SETUP, ENTRIES, params))
        words = struct.unpack("=10I8IQ8IQ", params.raw)
        self.sq_tail, self.sq_array = words[11], words[16]
        self.cq_head, self.cq_tail = words[19], words[20]
        self.cq_mask, self.cqes = words[21], words[24]
        self.queues = mmap.mmap(self.ring, 4096)
        self.sqes = mmap.mmap(self.ring, 4096, offset=OFF_SQES)

    def word(self, offset):
        """Return a number of the queues."""
        return struct.unpack_from("=I", self.queues, offset)[0]

    def register(self, files):
        """Register descriptors as fixed files; -1 leaves a slot empty."""
        array = (ctypes.c_int * len(files))(*files)
        called(libc.syscall(SYS_REGISTER, self.ring, REGISTER_FILES, array,
                            len(files)))

    def submit(self, opcode, file, *, flags=0, off=0, addr=0, length=0,
               call=0, slot=0):
        """Submit a request, which its opcode names on completion."""
        tail = self.word(self.sq_tail)
        index = tail % ENTRIES
        struct.pack_into("=BBHiQQIIQHHI16x", self.sqes, 64 * index, opcode,
                         flags, 0, file, off, addr, length, call, opcode, 0, 0,
                         slot)
        struct.pack_into("=I", self.queues, self.sq_array + 4 * index, index)
        struct.pack_into("=I", self.queues, self.sq_tail, tail + 1)
        called(libc.syscall(SYS_ENTER, self.ring, 1, 0, ENTER_SQ_WAKEUP, None,
                            0))

    def wait(self):
        """Wait for a completion; return the request's opcode and result."""
        head = self.word(self.cq_head)
        while head == self.word(self.cq_tail):
            called(libc.syscall(SYS_ENTER, self.ring, 0, 1, ENTER_GETEVENTS,
                                None, 0))
        done = struct.unpack_from("=Qi", self.queues, self.cqes +
                                  16 * (head & self.word(self.cq_mask)))
        struct.pack_into("=I", self.queues, self.cq_head, head + 1)
        return done

    def close(self):
        """Close the ring and its fixed files."""
        self.queues.close()
        self.sqes.close()
        os.close(self.ring)
