"""Text, and what kind: JSON if it reads as JSON, CSV if every line has the same two or more fields, else plain.

Text that a computer would run is refused: scripts, web pages, drawings and mails that carry programs. Whether it is one
is asked as a browser or a shell asks: of how it begins, and for scripts also of what is inside.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
from io import StringIO

from ledger.intake.refusal import RefusedError
from ledger.intake.unwanted import OFFICE, PROGRAM, UNPACK, refusal_of

# what tools print: tab, lines, form feed, bell, backspace and the escape of colours; nothing else below a space
NOT_TEXT = re.compile(r"[\x00-\x06\x0b\x0e-\x1a\x1c-\x1f\x7f]")

SCRIPT = re.compile(r"<(?:[\w.-]+:)?script[\s>/]|<\?php", re.IGNORECASE)

PAGE = re.compile(
    r"<(?:[\w.-]+:)?(?:html|head|body|svg|iframe|object|embed|applet|foreignobject)[\s>/]"
    r"|<!doctype\s+(?:html|svg)|<!entity|<\?xml-stylesheet|w3\.org/1999/xhtml|w3\.org/2000/svg",
    re.IGNORECASE,
)
"""What makes marked-up text a page that may act; asked only of text that begins with a tag, as a browser does."""

PAGE_BEGINS = re.compile(r"<(?:h1|div|font|table|a|style|title|b|br|p|meta|img|link|form|base|!--)[\s>]", re.IGNORECASE)

MAIL = re.compile(r"^mime-version:.*", re.IGNORECASE | re.MULTILINE)
PARTS = re.compile(r"^content-type:\s*(?:multipart|application)/", re.IGNORECASE | re.MULTILINE)

BEGINNINGS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"#!"), "is a script (#!)", PROGRAM),
    (re.compile(r"@echo off", re.IGNORECASE), "is a Windows script", PROGRAM),
    (re.compile(r"\[(?:internetshortcut|desktop entry|autorun)\]", re.IGNORECASE), "is a shortcut", PROGRAM),
    (re.compile(r"windows registry editor|regedit4", re.IGNORECASE), "is a registry script", PROGRAM),
    (re.compile(r"\{\\rtf"), "is a rich-text document, which may hold programs", OFFICE),
    (re.compile(r"%!PS"), "is PostScript, which is a program", OFFICE),
    (re.compile(r"!<arch>\n"), "is an archive (ar)", UNPACK),
)
"""How text begins that a computer would run or unpack, what it is then, and what to do."""


def kind_of_text(content: bytes) -> str:
    """Give `json`, `csv` or `text`; refuse what is no text, and text that something would run."""
    text = _decoded(content)
    begins = text.lstrip("\ufeff \t\r\n\f")
    for pattern, what, hint in BEGINNINGS:
        if pattern.match(begins):
            raise RefusedError(what, hint)
    if begins[:1] in {"{", "["} and _is_json(begins):
        return "json"
    _refuse_page(text, begins)
    if MAIL.search(text) and PARTS.search(text):
        raise RefusedError(
            "is a mail with other files in it", "save its text as PDF, and attach the files that matter alone"
        )
    return "csv" if _is_csv(text) else "text"


def _refuse_page(text: str, begins: str) -> None:
    if SCRIPT.search(text):
        raise RefusedError("holds a script (<script>)", "save the page as PDF and attach that")
    if begins.startswith("<") and (PAGE.search(text) or PAGE_BEGINS.match(begins)):
        raise RefusedError(
            "is a web page or a drawing (HTML, SVG), which may hold scripts", "save it as PDF or PNG and attach that"
        )


def _decoded(content: bytes) -> str:
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if wide else "utf-8")
    except UnicodeDecodeError:
        text = "\x00"
    if NOT_TEXT.search(text):
        raise refusal_of(content)
    return text


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    except RecursionError:
        raise RefusedError(
            "is JSON nested deeper than any program reads", "attach what it is about, in a plainer form"
        ) from None
    return True


def _is_csv(text: str) -> bool:
    return any(_has_columns(text, delimiter) for delimiter in ",;\t")


def _has_columns(text: str, delimiter: str) -> bool:
    """Say whether two or more rows all have the same two or more fields."""
    widths: set[int] = set()
    rows = 0
    try:
        for row in csv.reader(StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter, strict=True):
            widths.add(len(row))
            rows += 1
            if len(widths) > 1:
                return False
    except csv.Error:
        return False
    return rows > 1 and bool(widths) and min(widths) > 1
