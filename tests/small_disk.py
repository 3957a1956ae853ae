"""A disk of its own for a test that fills it: memory, mounted by root."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def small_disk_at(folder: Path, size: str) -> Iterator[Path]:
    """Mount a disk of a size, as `64k`, at a folder that is made for it. Skip the test where this account may not."""
    folder.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder)
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this account may not mount a disk")
    try:
        yield folder
    finally:
        subprocess.run(("umount", "-l", folder), check=True)


@contextmanager
def full(folder: Path) -> Iterator[None]:
    """Let no byte be free on the disk of a folder, while the block lasts."""
    room = folder / "ballast"
    with suppress(OSError), room.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(512))
    yield
    room.unlink()
