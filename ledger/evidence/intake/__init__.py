"""Evidence that people attach: six kinds of content are accepted, known by what they hold and never by their name.

Text, JSON, CSV, PNG, JPEG and PDF are accepted. Everything else is refused: programs and scripts, archives, office documents,
web pages. A picture or a document that unpacks to many times its size is refused as well. Nothing is run, rendered or written
to disk to find out. A photo loses the place where it was taken.
"""

from __future__ import annotations

from typing import NamedTuple

from ledger.evidence.intake.pdf import refuse_bad_pdf
from ledger.evidence.intake.pictures import cleaned_jpeg, cleaned_png
from ledger.evidence.intake.texts import decoded, kind_of_text
from ledger.evidence.intake.unwanted import refusal_of_bytes, refuse_archive_behind, refuse_program
from schedule.errors import InputError

MEDIA_TYPES = {
    "text": "text/plain",
    "json": "application/json",
    "csv": "text/csv",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "pdf": "application/pdf",
}
"""The kinds of content, as site.yaml names them, and their media types."""

KINDS = tuple(MEDIA_TYPES)


class Accepted(NamedTuple):
    """Content as it may be kept. `kind` is one of MEDIA_TYPES; `removed` names what was taken out, nothing if it is unchanged."""

    content: bytes
    kind: str
    removed: tuple[str, ...] = ()


def judge(content: bytes, name: str, kinds: tuple[str, ...] = KINDS) -> Accepted:
    """Return content as it may be kept; raise InputError if it is refused. `name` is only used in that message."""
    try:
        accepted = _accepted(content)
    except InputError as refused:
        # the modules of this package say half a sentence, which goes on after the name of the file
        raise InputError(f"{name} {refused.what}; it is not kept", hint=refused.hint) from None
    if accepted.kind not in kinds:
        raise InputError(
            f"{name} is {accepted.kind.upper()}, which this site does not take; it is not kept",
            hint="it takes " + ", ".join(kinds) + "; `evidence.types` in site.yaml says so, from the adopted plan",
        )
    return accepted


def _accepted(content: bytes) -> Accepted:
    if not content:
        raise InputError("is empty", hint="attach the file that shows it")
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        kept, removed = cleaned_png(content)
        return Accepted(kept, "png", removed)
    if content.startswith(b"\xff\xd8\xff"):
        kept, removed = cleaned_jpeg(content)
        return Accepted(kept, "jpeg", removed)
    if content.startswith(b"%PDF-"):
        refuse_archive_behind(content)
        refuse_bad_pdf(content)
        return Accepted(content, "pdf")
    text = decoded(content)
    if text is None:
        raise refusal_of_bytes(content)
    refuse_program(text)
    return Accepted(content, kind_of_text(text))
