"""Who may put rules and plans in force, and import progress from before."""

from __future__ import annotations

from ledger.rules.access import PROCEED, Rows, Rule, Who

ACCESS: Rows = {
    "raise_rules": Rule("put {} in force", "a version of the rules", (Who.OWNER,)),
    "adopt_plan": Rule("adopt {}", "a plan", (Who.OWNER, *PROCEED)),
    "import_progress": Rule("import {}", "progress from before", PROCEED),
}
