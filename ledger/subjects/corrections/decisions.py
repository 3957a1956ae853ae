"""Take back what was entered by mistake. The entry stays in the record and does not count any more."""

from __future__ import annotations

from ledger.subjects.corrections.making import ENTRY, taken_back
from ledger.subjects.recording import about_named

correct = about_named(ENTRY, taken_back)
