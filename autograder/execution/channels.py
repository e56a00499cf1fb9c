"""Talk the Jupyter protocol with one kernel, and read no more than is good (grading process)."""

from __future__ import annotations

import contextlib
import json
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zmq
from jupyter_client import BlockingKernelClient
from jupyter_client.connect import write_connection_file

from autograder.execution.messages import FLOODED_MESSAGE_BYTES, MAX_MESSAGE_BYTES, parse

RECONNECT_MS = 5
"""Milliseconds between two tries to connect to a kernel that is still opening its sockets."""


def new_connection() -> dict[str, Any]:
    """Return a connection file's content for Unix sockets, but for their place (``ip``)."""
    channels = ("shell", "iopub", "stdin", "control", "hb")
    return {
        **{f"{name}_port": number for number, name in enumerate(channels, 1)},
        "transport": "ipc",
        "key": secrets.token_hex(16),
        "signature_scheme": "hmac-sha256",
        "kernel_name": "",
    }


def offer(folder: Path) -> tuple[Path, dict[str, Any]]:
    """Write a connection file for a kernel on this machine into ``folder``.

    Returns:
        The file, and what it says. The kernel's sockets will be in that folder, too; where there
        are no Unix sockets it listens on this machine's own address.
    """
    file = folder / "c.json"
    if sys.platform == "win32":
        key = secrets.token_hex(16).encode()
        _, info = write_connection_file(str(file), ip="127.0.0.1", transport="tcp", key=key)
        return file, info
    info = {**new_connection(), "ip": str(folder / "s")}
    file.touch(0o600)
    file.write_text(json.dumps(info))
    return file, info


class Channels:
    """The connections with one kernel."""

    def __init__(self, info: dict[str, Any], message_bytes: int) -> None:
        """Connect.

        Args:
            info: what the connection file says, see `offer`.
            message_bytes: the largest message that is parsed.
        """
        self._message_bytes = message_bytes
        self._context = zmq.Context()
        self._context.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES)
        self._context.setsockopt(zmq.LINGER, 0)
        self._context.setsockopt(zmq.RECONNECT_IVL, RECONNECT_MS)
        client: Any = BlockingKernelClient(context=self._context)
        client.load_connection_info(info)
        client.start_channels(shell=True, iopub=True, stdin=False, hb=False, control=True)
        self._client = client
        self._monitors = [
            channel.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
            for channel in (client.shell_channel, client.iopub_channel)
        ]

    def greet(self) -> None:
        """Ask the kernel for any answer."""
        self._client.kernel_info()

    def execute(self, code: str) -> str:
        """Ask the kernel to run a cell; return the identifier that its messages will have."""
        request: str = self._client.execute(
            code, store_history=False, allow_stdin=False, stop_on_error=False
        )
        return request

    def interrupt(self) -> None:
        """Ask the kernel to interrupt its cell."""
        message = self._client.session.msg("interrupt_request", content={})
        self._client.control_channel.send(message)

    @property
    def cut_off(self) -> bool:
        """Whether a connection was lost, which a message beyond the size limit causes."""
        return any(monitor.poll(0) for monitor in self._monitors)

    def receive(
        self, seconds: float, flooded: bool = False
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the messages that come within ``seconds``, each with the name of its channel.

        One at a time: what a message holds may take twenty times its size in memory.

        Args:
            seconds: how long to wait for a first one.
            flooded: whether large messages on the output channel are to be counted only.
        """
        channels = {
            self._client.shell_channel.socket: "shell",
            self._client.iopub_channel.socket: "iopub",
            self._client.control_channel.socket: "control",
        }
        poller = zmq.Poller()
        for socket in channels:
            poller.register(socket, zmq.POLLIN)
        # The reply is looked at first: outputs that are still to be read do not make a cell late.
        ready = [s for s, _ in poller.poll(int(seconds * 1000))]
        for socket in sorted(ready, key=lambda s: channels[s] != "shell"):
            limit = self._message_bytes
            if flooded and channels[socket] != "shell":
                limit = min(limit, FLOODED_MESSAGE_BYTES)
            for _ in range(100):
                try:
                    frames = socket.recv_multipart(zmq.NOBLOCK, copy=False)
                except zmq.Again:
                    break
                yield channels[socket], parse(self._client.session, frames, limit)

    def close(self) -> None:
        """End the connections."""
        with contextlib.suppress(Exception):
            self._client.stop_channels()
        self._context.destroy(linger=0)
