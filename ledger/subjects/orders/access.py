"""Who may order, deliver, receive and change orders."""

from __future__ import annotations

from ledger.rules.access import BUYING, RECEIVING, Never, Rows, Rule, Who

ACCESS: Rows = {
    "order": Rule("place {}", "an order", BUYING),
    "acknowledge": Rule("acknowledge {}", "an order", (*BUYING, Who.SUPPLIER)),
    "promise": Rule("promise {}", "an order or a delivery", (*BUYING, Who.SUPPLIER)),
    "expedite": Rule("expedite {}", "an order or a delivery", BUYING),
    "ship": Rule("ship {}", "a delivery", (*BUYING, "logistics-lead", Who.SUPPLIER)),
    "receive": Rule("receive {}", "a delivery", RECEIVING, decisions=("receive", "check_manifest", "receive_manifest")),
    "ask_change": Rule("ask to change {}", "an order or a delivery", BUYING),
    "decide_change": Rule("decide {}", "a change order", ("owner-pm", "procurement-lead"), never=Never.ASKER),
}
