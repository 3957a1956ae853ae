"""Who may record facts about the facility."""

from __future__ import annotations

from ledger.rules.access import EVERYBODY, Rows, Rule

ACCESS: Rows = {
    "record_facts": Rule("record a fact for {}", "an activity", EVERYBODY),
}
