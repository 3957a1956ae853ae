"""Who may take back what was entered by mistake."""

from __future__ import annotations

from ledger.rules.access import PROCEED, Rows, Rule, Who

ACCESS: Rows = {
    "correct": Rule("take back {}", "an entry about an activity", (Who.THEIRS, Who.POLICY, *PROCEED)),
    "correct_supply": Rule(
        "take back {}",
        "an entry about an order or a delivery",
        (Who.THEIRS, *PROCEED, "procurement-lead"),
        decisions=("correct",),
    ),
}
