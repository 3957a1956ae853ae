"""Pictures: really pictures, of a size that can be shown, and without the place where they were taken."""

from __future__ import annotations

import random
import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image, ImageChops

from ledger.evidence.intake import judge
from ledger.evidence.intake.pictures import MOST_SCANS
from schedule.errors import InputError
from tests.ledger import malicious as bad

pytestmark = pytest.mark.own_file  # no ledger at all: once is enough

BOMB = zlib.compress(bytes(50_000_000), level=1)  # every worker that reads this file makes it


def opened(content: bytes) -> Image.Image:
    return Image.open(BytesIO(content))


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_photo_loses_its_place_and_nothing_else(kind: str) -> None:
    """Where a data centre is remains private. Which way up a picture is, and when it was taken, is evidence."""
    content = bad.photo(kind, exif=bad.exif())
    assert opened(content).getexif().get_ifd(0x8825)

    kept = judge(content, "rack.jpg")

    left, before = opened(kept.content).getexif(), opened(content).getexif()
    assert kept.removed == ("the location",)
    assert 0x8825 not in left
    assert b"2026:11:20\x00" not in kept.content
    assert dict(left) == {tag: value for tag, value in before.items() if tag != 0x8825}
    assert left[0x0112] == 6
    assert left[0x0132] == "2026:11:20 14:03:00"
    assert left.get_ifd(0x8769) == before.get_ifd(0x8769)
    assert left.get_ifd(0x8769)[0x9003] == "2026:11:20 14:02:59"
    assert not ImageChops.difference(opened(content), opened(kept.content)).getbbox()


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_everything_else_in_the_metadata_stays_where_it_is(kind: str) -> None:
    """Some makers' notes say by offset where their values are; moved, they cannot be read."""
    held = bad.exif()
    note = b"serial number 4711 at offset 4711"
    held.get_ifd(0x8769)[0x927C] = note
    content = bad.photo(kind, exif=held)

    kept = judge(content, "rack.jpg")

    assert kept.removed == ("the location",)
    assert len(kept.content) == len(content)
    assert kept.content.index(note) == content.index(note)


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_photo_without_a_place_is_kept_byte_for_byte(kind: str) -> None:
    """Its digest is then the one the camera's own file has."""
    content = bad.photo(kind, exif=bad.exif(gps=False))

    assert judge(content, "rack.jpg") == (content, kind.lower(), ())


def test_big_endian_exif_loses_its_place_too() -> None:
    """Some cameras write the other byte order."""
    held = bad.exif()
    held.endian = ">"
    content = bad.photo(exif=held.tobytes())

    left = opened(judge(content, "rack.jpg").content).getexif()

    assert 0x8825 not in left
    assert left[0x0112] == 6


def test_xmp_and_iptc_lose_the_place() -> None:
    """Picture editors write the place again, in two more forms."""
    jpeg = bad.photo(exif=bad.exif())
    iptc = b"Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\x00\x00\x09\x1c\x02\x5a\x00\x04Oslo\x00"
    xmp = b"http://ns.adobe.com/xap/1.0/\x00" + bad.XMP

    kept = judge(bad.with_segments(jpeg, bad.segment(0xE1, xmp), bad.segment(0xED, iptc)), "rack.jpg")

    assert kept.removed == ("the location",)
    assert b"Oslo" not in kept.content
    assert b"59,54" not in kept.content
    assert b"2026-11-20T14:02:59" in kept.content


@pytest.mark.parametrize("packed", [False, True])
def test_xmp_of_a_png_loses_the_place(packed: bool) -> None:
    """Screenshots pass through editors as well."""
    text = zlib.compress(bad.XMP) if packed else bad.XMP
    chunk = bad.png_chunk(b"iTXt", b"XML:com.adobe.xmp\x00" + bytes((packed, 0)) + b"\x00\x00" + text)

    kept = judge(bad.png(8, 8, bad.grey(), chunk), "screen.png")

    assert kept.removed == ("the location",)
    assert b"Oslo" not in kept.content
    assert b"2026-11-20T14:02:59" in kept.content
    opened(kept.content).load()


