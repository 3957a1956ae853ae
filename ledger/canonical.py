"""RFC 8785 canonical JSON: one text for one value, so that its hash means something."""

from __future__ import annotations

import json
import re
from typing import Any

import rfc8785

sorted_text = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
"""Gives JSON without spaces, its names in the order of code points: canonical for integers and text under ASCII names."""

_LONG = re.compile(r"\d{16}")


def canonical_text(value: Any) -> str:
    """Give a value as RFC 8785 text; it holds no floats, as nothing in the ledger does.

    The standard library writes the same bytes several times as fast for ASCII, where the orders of code points and of UTF-16
    agree, and for integers of up to fifteen digits; the rest is left to the reference. A test holds the two against each other.
    """
    text = sorted_text(value)
    return text if text.isascii() and not _LONG.search(text) else rfc8785.dumps(value).decode()
