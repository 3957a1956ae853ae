"""Decisions that need a reason in words."""

from __future__ import annotations

from schedule.errors import InputError


def require_reason(reason: str, what: str) -> None:
    """Raise InputError if a reason is empty. The message says that `what` needs one, for example "a waiver"."""
    if not reason.strip():
        raise InputError(f"{what} needs a reason", hint="add --reason")
