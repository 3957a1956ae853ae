"""What may be laid on the table: six kinds, known by their content and never by their name.

Taken are text, JSON, CSV, PNG, JPEG and PDF. Whatever is none of these, or hides something behind being one, is refused:
programs and scripts, archives of every kind, office documents, pages with scripts, pictures and documents that unpack to
many times their size. Nothing is unpacked, run or rendered to find out; a photo loses the place where it was taken.
"""

from __future__ import annotations

from typing import NamedTuple

from ledger.intake.refusal import RefusedError
from steps.errors import InputError

MEDIA_TYPES = {
    "text": "text/plain",
    "json": "application/json",
    "csv": "text/csv",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "pdf": "application/pdf",
}
"""The kinds of content, as site.yaml names them, and their media types."""


class Judged(NamedTuple):
    """Content as it may be kept: `kind` is one of MEDIA_TYPES; `removed` says what was taken out of it."""

    content: bytes
    kind: str
    removed: tuple[str, ...] = ()


def judge(content: bytes, name: str, kinds: tuple[str, ...] = tuple(MEDIA_TYPES)) -> Judged:
    """Give content as it may be kept, or refuse it; `name` is for the sentence only."""
    try:
        judged = _judged(content)
    except RefusedError as refused:
        raise InputError(f"{name} {refused.what}; it is not kept", hint=refused.hint) from None
    if judged.kind not in kinds:
        raise InputError(
            f"{name} is {judged.kind.upper()}, which this site does not take; it is not kept",
            hint="it takes " + ", ".join(kinds) + "; `evidence.types` in site.yaml says so, from the adopted plan",
        )
    return judged


def _judged(content: bytes) -> Judged:
    if not content:
        raise RefusedError("is empty", "attach the file that shows it")
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        from ledger.intake.png import judged_png

        return Judged(*judged_png(content))
    if content.startswith(b"\xff\xd8\xff"):
        from ledger.intake.jpeg import judged_jpeg

        return Judged(*judged_jpeg(content))
    if content.startswith(b"%PDF-"):
        from ledger.intake.pdf import refuse_bad_pdf

        refuse_bad_pdf(content)
        return Judged(content, "pdf")
    from ledger.intake.texts import kind_of_text

    return Judged(content, kind_of_text(content))
