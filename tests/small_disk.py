"""A disk of its own for a test that fills it: memory, mounted by root."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
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
