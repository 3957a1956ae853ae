"""The site's status as the dashboard's standing artifact `status`."""

from __future__ import annotations

from flows.dashboard.markdown import REHEARSAL, escaped
from flows.dashboard.prefect_api import PrefectApi
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions.counts import PhaseRow, phases
from ledger.questions.headlines import headlines
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from steps.stamps import minute


class StatusArtifact:
    """Writes the site's status as the standing artifact `status`."""

    def __init__(self, api: PrefectApi) -> None:
        self._api = api
        self._id = ""
        self._body = ""

    def send(self, text: str) -> None:
        """Show a status, unless only its time differs from what is shown."""
        body = text.partition("\n\n- ")[2]
        if body != self._body:
            artifact = {"key": "status", "type": "markdown", "description": "The site's status", "data": text}
            self._id, self._body = self._api.write_artifact(self._id, artifact), body


def status_text(snapshot: Snapshot) -> str:
    """Return the site's status as a Markdown table."""
    site, top = site_of(snapshot), headlines(snapshot, lapsed_releases(snapshot))
    head = REHEARSAL if site.rehearsal else ""
    lines = [
        f"{head}{escaped(site.name)}, plan revision {site.revision}, {minute(snapshot.now, site.time_zone)} {site.time_zone}",
        "",
        *(f"- {escaped(line)}" for line in top.lines),
        "",
        "| phase | done | running | in progress | awaiting sign-off | ready | blocked | failed | not applicable |",
        "|---|---|---|---|---|---|---|---|---|",
        *map(_line, phases(snapshot)),
    ]
    return "\n".join(lines)


def _line(p: PhaseRow) -> str:
    cells = (p.phase, p.done, p.running, p.in_progress, p.awaiting, p.ready, p.blocked, p.failed, p.not_applicable)
    return f"| {' | '.join(map(str, cells))} |"
