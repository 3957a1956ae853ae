"""Text from people, files and hosts: marks in it that cannot be seen are refused on entry, and become visible when it is shown.

Such marks make one name look like another, turn the order of what is read, or move the cursor of a terminal. They are controls,
marks without width, marks that change the direction of writing, blanks that look like nothing, and halves of characters.
"""

from __future__ import annotations

import re
import unicodedata

from schedule.errors import InputError

LINE_END = "⏎"
"""Stands for the end of a line where text is shown in one."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the start of a formula."""

SIGNED_NUMBER = re.compile(r"[+-]\d+(\.\d+)?")

HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, without tab and the ends of lines
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"  # without width, or from right to left
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ud800-\udfff\r]"  # halves of characters, which no file can hold
    "(?<!\r(?=\n))"
)
"""What cannot be seen. `\\ufe0f`, with which telephones write coloured signs, is not among them.

It is one set of characters, among them `\\r`, of which those before `\\n` are left out: `re` goes over long text faster by one set.
"""

PLAIN = bytes(range(0x20, 0x7F)) + b"\n\t"
"""What most of a document is. Without it a search for hidden marks takes a twentieth of the time."""


def shown(text: object) -> str:
    """Return text with hidden marks as `<U+202E>`. Lines and tabs stay as they are."""
    text = str(text)
    if text.isascii() and text.isprintable():  # most text is, and asking it takes a tenth of the time
        return text
    return HIDDEN.sub(_named, text)


def shown_in_line(text: object) -> str:
    """Return text in one line, with hidden marks as `<U+202E>` and the ends of lines as `⏎`. So no text can look like two rows."""
    text = str(text)
    if "\n" in text:
        text = f" {LINE_END} ".join(text.replace("\r\n", "\n").split("\n"))
    return shown(text)


def spreadsheet_text(text: object) -> str:
    """Return text for a cell, in one line, that no spreadsheet takes for a formula. A number with a sign stays one."""
    flat = shown_in_line(text)
    is_formula = flat.startswith(FORMULA_STARTS) and SIGNED_NUMBER.fullmatch(flat) is None
    return f"'{flat}" if is_formula else flat


def plain_cell(text: str) -> str:
    """Return what a cell says that `spreadsheet_text` wrote."""
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA_STARTS) else text


def shown_in_json(document: str) -> str:
    """Return a JSON document that says the same, with hidden marks in its strings escaped."""
    rare = document.encode("utf-8", "surrogatepass").translate(None, PLAIN).decode("utf-8", "surrogatepass")
    return HIDDEN.sub(_escaped, document) if HIDDEN.search(rare) else document


def require_visible(text: str, what: str, *, lines: bool = False) -> None:
    """Raise InputError for text with a hidden mark. `what` it is begins the message. With `lines` it may have several lines."""
    found = HIDDEN.search(text) or (None if lines else re.search(r"[\r\n\t]", text))
    if found is None:
        return
    mark, before = found[0], shown_in_line(text[max(0, found.start() - 20) : found.start()])
    name = unicodedata.name(mark, "a control character").lower()
    where = f"after {before!r}" if before else "at its beginning"
    kind = "a line end or a tab" if mark in "\r\n\t" else "a mark that cannot be seen"
    raise InputError(
        f"{what} has {kind} {where}: U+{ord(mark):04X}, {name}",
        hint="type it again; what is copied from a page or a document may carry such marks",
    )


def _named(found: re.Match[str]) -> str:
    return f"<U+{ord(found[0]):04X}>"


def _escaped(found: re.Match[str]) -> str:
    coded = found[0].encode("utf-16-be", "surrogatepass").hex()
    units = (coded[at : at + 4] for at in range(0, len(coded), 4))
    return "".join(f"\\u{unit}" for unit in units)
