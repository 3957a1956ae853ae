"""Who may order, deliver, receive and change orders."""

from __future__ import annotations

from ledger.rules.access import BUYERS, RECEIVING, Never, Rows, Rule, Who

ACCESS: Rows = {
    "order": Rule("place {}", "an order", BUYERS),
    "acknowledge": Rule("acknowledge {}", "an order", (*BUYERS, Who.SUPPLIER)),
    "promise": Rule("promise {}", "an order or a delivery", (*BUYERS, Who.SUPPLIER)),
    "expedite": Rule("expedite {}", "an order or a delivery", BUYERS),
    "ship": Rule("ship {}", "a delivery", (*BUYERS, "logistics-lead", Who.SUPPLIER)),
    "receive": Rule(
        "receive {}",
        "a delivery",
        (Who.REHEARSING, *RECEIVING),
        decisions=("receive", "check_manifest", "receive_manifest"),
    ),
    "ask_change": Rule("ask to change {}", "an order or a delivery", BUYERS),
    "decide_change": Rule("decide {}", "a change order", ("owner-pm", "procurement-lead"), never=Never.ASKER),
}
