"""Refuse the system calls that would get around a sandbox's limits (student's process).

Memory that belongs to no process, or to several, is not seen where the memory of processes is
counted; a kernel's keys outlive the sandbox. The filter is inherited by all that a kernel starts,
and nothing takes it off. It is set on x86-64 and ARM64; elsewhere there is none.

See seccomp(2) of the Linux manual, and ``linux/filter.h`` for the instructions.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

MAX_SHARED_BYTES = 16 * 2**20
"""The largest anonymous mapping that processes may share. Its pages last until the last page of it
is unmapped, so each that is seen is counted as one of this size."""

ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""What ``linux/audit.h`` calls a machine, and the column of `REFUSED` that it has."""

MMAP = (9, 222)

REFUSED = {
    # Memory that no process has, and files in no folder
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    # Keys, which all processes of an account share
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Ways into the system's kernel that no notebook needs
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
}

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
LOAD, AND, EQUAL, AT_LEAST, MORE, RETURN = 0x20, 0x54, 0x15, 0x35, 0x25, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # places in what a filter is shown
SHARED_ANONYMOUS = 0x21
FOREIGN = 0x40000000  # x86-64's calls with short pointers have this bit


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("yes", ctypes.c_uint8),
        ("no", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("start", ctypes.POINTER(_Instruction)))


def _instructions(machine: str) -> list[tuple[int, int, int, int]]:
    """Return the filter: code, instructions to skip if so and if not, value."""
    architecture, column = ARCHITECTURES[machine]
    numbers = sorted(numbers[column] for numbers in REFUSED.values())
    flags, length = ARGUMENTS + 8 * 3, ARGUMENTS + 8 * 1
    program = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, REFUSE | errno.ENOSYS),
        (LOAD, 0, 0, NUMBER),
    ]
    for how, number in [(AT_LEAST, FOREIGN), *((EQUAL, n) for n in numbers)]:
        program += [(how, 0, 1, number), (RETURN, 0, 0, REFUSE | errno.ENOSYS)]
    return [
        *program,
        (EQUAL, 0, 7, MMAP[column]),
        (LOAD, 0, 0, flags),
        (AND, 0, 0, SHARED_ANONYMOUS),
        (EQUAL, 0, 4, SHARED_ANONYMOUS),
        (LOAD, 0, 0, length + 4),
        (EQUAL, 0, 3, 0),
        (LOAD, 0, 0, length),
        (MORE, 1, 0, MAX_SHARED_BYTES),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE | errno.ENOMEM),
    ]


def refuse_system_calls() -> None:
    """Set the filter for this thread and all that it starts.

    Raises:
        OSError: the system has no such filters.
    """
    machine = os.uname().machine
    if machine not in ARCHITECTURES or sys.maxsize < 2**32:
        return
    program = _instructions(machine)
    array = (_Instruction * len(program))(*(_Instruction(*parts) for parts in program))
    pointer = ctypes.byref(_Program(len(program), array))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, pointer, 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls can be set in the sandbox")
