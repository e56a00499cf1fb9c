"""Move a process into a sandbox that is there, and take its privileges (server in a sandbox)."""

from __future__ import annotations

import ctypes
import os

PR_SET_DUMPABLE = 4
"""The ``prctl`` option that decides whether others of the same user may read a process's memory."""


def set_dumpable(allowed: bool) -> None:
    """Let others of the same user read this process's memory, or do not."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, int(allowed), 0, 0, 0)


NAMESPACES = ("ipc", "uts", "net", "cgroup", "pid", "mnt")
"""The namespaces of a sandbox that belong to the outer of its two user namespaces."""

NS_GET_PARENT = 0xB702
"""The ``ioctl`` that opens the parent of a user namespace."""

PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 24, 38, 47, 4
CAPABILITY_VERSION_3 = 0x20080522


def enter(holder: int) -> None:
    """Move this process into the sandbox that the process ``holder`` keeps open.

    Children are in all of its namespaces; this process is in all but that of processes. The inner
    user namespace, in which no further one can be made, comes last: from inside it the others,
    which belong to the outer one, cannot be entered.

    Raises:
        OSError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def join(name: str, descriptor: int) -> None:
        if libc.setns(descriptor, 0):
            raise OSError(ctypes.get_errno(), f"the sandbox's namespace {name!r} is closed")

    inner = os.open(f"/proc/{holder}/ns/user", os.O_RDONLY)
    others = {name: os.open(f"/proc/{holder}/ns/{name}", os.O_RDONLY) for name in NAMESPACES}
    outer = libc.ioctl(inner, NS_GET_PARENT)
    if outer >= 0 and os.fstat(outer).st_ino != os.stat("/proc/self/ns/user").st_ino:
        join("outer user", outer)
    for name, descriptor in others.items():
        join(name, descriptor)
    join("user", inner)


def give_up_privileges(status: int) -> None:
    """Drop all capabilities for good, for this process and what it will execute.

    Args:
        status: this process's ``/proc/self/status``, opened where it is one of ``/proc``'s.

    Raises:
        OSError: some are left.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    libc.capset(header, (ctypes.c_uint32 * 6)())
    text = os.pread(status, 65536, 0).decode()
    left = [line for line in text.split("\n") if line.startswith("Cap")]
    if any(int(line.split()[1], 16) for line in left) or "NoNewPrivs:\t1" not in text:
        raise OSError(f"privileges are left in the sandbox: {left}")
