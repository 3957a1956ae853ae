"""What may be attached: judged by content, each refusal by a file an attacker would make."""

from __future__ import annotations

import bz2
import lzma
import sys
import tarfile
import tracemalloc
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from ledger.evidence.intake import judge
from schedule.errors import InputError
from tests.ledger import malicious as bad

pytestmark = pytest.mark.own_file  # no ledger at all: once is enough


def tar() -> bytes:
    made = BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("../../etc/cron.d/x"), BytesIO())
    return made.getvalue()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"burn-in passed\nno errors\n", "text"),
        ("\ufeffÜbergabe, 12 Stück\n".encode(), "text"),
        ("Prüfprotokoll\r\n".encode("utf-16"), "text"),
        (b"\x1b[32mPASS\x1b[0m\n", "text"),
        (b"[12:03] link up\n[12:04] link down\n", "text"),
        (b'<?xml version="1.0"?>\n<nvidia_smi_log><gpu id="0"/></nvidia_smi_log>\n', "text"),
        (b"curl: <html> was not found\n", "text"),
        (b'{"loss_db": 0.2}', "json"),
        (b'[{"host": "<script>"}]', "json"),
        (b"port,loss\n1,0.2\n2,0.3\n", "csv"),
        (b"port;Verlust\r\n1;0,2\r\n2;0,3\r\n", "csv"),
    ],
    ids=bad.label,
)
def test_text_is_taken_as_what_it_is(content: bytes, kind: str) -> None:
    """Logs, colours, tables from Excel and nvidia-smi's XML are everyday evidence."""
    judged = judge(content, "file")

    assert judged == (content, kind, ())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (Path(sys.executable).resolve().read_bytes()[:100_000], r"program \(ELF\)"),
        (bad.pe(), r"Windows program \(PE\)"),
        (bad.mach_o(), r"program \(Mach-O\)"),
        (b"\xca\xfe\xba\xbe\x00\x00\x00\x41" + bytes(16), "Mach-O or Java"),
        (b"\x00asm\x01\x00\x00\x00", "WebAssembly"),
        (b"#!/bin/sh\nrm -rf /\n", "script"),
        ("\ufeff#!/usr/bin/env python3\n".encode(), "script"),
        (b"@echo off\r\ndel /s C:\\\r\n", "Windows script"),
        (b"[Desktop Entry]\nType=Application\nExec=sh\n", "shortcut"),
        (b"Windows Registry Editor Version 5.00\r\n", "registry"),
        (b"<!DOCTYPE html><html><body onload=alert(1)>", "HTML"),
        (b"  <p>report</p><iframe src=x>", "HTML"),
        (b"see <script>alert(1)</script>", "holds a script"),
        ("<html><script>alert(1)</script>".encode("utf-16"), "holds a script"),
        (b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "SVG"),
        (b'<a:r xmlns:a="http://www.w3.org/1999/xhtml"><a:script src="x"/></a:r>', "holds a script"),
        (b'<!DOCTYPE r [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]><r>&b;</r>', "HTML"),
        (b"<?php system($_GET[0]); ?>", "holds a script"),
        (b"{\\rtf1\\ansi{\\object\\objocx}}", "rich-text"),
        (b"%!PS-Adobe-3.0\n(/etc/passwd) (r) file", "PostScript"),
        (b"From: a@b\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n", "mail"),
        (b"[" * 200_000, "nested"),
        (bz2.compress(bytes(1000)), "archive .bzip2"),
        (lzma.compress(bytes(1000)), "archive .xz"),
        (tar(), "archive .tar"),
        (bad.zipped({"a.txt": b"a"}), r"is an archive \(zip\); "),
        (bad.zipped({"a.txt": b"a"})[:-30], "damaged"),
        (bad.zipped({"META-INF/MANIFEST.MF": b"a"}), "Java archive"),
        (bad.macro_document(), "office document with macros"),
        (bad.zipped({"[Content_Types].xml": b"", "xl/workbook.xml": b""}), "office document, which"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "old kind"),
        (b"\x00\x00\x00\x18ftypheic" + bytes(16), "HEIC"),
        (b"GIF89a" + bytes(20), "GIF"),
        (b"caf\xe9\n", "no kind that is taken"),
        (b"\x00\x01\x02", "no kind that is taken"),
        (b"", "is empty"),
    ],
    ids=bad.label,
)
def test_what_runs_unpacks_or_cannot_be_judged_is_refused(content: bytes, said: str) -> None:
    """An auditor opens evidence; it must not open the auditor's computer. A harmless name changes nothing."""
    with pytest.raises(InputError, match=said) as refused:
        judge(content, "photo.jpg")

    assert refused.value.what.startswith("photo.jpg ")
    assert refused.value.hint


@pytest.mark.parametrize(
    ("make", "said"),
    [(bad.zip_bomb, "unpacks from .* to 200,000,000 bytes: an archive bomb"), (bad.gzip_bomb, "archive .gzip")],
)
def test_an_archive_bomb_is_refused_without_going_off(make: Callable[[], bytes], said: str) -> None:
    """Nothing is unpacked to find out: the refusal takes no memory."""
    content = make()

    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=said):
            judge(content, "logs.txt")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_site_may_take_fewer_kinds() -> None:
    """A site that wants pictures only says so, and the refusal names the key."""
    with pytest.raises(InputError, match=r"CSV, which this site does not take") as refused:
        judge(b"a,b\n1,2\n", "x.png", ("png", "jpeg"))

    assert "evidence.types" in refused.value.hint