def test_metadata_that_does_not_read_is_left_out_and_said() -> None:
    """What cannot be looked into may name the place."""
    broken = bad.segment(0xE1, b"Exif\x00\x00II*\x00\xff\xff\xff\x7f")

    kept = judge(bad.with_segments(bad.photo(), broken), "rack.jpg")

    assert kept.removed == ("metadata that does not read",)
    assert kept.content == bad.photo()


def test_metadata_whose_place_overlaps_its_header_is_left_out() -> None:
    """Overwriting that place would leave metadata that nobody can read."""
    latitude = struct.pack("<HHHII", 1, 2, 5, 3, 0)
    held = b"Exif\x00\x00II*\x00" + struct.pack("<IHHHIII", 8, 1, 0x8825, 4, 1, 26, 0) + latitude

    kept = judge(bad.with_segments(bad.photo(), bad.segment(0xE1, held)), "rack.jpg")

    assert (kept.content, kept.removed) == (bad.photo(), ("metadata that does not read",))


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_what_lies_behind_a_picture_is_left_out_and_said(kind: str) -> None:
    """A picture with an archive behind it is both; only the picture is kept."""
    picture = bad.photo(kind)

    kept = judge(picture + bad.zipped({"evil.exe": bad.pe()}), "rack.jpg")

    assert kept.content == picture
    assert kept.removed == ("what lay behind the picture",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (bad.png(60_000, 60_000, bad.grey()), "60,000 x 60,000 pixels"),
        (bad.png(8, 8, BOMB), "decompression bomb"),
        (bad.png(8, 8, bad.grey(), bad.png_chunk(b"zTXt", b"a\x00\x00" + BOMB)), "bomb"),
        (bad.png(8, 8, bad.grey(), bad.png_chunk(b"iTXt", b"a\x00\x01\x00\x00\x00" + BOMB)), "bomb"),
        (bad.png(8, 8, bad.grey(), bad.png_chunk(b"acTL", bytes(8))), "animated"),
        (bad.png(8, 8, bad.grey()[:-6]), "cut off or damaged"),
        (bad.photo("PNG")[:-40], "cut off or damaged"),
        (bad.photo("PNG").replace(b"IDAT", b"IDAU"), "cut off or damaged"),
        (bad.photo()[:-900], "cut off or damaged"),
        (b"\xff\xd8\xff\xe0" + b"not a picture at all", "cut off or damaged"),
        (bad.photo().replace(b"\x00\xf0\x01\x40\x03", b"\xff\xff\xff\xff\x03"), "65,535 x 65,535 pixels"),
    ],
    ids=bad.label,
)
def test_bombs_and_what_is_no_picture_are_refused(content: bytes, said: str) -> None:
    """A picture of a few bytes can fill an auditor's memory."""
    with pytest.raises(InputError, match=said):
        judge(content, "rack.jpg")


def test_a_picture_of_thousands_of_scans_is_refused() -> None:
    """Each scan is decoded over the whole picture; a decoder would be busy for hours."""
    picture = bad.photo(progressive=True)
    begin = picture.index(b"\xff\xda")
    end = picture.index(b"\xff\xda", begin + 2)

    with pytest.raises(InputError, match="scans: a decompression bomb"):
        judge(picture[:begin] + picture[begin:end] * (MOST_SCANS + 1) + picture[end:], "rack.jpg")


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
def test_damaged_metadata_neither_refuses_a_photo_nor_is_cleaned_twice() -> None:
    """Whatever a few wrong bytes make of it, the photo is kept, and what is kept holds nothing that would be removed."""
    chance = random.Random(1)
    held = bad.exif().tobytes()
    for _ in range(300):
        damaged = bytearray(held)
        for _ in range(chance.randint(1, 4)):
            damaged[6 + chance.randrange(len(held) - 6)] = chance.randrange(256)

        for photo in (
            bad.with_segments(bad.photo(), bad.segment(0xE1, bytes(damaged))),
            bad.png(8, 8, bad.grey(), bad.png_chunk(b"eXIf", bytes(damaged[6:]))),
        ):
            kept = judge(photo, "rack.jpg")

            assert judge(kept.content, "rack.jpg") == (kept.content, kept.kind, ())
