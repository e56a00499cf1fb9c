"""`autograder lab` as the tests run it: on a free port, and with a home folder of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.grading import PATIENCE, until


@dataclass(frozen=True)
class Server:
    """A running JupyterLab."""

    process: subprocess.Popen[bytes]
    url: str
    """Address, with a slash at the end."""
    token: str
    log: Path

    def get(self, path: str, data: Any = None) -> Any:
        """Return the JSON that the server answers with, to a POST request if there is data.

        Raises:
            urllib.error.HTTPError: the server refuses.
        """
        return json.loads(self._ask(path, None if data is None else json.dumps(data).encode()))

    def delete(self, path: str) -> None:
        """Have the server delete something."""
        self._ask(path, method="DELETE")

    def _ask(self, path: str, data: bytes | None = None, method: str | None = None) -> bytes:
        headers = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                content: bytes = answer.read()
                return content
        except urllib.error.HTTPError as error:
            error.close()
            raise


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def home(folder: Path) -> dict[str, str]:
    """Return the environment of a user whose home is in ``folder``."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "XDG"))
    }
    return {
        **kept,
        "HOME": str(folder),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
    }


@contextlib.contextmanager
def running(
    root: Path, folder: Path, *options: str, stdin: int = subprocess.DEVNULL
) -> Iterator[Server]:
    """Run ``autograder lab`` for the course in ``root``, with a home in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "autograder.commands.cli", "lab"),
                *(f"--port={free_port()}", "--no-browser", "--allow-root"),
                *options,
            ],
            cwd=root,
            env=home(folder),
            stdin=stdin,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        file = folder / "runtime" / f"jpserver-{process.pid}.json"
        until(lambda: process.poll() is not None or _info(file), "answer of the server")
        info = _info(file)
        assert process.poll() is None, log.read_text("utf-8", "replace")
        yield Server(process, info["url"].replace("localhost", "127.0.0.1"), info["token"], log)
    finally:
        end(process)


def _info(file: Path) -> Mapping[str, Any]:
    """Return what the server says of itself, once it listens."""
    with contextlib.suppress(OSError, ValueError):
        found: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        with socket.create_connection(("127.0.0.1", found["port"]), timeout=1):
            return found
    return {}


def end(process: subprocess.Popen[bytes]) -> None:
    """End a server and all that it has started."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
