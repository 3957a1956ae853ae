"""Changes to a file that nobody intended, and those that an attacker would make. Drawn from a seed."""

from __future__ import annotations

import random
import re

HOSTILE = (
    "1e100000000", "1e999999999", "-1e999999999", "1e-999999999", "9" * 5000, "0x" + "f" * 5000, "1_0" * 400,
    "10000000000000", "-1", "0", "1e308", ".inf", "-.inf", ".nan", "nan", "Infinity", "1:1:1:1:1:1:1:1:1.5",
    '"a" * 1900000000', "'\"a\" * 1900000000'", "'9**9**9**9'", "'ceil(\"a\")'", "'1/0'", "'nodes * 1e300 * 1e300'",
    "'(' ", "'" + "(" * 300 + "'", "'" + "-" * 900 + "1'", "'nodes in cooling'", "'min()'", "'x if 1 else 2'", "'[1] * 9'",
    "2026-02-30", "0001-01-01", "9999-12-31", "0000-00-00", "2026-13-01T25:61:61Z", "9999-12-31T23:59:59-14:00",
    "&a [*a, *a]", "*nothing", "&a {b: *a}", "!!python/object/apply:os.system [id]", "!!int ''", "!!timestamp x",
    "!!binary '*'", "!vault |\n  x", "<<: *x", "{}", "[]", "[[]]", "{a: {a: {a: {a: 1}}}}", "[" * 3000, "{" * 3000,
    "null", "~", "true", "''", '"\\0"', "\x00", "\ufeff", "\u202e", "\u200b", "\ud7ff", "é" * 300, "🦄", "\t", "\r\n", "\x1b[2J",
    "a" * 300, "a" * 20_000, "../../../etc/passwd", "/etc/passwd", "~nobody-such", "%s%n", "{{ 7 * 7 }}", "{% for a in b %}",
    "$(id)", "`id`", "'; drop table event; --", "=cmd|' /C calc'!A1", "<script>alert(1)</script>", "h[1:99999999]",
    "h[1:999999]x[1:999999]", "h[a:z]", "h[5:1]", "**/*", "*" * 50, "?" * 50, "(a+)+$", "195@site", "0" * 400, "-0", "+",
)  # fmt: skip
"""Words that some parser somewhere takes for more than a word."""

LAUGHS = "lol: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"l{this}: &{this} [{', '.join([f'*{before}'] * 9)}]\n" for before, this in zip("abcdefgh", "bcdefghi", strict=True)
)
"""Nine lines of aliases that name a thousand million values."""


def mutated(content: bytes, draw: random.Random) -> bytes:
    """Return the content after one to four changes."""
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        content = draw.choice(CHANGES)(content, draw)
    return content


def _flip(content: bytes, draw: random.Random) -> bytes:
    if not content:
        return b"\xff"
    at = draw.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << draw.randrange(8))]) + content[at + 1 :]


def _cut(content: bytes, draw: random.Random) -> bytes:
    return content[: draw.randrange(len(content) + 1)]


def _left_out(content: bytes, draw: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if lines:
        del lines[draw.randrange(len(lines))]
    return b"".join(lines)


def _twice(content: bytes, draw: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if lines:
        at = draw.randrange(len(lines))
        lines[at:at] = [lines[at]] * draw.choice((1, 1, 2000))
    return b"".join(lines)


def _inserted(content: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(content) + 1)
    return content[:at] + _word(draw) + content[at:]


VALUE = re.compile(rb"(?<=[:,=\-\[{>|]) *[^\s,:\[\]{}<>|=]+")
"""Something that is probably a value in YAML, JSON, CSV, XML or a tool's table."""


def _value(content: bytes, draw: random.Random) -> bytes:
    found = list(VALUE.finditer(content))
    if not found:
        return content + _word(draw)
    one = draw.choice(found)
    return content[: one.start()] + b" " + _word(draw) + content[one.end() :]


def _line(content: bytes, draw: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    lines.insert(draw.randrange(len(lines) + 1), draw.choice((LAUGHS.encode(), _word(draw) + b"\n", b"\n" * 2000)))
    return b"".join(lines)


def _swapped(content: bytes, draw: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    draw.shuffle(lines)
    return b"".join(lines)


def _other(content: bytes, draw: random.Random) -> bytes:
    return draw.choice(
        (b"", b"\x00" * 1000, content.decode(errors="replace").encode("utf-16"), content * 20, b"\xff" + content)
    )


def _word(draw: random.Random) -> bytes:
    return draw.choice(HOSTILE).encode()


CHANGES = (
    _flip,
    _flip,
    _cut,
    _left_out,
    _twice,
    _inserted,
    _inserted,
    _value,
    _value,
    _value,
    _value,
    _line,
    _swapped,
    _other,
)
