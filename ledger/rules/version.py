"""The version of the rules by which events are judged. It is raised when a rule changes, so that old ledgers still replay.

What a later version refuses, or records in another way, asks `rules` of the case or of the moment: the version in force at the
event. For example: `if case.rules >= DATES_AND_TIMES: ...`.
"""

from __future__ import annotations

RULES = 6
"""The newest version. Version 1 judged sign-offs and change orders only. Version 2 judges every kind of event."""

DATES_AND_TIMES = 3
"""From this version on, a date or a time that contradicts the record is refused, and what is recorded late says why."""

WHO_AND_WHEN = 4
"""From this version on, a revocation counts from its event at the latest, a time far ahead of all others is refused, to be named as
somebody who did the work binds only those who confirm it, and software begins no run of what people do."""

ITEMS_AND_WAIVERS = 5
"""From this version on, a criterion of each item that was read at some by name is read at all of them before work is finished, pieces
come whole, a criterion that was waived before a run does not fail it and can be read on done work, an order is taken back once its
change orders are decided, work that had begun keeps its criteria when a plan removes it, and an order says what was ordered: what a plan
or a change order has more of is waited for, what a plan drops stays owed, goods follow pods that move to another delivery, a change
order is of the quantity and the currency of its plan, and an organisation without people in the plan has no open work."""

FAULTS_AND_INVITATIONS = 6
"""From this version on, use-as-is accepts what had failed before it, readings too, and nothing later, an item is not passed and a non-conformance not
closed while what was measured there fails, who came is of the last invitation, and work that a plan has again is held against its own."""
