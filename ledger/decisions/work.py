"""Decisions about the work of an activity: assign, start, progress, measure, finish, hold, resume, reopen, not applicable."""

from __future__ import annotations

from ledger.decisions.recording import about_activity, about_supply
from ledger.making import work as made

assign = about_activity(made.assigned)
assign_organisation = about_supply(made.organisation_assigned)
comment = about_activity(made.commented)
start = about_activity(made.started)
progress = about_activity(made.progressed)
measure = about_activity(made.measurement_recorded)
finish = about_activity(made.finished)
hold = about_activity(made.held)
resume = about_activity(made.resumed)
na = about_activity(made.not_applicable)
reopen = about_activity(made.reopened)
settle_duplicate = about_activity(made.duplicate_settled)
