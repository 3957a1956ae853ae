"""What every view of a site begins with: the commitment to go-live, against plan, baseline and forecast, what is late, and the decisions that are needed."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

from ledger.questions.baseline import Baseline, baseline
from ledger.questions.commitment import Commitment, Contingency, contingency, go_live_commitment
from ledger.questions.decisions_needed import Needed, decisions_needed, decisions_words
from ledger.questions.forecast_words import WentLive, go_live_lines, went_live
from ledger.questions.kept_forecast import Freshness, kept_forecast
from ledger.questions.lateness import Lateness, lateness
from ledger.questions.snapshot import Snapshot


class Headlines(NamedTuple):
    """The same facts for every view. `lines` are in words, without a line before a plan is adopted."""

    commitment: Commitment | None
    contingency: Contingency | None
    baseline: Baseline | None
    went_live: WentLive | None
    fresh: Freshness | None
    late: Lateness
    decisions: list[Needed]
    lines: list[str]

    @property
    def document(self) -> dict[str, Any]:
        """Return them for --json."""
        return {
            "commitment": self.commitment,
            "contingency": self.contingency,
            "baseline": self.baseline,
            "went_live": self.went_live,
            **self.late._asdict(),
            "decisions_needed": len(self.decisions),
        }


def headlines(snapshot: Snapshot, lapsed: Container[str] = ()) -> Headlines:
    """Return what every view begins with. `lapsed` is as for `decisions_needed`."""
    fresh, base = kept_forecast(snapshot), baseline(snapshot)
    late, needed = lateness(snapshot, fresh), decisions_needed(snapshot, lapsed)
    lines = go_live_lines(snapshot, fresh)
    if base is not None:
        lines += [str(late), decisions_words(needed)]
    commitment = go_live_commitment(snapshot)
    left = None if commitment is None else contingency(snapshot, commitment, fresh)
    return Headlines(commitment, left, base, went_live(snapshot), fresh, late, needed, lines)
