"""PDF: taken when it is open and only shows; refused when it acts, is locked or unpacks to too much."""

from __future__ import annotations

import base64
import struct
import zlib
from io import BytesIO

import pytest

from ledger.evidence.intake import judge, pdf
from schedule.errors import InputError
from tests.ledger import malicious as bad

pytestmark = pytest.mark.own_file  # no ledger at all: once is enough

JAVASCRIPT = b"<< /S /JavaScript /JS (app.alert(1)) >>"


def test_a_page_that_a_program_drew_is_taken() -> None:
    """Its streams are packed."""
    from matplotlib.figure import Figure  # half a second that only this test needs

    figure, made = Figure(), BytesIO()
    figure.subplots().plot(range(100))
    figure.savefig(made, format="pdf")

    assert judge(made.getvalue(), "certificate") == (made.getvalue(), "pdf", ())


@pytest.mark.parametrize(
    "content",
    [
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
    """Return 600 MB of nothing, packed again and again."""
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


def stored(content: bytes) -> bytes:
    """Return the block of Deflate that holds content as it is, and does not end the data."""
    return struct.pack("<BHH", 0, len(content), 0xFFFF ^ len(content)) + content


def packed_behind(content: bytes) -> bytes:
    """Return deflated data that holds content as it is, and JavaScript, packed, behind it."""
    engine = zlib.compressobj(wbits=-15)
    return b"\x78\x9c" + stored(content) + engine.compress(JAVASCRIPT) + engine.flush()


def layers(content: bytes, count: int) -> bytes:
    """Return content packed again and again."""
    for _ in range(count):
        content = zlib.compress(content)
    return content


OBJECTS = "/Type /ObjStm /N 1 /First 4"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (bad.two_tables(JAVASCRIPT), "JavaScript"),
        (bad.pdf(b"<< /S /JavaScript\x00/JS (x) >>"), "JavaScript"),
        (bad.pdf(bad.stream(packed_behind(b"%endstream\n"), "/FlateDecode", OBJECTS)), "JavaScript"),
        (bad.pdf(bad.stream(zlib.compress(JAVASCRIPT)[:-4] + b"sums", "/FlateDecode", OBJECTS)), "JavaScript"),
        (bad.pdf(bad.stream(packed_behind(b"")[:-1] + b"\xff\xff\xff", "/FlateDecode", OBJECTS)), "JavaScript"),
        (bad.pdf(bad.stream(layers(JAVASCRIPT, 2), "/FlateDecode /FlateDecode", "/X (1 0 obj)")), "JavaScript"),
        (bad.pdf(bad.stream(layers(b"BT ET", 10), "/FlateDecode " * 10)), "cannot be looked into"),
        (bad.pdf(bad.stream(b"x", "9 0 R")), "cannot be looked into"),
        (bad.pdf(bad.stream(b"x", "/FlateDecode", OBJECTS + " /DecodeParms 9 0 R")), "cannot be looked into"),
        (
            bad.pdf(bad.stream(b"x", "/FlateDecode", "/DecodeParms << /Predictor 11 >> /X (obj) " + OBJECTS), b"/XRef"),
            "looked",
        ),
    ],
    ids=bad.label,
)
def test_what_only_some_readers_find_is_found(content: bytes, said: str) -> None:
    """Readers differ in which objects they see, in where data ends, and in how much of damaged data they show."""
    with pytest.raises(InputError, match=said):
        judge(content, "certificate.pdf")


def test_data_that_unpacks_to_nothing_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fills no memory, but it takes time, and many streams may share it."""
    monkeypatch.setattr(pdf, "MOST_UNPACKED", 1_000_000)

    with pytest.raises(InputError, match="decompression bomb"):
        judge(bad.pdf(bad.stream(b"\x78\x9c" + stored(b"") * 300_000, "/FlateDecode")), "certificate.pdf")


@pytest.mark.slow
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
