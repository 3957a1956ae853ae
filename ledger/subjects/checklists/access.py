"""Who may check items."""

from __future__ import annotations

from ledger.rules.access import EVERYBODY_AND_ENGINE, PROCEED, Rows, Rule

ACCESS: Rows = {
    "check": Rule("check {}", "items of an activity", EVERYBODY_AND_ENGINE, PROCEED, decisions=("check", "scan")),
}
