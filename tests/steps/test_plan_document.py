"""Plans as the documents that revisions are stored as."""

from __future__ import annotations

import gzip

import pytest
from msgspec.structs import replace

from schedule.errors import InputError
from steps.planning import plan_document
from steps.planning.activity import activity_of, text_of
from steps.planning.plan_document import document_of, plan_of
from tests.steps.test_plan import plan

pytestmark = pytest.mark.xdist_group("plans")


@pytest.mark.parametrize("preset", ["superpod-1su", "h100-10k"])
def test_a_plan_is_read_as_it_was_stored(preset: str) -> None:
    made = plan(preset)

    document = document_of(made)

    assert plan_of(document) == made
    assert document_of(plan_of(document)) == document


def test_activities_that_differ_in_one_thing_alone_keep_it() -> None:
    made = plan("superpod-1su")
    first, *others = made.activities
    changed = made.model_copy(update={"activities": (replace(first, title="Another title"), *others)})

    assert plan_of(document_of(changed)).activities[0].title == "Another title"
    assert plan_of(document_of(changed)) == changed


def test_a_document_is_a_small_part_of_the_plan_in_full() -> None:
    made = plan("h100-10k")

    assert 20 * len(document_of(made)) < len(made.model_dump_json())


def test_a_plan_from_before_is_still_read() -> None:
    made = plan("superpod-1su")

    assert plan_of(made.model_dump_json().encode()) == made


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (document_of(plan("superpod-1su"))[:-100], "cut off"),
        (gzip.compress(b"{}", mtime=0), "required field"),
        (gzip.compress(b"not JSON", mtime=0), "malformed"),
        (b"\x1f\x8b and no more", "Error"),
        (b'{"format": 1, "unknown": 2}', "validation errors"),
    ],
)
def test_what_is_no_plan_is_refused(document: bytes, why: str) -> None:
    with pytest.raises(InputError, match=f"it is no plan: .*{why}"):
        plan_of(document)


def test_a_document_that_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_document, "LARGEST", 1000)

    with pytest.raises(InputError, match="too large"):
        plan_of(gzip.compress(b" " * 1001))


def test_what_is_usual_is_not_in_the_text_of_an_activity() -> None:
    """A field that a later release adds changes no text that was signed before."""
    one = plan("superpod-1su").activities[0]
    text = text_of(one)

    assert activity_of(text) == one
    assert "restarts" not in text
    assert "restarts" in text_of(replace(one, restarts=True))
    assert activity_of(text_of(replace(one, restarts=True))).restarts
