"""Count what all that runs in a sandbox takes (server in a sandbox).

Resource limits hold for one process each. Counted are processes, threads, memory, and the entries
of the folders in memory, whose sizes their mounts limit.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.kernel.system_calls import MAX_SHARED_BYTES

THREADS_PER_PROCESS = 16
"""How many threads a sandbox may have for each process that it may have."""

MAX_ENTRIES = 100_000
"""Files and folders in a sandbox's folders in memory; each takes about a KiB of the machine's."""

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass
class Usage:
    """What was counted at one look."""

    processes: int = 0
    threads: int = 0
    private: int = 0
    """Bytes that belong to one process each."""
    shared: set[bytes] = field(default_factory=set)
    """Anonymous mappings that processes share, by the numbers of their files."""

    @property
    def memory(self) -> int:
        """The bytes that all processes have at most."""
        return self.private + len(self.shared) * MAX_SHARED_BYTES

    def add(self, process: Path) -> None:
        """Add a process, given its folder in ``/proc``.

        Raises:
            OSError: it has ended.
        """
        resident, from_files = map(int, (process / "statm").read_text().split()[1:3])
        if not resident:  # it ended and nobody has waited for it
            return
        self.processes += 1
        self.threads += (process / "task").stat().st_nlink - 2
        self.private += (resident - from_files) * PAGE
        maps = (process / "maps").read_bytes()
        if b"/dev/zero" in maps:  # as the system calls them
            lines = (line.split(None, 5) for line in maps.splitlines())
            self.shared.update(line[4] for line in lines if line[5:] == [b"/dev/zero (deleted)"])


def usage() -> Usage:
    """Return what all processes in this sandbox but its first take."""
    found = Usage()
    for name in os.listdir("/proc"):
        if name.isdigit() and name != "1":
            try:
                found.add(Path("/proc", name))
            except (OSError, ValueError):  # it has ended
                continue
    return found


def entries(folders: Iterable[Path]) -> int:
    """Return how many files and folders are on the mounts of ``folders``."""
    return sum(found.f_files - found.f_ffree for found in map(os.statvfs, folders))


def more_than_half_full(folder: Path) -> bool:
    """Whether half of the room on the mount of ``folder`` is taken, or half of `MAX_ENTRIES`."""
    found = os.statvfs(folder)
    return found.f_bavail < found.f_blocks / 2 or entries([folder]) > MAX_ENTRIES / 2


def excess(processes: int, memory: int, folders: Iterable[Path]) -> str:
    """Return in words what is more than allowed in this sandbox; empty if nothing is.

    Args:
        processes: how many there may be.
        memory: bytes that they may have together.
        folders: the folders in memory.
    """
    found = usage()
    if found.processes > processes:
        return f"it started more than {processes} processes"
    if found.threads > processes * THREADS_PER_PROCESS:
        return f"it started more than {processes * THREADS_PER_PROCESS} threads"
    if found.memory > memory:
        return f"it used more than {memory // 2**20} MiB of memory"
    if entries(folders) > MAX_ENTRIES:
        return f"it made more than {MAX_ENTRIES:,} files"
    return ""
