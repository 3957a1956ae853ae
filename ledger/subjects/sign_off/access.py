"""Who may approve, reject, waive and witness."""

from __future__ import annotations

from ledger.rules.access import APPROVERS, CREW_AND_APPROVERS, PROCEED, Never, Rows, Rule, Who

ACCESS: Rows = {
    "invite": Rule("invite the witnesses of {}", "an activity", CREW_AND_APPROVERS),
    "attend": Rule("say who witnessed {}", "an activity", (Who.WITNESS, *CREW_AND_APPROVERS)),
    "sign": Rule("sign {}", "an activity", (Who.POLICY,), never=Never.PERFORMER),
    "reject": Rule("reject {}", "an activity", (Who.POLICY,)),
    "waive": Rule("waive a criterion of {}", "an activity", APPROVERS, never=Never.PERFORMER),
    "move_waiver": Rule("set another day for {}", "a waiver", APPROVERS, never=Never.PERFORMER),
    "break_glass": Rule("pass {} against its policy", "an activity", PROCEED),
}
