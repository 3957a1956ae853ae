"""Who may do what about the work of an activity."""

from __future__ import annotations

from ledger.rules.access import CREW_AND_APPROVERS, EVERYBODY, EVERYBODY_AND_ENGINE, PROCEED, Rows, Rule, Who

ACCESS: Rows = {
    "assign": Rule("assign {}", "an activity", EVERYBODY, PROCEED),
    "comment": Rule("comment on {}", "an activity", EVERYBODY_AND_ENGINE),
    "start": Rule("start {}", "an activity", EVERYBODY, PROCEED),
    "progress": Rule("report progress of {}", "an activity", EVERYBODY_AND_ENGINE, PROCEED),
    "measure": Rule("measure {}", "an activity", EVERYBODY_AND_ENGINE, PROCEED),
    "attach": Rule("attach evidence to {}", "an activity", EVERYBODY_AND_ENGINE),
    "finish": Rule("finish {}", "an activity", EVERYBODY, PROCEED),
    "attest": Rule("attest {}", "an activity", CREW_AND_APPROVERS, PROCEED),
    "hold": Rule("hold {}", "an activity", EVERYBODY_AND_ENGINE),
    "resume": Rule("resume {}", "an activity", EVERYBODY),
    "na": Rule("decide that {} does not apply", "an activity", (*PROCEED, "architect")),
    "reopen": Rule("open {} again", "an activity", (Who.POLICY, Who.CREW, *PROCEED, "architect")),
}
