"""PDF: taken when it is open and only shows; refused when it acts, is locked or unpacks to too much."""

from __future__ import annotations

import base64
import zlib
from io import BytesIO

import pytest

from ledger.intake import judge, pdf
from steps.errors import InputError
from tests.ledger import malicious as bad

JAVASCRIPT = b"<< /S /JavaScript /JS (app.alert(1)) >>"


def drawn() -> bytes:
    """Give a page as a program draws it, with packed streams."""
    from matplotlib.figure import Figure

    figure, made = Figure(), BytesIO()
    figure.subplots().plot(range(100))
    figure.savefig(made, format="pdf")
    return made.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        drawn(),
        bad.pdf(),
        bad.pdf(bad.stream(zlib.compress(b"BT (see the JavaScript manual) Tj ET"), "/FlateDecode")),
        bad.pdf(bad.stream(base64.a85encode(zlib.compress(b"BT ET")) + b"~>", "/ASCII85Decode /FlateDecode")),
        bad.pdf(b"<< /OpenAction [3 0 R /Fit] >>"),
        bad.pdf(bad.stream(zlib.compress(bytes(9))[:-3], "/FlateDecode")),
    ],
    ids=bad.label,
)
def test_a_pdf_that_only_shows_is_taken(content: bytes) -> None:
    """Test certificates and drawings come so."""
    assert judge(content, "certificate") == (content, "pdf", ())


def deep(levels: int) -> bytes:
    """Give 600 MB of nothing, packed again and again."""
    engine = zlib.compressobj(1)
    packed = b"".join(engine.compress(bytes(1_000_000)) for _ in range(600)) + engine.flush()
    for _ in range(levels - 1):
        packed = zlib.compress(packed)
    return bad.pdf(bad.stream(packed, "/FlateDecode " * levels))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (bad.pdf(JAVASCRIPT), "JavaScript"),
        (bad.pdf(b"<< /S /J#61vaScript /JS (x) >>"), "JavaScript"),
        (bad.pdf(bad.stream(zlib.compress(JAVASCRIPT), "/FlateDecode", "/Type /ObjStm")), "JavaScript"),
        (bad.pdf(bad.stream(zlib.compress(bytes((1 << 20) - 17) + JAVASCRIPT), "/FlateDecode")), "JavaScript"),
        (bad.pdf(bad.stream(zlib.compress(zlib.compress(JAVASCRIPT)), "/FlateDecode /Fl")), "JavaScript"),
        (
            bad.pdf(bad.stream(base64.a85encode(zlib.compress(JAVASCRIPT)) + b"~>", "/ASCII85Decode /FlateDecode")),
            "JavaScript",
        ),
        (bad.pdf(b"<< /S /Launch /F (cmd.exe) >>"), "starts programs"),
        (
            bad.pdf(b"<< /Type /Filespec /EF << /F 5 0 R >> >>", bad.stream(bad.pe(), "", "/Type/EmbeddedFile")),
            "inside",
        ),
        (bad.pdf(b"<< /XFA [(x) 5 0 R] >>"), "form with scripts"),
        (bad.pdf(b"<< /Encrypt 5 0 R >>"), "locked"),
        (bad.pdf(bad.stream(b"4a53>", "/ASCIIHexDecode", "/Type /ObjStm")), "cannot be looked into"),
        (bad.pdf(b"<< /Filter 9 0 R /Length 1 >>\nstream\nx\nendstream"), "cannot be looked into"),
        (bad.pdf(bad.stream(b"\x00" * 300_000, "/LZWDecode")), "decompression bomb"),
        (bad.pdf()[:-60], "cut off"),
        (bad.pdf() + bad.zipped({"evil.exe": bad.pe()}), "archive .zip. as well"),
    ],
    ids=bad.label,
)
def test_a_pdf_that_acts_hides_or_explodes_is_refused(content: bytes, said: str) -> None:
    """A reader that opens it would run it, or run out of memory."""
    with pytest.raises(InputError, match=said):
        judge(content, "certificate.pdf")


@pytest.mark.parametrize("levels", [1, 3])
def test_a_bomb_is_refused_however_deep_it_is_packed(levels: int) -> None:
    """Packed three times it is a few hundred bytes."""
    content = deep(levels)

    with pytest.raises(InputError, match="decompression bomb"):
        judge(content, "certificate.pdf")


def test_many_streams_share_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand streams just below a limit are one bomb."""
    monkeypatch.setattr(pdf, "MOST_UNPACKED", 1_000_000)
    streams = [bad.stream(zlib.compress(bytes(300_000)), "/FlateDecode")] * 4

    with pytest.raises(InputError, match="decompression bomb"):
        judge(bad.pdf(*streams), "certificate.pdf")
    assert judge(bad.pdf(*streams[:3]), "certificate.pdf").kind == "pdf"
