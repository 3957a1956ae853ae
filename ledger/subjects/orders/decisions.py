"""Decisions about orders: place, acknowledge and expedite them, and record promised delivery dates."""

from __future__ import annotations

from ledger.subjects.orders import making as made
from ledger.subjects.recording import about_supply

order = about_supply(made.placed)
acknowledge = about_supply(made.acknowledged)
promise = about_supply(made.promised_anew)
expedite = about_supply(made.expedited)
