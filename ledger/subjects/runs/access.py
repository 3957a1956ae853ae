"""Who may release, ask for, begin and end runs of software."""

from __future__ import annotations

from ledger.rules.access import EVERYBODY, Rows, Rule, Who

ACCESS: Rows = {
    "release": Rule("release {}", "an activity", (Who.POLICY, "owner-pm")),
    "request_run": Rule("ask for a run of {}", "an activity", EVERYBODY),
    "request_retry": Rule("ask for another try of {}", "an activity", EVERYBODY),
    "request_cancel": Rule("ask to stop {}", "an activity", EVERYBODY),
    "answer_request": Rule("answer {}", "a request", (Who.ENGINE,)),
    "claim": Rule("claim {}", "an activity", (Who.ENGINE,), decisions=("claim", "renew")),
    "record_preview": Rule("keep what {} would change", "an activity", (Who.ENGINE,)),
    "settle": Rule("settle the run of {}", "an activity", (Who.ENGINE,)),
}
