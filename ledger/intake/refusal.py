"""Why content is not taken as evidence: a half sentence that follows its name, and what to do instead."""

from __future__ import annotations


class RefusedError(Exception):
    """Content that is not taken; `what` goes on after the file's name."""

    def __init__(self, what: str, hint: str) -> None:
        """Keep both; whoever knows the file's name makes the sentence."""
        super().__init__(what)
        self.what = what
        self.hint = hint
