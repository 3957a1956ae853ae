"""Decisions about the work of an activity: assign, start, progress, measure, finish, hold, resume, reopen, not applicable."""

from __future__ import annotations

from ledger.subjects.recording import about_activity
from ledger.subjects.work import making as made

assign = about_activity(made.assigned)
comment = about_activity(made.commented)
start = about_activity(made.started)
progress = about_activity(made.progressed)
measure = about_activity(made.measurement_recorded)
finish = about_activity(made.finished)
hold = about_activity(made.held)
resume = about_activity(made.resumed)
na = about_activity(made.not_applicable)
reopen = about_activity(made.reopened)
