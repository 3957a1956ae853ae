"""Anchors as the command line names them: a file, a git repository, or a code."""

from __future__ import annotations

from pathlib import Path

from ledger.trust.anchor_code import looks_like_code
from ledger.trust.anchor_git import git_anchors
from ledger.trust.anchors import Anchor, coded_anchor, file_anchors
from schedule.errors import InputError


def read_anchors(named: str) -> list[Anchor]:
    """Return the anchors in a file or a git repository, or the anchor of a code. Raise InputError if there are none."""
    path = Path(named)
    if path.is_dir():
        return _some(git_anchors(path), named)
    if path.exists():
        return _some(file_anchors(path), named)
    if looks_like_code(named):
        return [coded_anchor(named, "code")]
    raise InputError(f"{named!r} is neither a file, nor a git repository, nor the code of an anchor")


def _some(anchors: list[Anchor], named: str) -> list[Anchor]:
    if not anchors:
        raise InputError(f"{named} has no anchor", hint="`clusterwright anchor` writes anchors")
    return anchors
