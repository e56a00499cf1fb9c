"""A browser for the tests, a Chromium which reaches this machine and no other.

As a program, ``make browser`` brings Playwright's own where there is none.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from support.grading import PATIENCE
from support.parts import works

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")

FLAGS = [
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

MATHJAX = re.compile("mathjax", re.IGNORECASE)
"""The one thing that pages of nbconvert and nbgrader ask for elsewhere; they work without it."""

MAX_PICTURE_BYTES = 150_000

expect.set_options(timeout=PATIENCE * 1000)


@functools.cache
def program() -> str | None:
    """Return the path of a Chromium that works: the system's, else Playwright's own; or None."""
    found = [path for name in PROGRAMS if (path := which(name))]
    with sync_playwright() as playwright:
        found.append(playwright.chromium.executable_path)
    return next((path for path in found if works([path, "--version"])), None)


@dataclass
class Traffic:
    """The requests of a page that would have left this machine; none did."""

    refused: list[str] = field(default_factory=list)

    def handle(self, route: Route) -> None:
        address = urlsplit(route.request.url)
        if address.scheme in ("file", "data", "blob") or address.hostname in (
            "127.0.0.1",
            "localhost",
        ):
            route.continue_()
        else:
            self.refused.append(route.request.url)
            route.abort()

    def check(self, known: re.Pattern[str] | None = None) -> None:
        """Check that nothing was asked for elsewhere but what is known."""
        unknown = [url for url in self.refused if not (known and known.search(url))]
        assert not unknown, f"the page asks other machines: {unknown}"


@contextlib.contextmanager
def started() -> Iterator[Browser]:
    """Run a browser with a profile of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def window(
    browser: Browser, width: int = 1280, height: int = 900
) -> Iterator[tuple[Page, Traffic]]:
    """Open an empty page that shares nothing with other pages."""
    context = browser.new_context(viewport={"width": width, "height": height})
    context.set_default_timeout(PATIENCE * 1000)
    traffic = Traffic()
    context.route("**/*", traffic.handle)
    try:
        yield context.new_page(), traffic
    finally:
        context.close()


def keep_picture(data: bytes, file: Path) -> None:
    """Write a screenshot for the README, in few colors, and check that it is small."""
    with Image.open(io.BytesIO(data)) as picture:
        picture.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
    assert file.stat().st_size < MAX_PICTURE_BYTES, f"{file.name}: {file.stat().st_size} bytes"


def main() -> int:
    """Bring a browser if there is none, by Playwright's installer, and say what came of it."""
    if program() is None:
        print("There is no Chromium for the browser tests; Playwright's installer is tried ...")
        command = [sys.executable, "-m", "playwright", "install", "chromium"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        program.cache_clear()
        if program() is None:
            said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
            print(
                f"It brought none that works ({said[0]}). On Debian and Ubuntu run: "
                "apt-get install chromium",
                file=sys.stderr,
            )
            return 1
    print(f"Browser: {program()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
