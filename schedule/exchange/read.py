"""What reading a file returns."""

from __future__ import annotations

from dataclasses import dataclass

from schedule.exchange.model import Exchange
from schedule.exchange.writing import Form


@dataclass(frozen=True)
class Read:
    """A schedule that was read, its form, and what of the file is not in it, in sentences."""

    schedule: Exchange
    form: Form
    notices: tuple[str, ...] = ()
