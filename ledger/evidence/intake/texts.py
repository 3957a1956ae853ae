"""Text, and of what kind: JSON if it reads as JSON, CSV if every line has the same two or more fields, otherwise plain text.

Pages, drawings and mails that may hold programs are refused. Whether text is a page is decided as a browser decides it: by how
the text begins. Scripts are looked for everywhere in it.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
from io import StringIO

from schedule.errors import InputError

# what tools print: tab, lines, form feed, bell, backspace and the escape of colours; nothing else below a space
NOT_TEXT = re.compile(r"[\x00-\x06\x0b\x0e-\x1a\x1c-\x1f\x7f]")

SCRIPT = re.compile(r"<(?:[\w.-]+:)?script[\s>/]|<\?php", re.IGNORECASE)

PAGE = re.compile(
    r"<(?:[\w.-]+:)?(?:html|head|body|svg|iframe|object|embed|applet|foreignobject)[\s>/]"
    r"|<!doctype\s+(?:html|svg)|<!entity|<\?xml-stylesheet|w3\.org/1999/xhtml|w3\.org/2000/svg",
    re.IGNORECASE,
)
"""What makes marked-up text a page that may act. Only text that begins with a tag is searched for it."""

PAGE_BEGINS = re.compile(r"<(?:h1|div|font|table|a|style|title|b|br|p|meta|img|link|form|base|!--)[\s>]", re.IGNORECASE)

MAIL = re.compile(r"^mime-version:.*", re.IGNORECASE | re.MULTILINE)
PARTS = re.compile(r"^content-type:\s*(?:multipart|application)/", re.IGNORECASE | re.MULTILINE)


def decoded(content: bytes) -> str | None:
    """Return the text that content is, or None if it is no text. UTF-8 is text, and so is UTF-16 with a byte order mark."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if wide else "utf-8")
    except UnicodeDecodeError:
        return None
    return None if NOT_TEXT.search(text) else text


def kind_of_text(text: str) -> str:
    """Return `json`, `csv` or `text`; raise InputError for pages, drawings and mails that may hold programs."""
    begins = text.lstrip("\ufeff \t\r\n\f")
    if begins[:1] in {"{", "["} and _is_json(begins):
        return "json"
    _refuse_page(text, begins)
    if MAIL.search(text) and PARTS.search(text):
        raise InputError(
            "is a mail with other files in it",
            hint="save its text as PDF, and attach the files that matter alone",
        )
    return "csv" if any(_has_columns(text, delimiter) for delimiter in ",;\t") else "text"


def _refuse_page(text: str, begins: str) -> None:
    if SCRIPT.search(text):
        raise InputError("holds a script (<script>)", hint="save the page as PDF and attach that")
    if begins.startswith("<") and (PAGE.search(text) or PAGE_BEGINS.match(begins)):
        raise InputError(
            "is a web page or a drawing (HTML, SVG), which may hold scripts",
            hint="save it as PDF or PNG and attach that",
        )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    except RecursionError:
        raise InputError(
            "is JSON nested deeper than any program reads",
            hint="attach what it is about, in a plainer form",
        ) from None
    return True


def _has_columns(text: str, delimiter: str) -> bool:
    """Return whether the text has two or more rows, all with the same two or more fields."""
    widths: set[int] = set()
    rows = 0
    lines = StringIO(text.lstrip("\ufeff"), newline="")
    try:
        for row in csv.reader(lines, delimiter=delimiter, strict=True):
            widths.add(len(row))
            rows += 1
            if len(widths) > 1:
                return False
    except csv.Error:
        return False
    return rows > 1 and min(widths) > 1
