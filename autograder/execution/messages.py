"""Bound the messages of a kernel before they are looked at, and read them (grading process)."""

from __future__ import annotations

import re
from typing import Any

import zmq
from jupyter_client.session import Session

MAX_MESSAGE_BYTES = 128 * 2**20
"""The largest message that is read at all; a kernel that sends a larger one is cut off."""

MAX_FRAMES = 100
"""The parts of the longest message that is parsed."""

BRACKET_BYTES, COMMA_BYTES = 64, 48
"""What a list and an item of one take in memory, which are two bytes each in a message."""

MAX_NESTED_BYTES = 32 * 2**20
"""How much the lists in a message may take in memory for it to be parsed."""

ONE_TEXT = re.compile(rb'\{"name": ?"std(?:out|err)", ?"text": ?"(?:[^"\\]++|\\.)*+"\}', re.DOTALL)
"""The content of a message with a text that was printed, as a kernel writes it."""

EMPTY_BYTES = 1000
"""What the smallest message takes in memory."""

FLOODED_MESSAGE_BYTES = 2**16
"""The largest message that is parsed once a cell has sent too much."""


def parse(session: Session, parts: list[zmq.Frame], limit: int) -> dict[str, Any]:
    """Return a message with its size in memory; with its size alone if it is no good one.

    Args:
        session: knows the key with which the kernel signs.
        parts: what was received.
        limit: bytes beyond which a message is not parsed.
    """
    size = sum(len(part.buffer) for part in parts)
    unread = {"msg_type": "", "content": {}, "parent_header": {}, "size": size + EMPTY_BYTES}
    if size > limit or len(parts) > MAX_FRAMES:
        return unread
    frames = [part.bytes for part in parts]
    nested = sum(
        BRACKET_BYTES * (frame.count(b"[") + frame.count(b"{")) + COMMA_BYTES * frame.count(b",")
        for frame in frames
    )
    if nested > MAX_NESTED_BYTES:
        if not _is_one_text(frames[-1]):
            return unread
        nested = 0
    try:
        _, frames = session.feed_identities(frames)
        message = session.deserialize(frames)
        form = (
            isinstance(message["content"], dict)
            and isinstance(message["parent_header"], dict)
            and isinstance(message["msg_type"], str)
        )
        if not form:
            return unread
        message["size"] = size if message["msg_type"] == "stream" else size + nested
        return dict(message)
    except Exception:  # the peer may send anything: bad JSON, too deep, unsigned, repeated
        return unread


def _is_one_text(content: bytes) -> bool:
    """Whether the content of a message is a text printed, brackets and commas and all."""
    return ONE_TEXT.fullmatch(content) is not None
