"""A release that waits for what check mode shows: refused unseen, and for other hosts or another playbook."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from ledger.questions.case import require_activity
from ledger.questions.records import evidence, preview
from ledger.questions.why import lacks_preview
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import record_preview, release
from ledger.subjects.runs.payloads import Previewed, Released
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError
from tests.ledger.conftest import Clock, small_plan
from tests.ledger.journey import bought, passed, racked

NAME = "040@pod-001"
HOSTS = ("n1", "n2")


@pytest.fixture
def ready(empty: Ledger, clock: Clock) -> Ledger:
    plan = small_plan()
    wanted = tuple(replace(a, preview=a.id == NAME) for a in plan.activities)
    adopt_plan(empty, "pm", plan.model_copy(update={"activities": wanted}), reason="first plan")
    bought(empty)
    racked(empty)
    passed(empty, clock)
    return empty


def seen(ledger: Ledger, *hosts: str, digest: str = "d") -> str:
    event = record_preview(
        ledger,
        NAME,
        hosts=hosts,
        playbook_digest=digest,
        differences=b"+ mtu 9000\n",
        summary="would change 2 of 2 hosts",
    )
    assert isinstance(event.payload, Previewed)
    return event.payload.differences.digest


def test_a_release_rests_on_the_differences_that_were_seen(ready: Ledger) -> None:
    with pytest.raises(NotSatisfiedError, match="nobody has seen what it would change") as refused:
        release(ready, "lead", NAME, hosts=HOSTS, count=2, playbook_digest="d")
    assert refused.value.hint == f"clusterwright preview {NAME}"
    digest = seen(ready, *HOSTS)

    event = release(ready, "lead", NAME, hosts=HOSTS, count=2, playbook_digest="d")

    assert isinstance(event.payload, Released)
    assert event.payload.differences == digest
    with open_snapshot(ready.site_dir) as snapshot:
        assert [(e.kind, e.name) for e in evidence(snapshot, NAME)] == [("differences", "040.diff")]
        assert not lacks_preview(snapshot, require_activity(snapshot, NAME))
        shown = preview(snapshot, NAME)
    assert shown is not None
    assert (shown.hosts, shown.summary, shown.differences) == (HOSTS, "would change 2 of 2 hosts", digest)
    assert audit(ready.site_dir) == []


@pytest.mark.parametrize(("hosts", "digest"), [(("n1",), "d"), (HOSTS, "another")])
def test_what_was_seen_of_others_is_not_what_is_released(ready: Ledger, hosts: tuple[str, ...], digest: str) -> None:
    seen(ready, *hosts, digest=digest)

    with pytest.raises(NotSatisfiedError, match="another playbook, or other hosts"):
        release(ready, "lead", NAME, hosts=HOSTS, count=2, playbook_digest="d")
