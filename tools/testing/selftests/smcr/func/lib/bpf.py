# SPDX-License-Identifier: GPL-2.0
"""Library of the tests' Python programs: BPF programs of a cgroup."""
import ctypes
import os
import struct

SYS_BPF = 321
MAP_CREATE, MAP_LOOKUP, MAP_UPDATE, PROG_LOAD, PROG_ATTACH, PROG_DETACH = \
    0, 1, 2, 5, 8, 9
# Map types
ARRAY, SOCKHASH = 2, 18
# Program types with their attach types
SOCK_OPS = 13, 3
CONNECT4, CONNECT6 = (18, 10), (18, 11)
GETSOCKOPT, SETSOCKOPT = (25, 21), (25, 22)
# Flag of an attachment: programs that are attached later do not replace it
ALLOW_MULTI = 2


def bpf(command, attr):
    """Call bpf()."""
    ret = ctypes.CDLL(None, use_errno=True).syscall(
        SYS_BPF, command, ctypes.create_string_buffer(attr), len(attr))
    if ret < 0:
        raise OSError(ctypes.get_errno(), "bpf")
    return ret


def insn(code, dst=0, src=0, off=0, imm=0):
    """Return one instruction."""
    return struct.pack("=BBhI", code, src << 4 | dst, off, imm & 0xffffffff)


def new_map(kind, value_size, entries):
    """Create a map with keys of 4 bytes."""
    return bpf(MAP_CREATE, struct.pack("=IIIII", kind, 4, value_size, entries,
                                       0))


def map_value(array, value=None):
    """Return the number of an array's first entry, after setting it."""
    key = ctypes.c_uint32(0)
    cell = ctypes.c_int64(value or 0)
    bpf(MAP_LOOKUP if value is None else MAP_UPDATE, struct.pack(
        "=IxxxxQQQ", array, ctypes.addressof(key), ctypes.addressof(cell), 0))
    return cell.value


def attach(group, kind, code, flags=0):
    """Attach a program to a cgroup; return how to undo that."""
    text = ctypes.create_string_buffer(code)
    licence = ctypes.create_string_buffer(b"GPL")
    program = bpf(PROG_LOAD, struct.pack(
        "=IIQQ44xI", kind[0], len(code) // 8, ctypes.addressof(text),
        ctypes.addressof(licence), kind[1]))
    where = struct.pack("=IIII", os.open(group, os.O_RDONLY), program,
                        kind[1], flags)
    bpf(PROG_ATTACH, where)
    return lambda: bpf(PROG_DETACH, where)
