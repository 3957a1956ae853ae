"""Decisions about non-conformances: their disposition, and closing them. See `ledger.subjects.ncr.rules`."""

from __future__ import annotations

from ledger.subjects.ncr import making as made
from ledger.subjects.recording import about_named

disposition_ncr = about_named(made.NCR, made.dispositioned)
assign_ncr = about_named(made.NCR, made.assigned)
close_ncr = about_named(made.NCR, made.closed)
