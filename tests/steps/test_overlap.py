"""Two steps of a pod that follow each other rack by rack."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import ValidationError

from steps.catalog.loader import Catalog
from steps.catalog.schema import Link
from steps.catalog.terms import LinkType, Mapping
from steps.design.design import design_of_preset
from steps.planning.network.durations import duration_of
from steps.planning.network.expansion import expand
from tests.shipped import shipped_catalog

BEFORE, AFTER = "H09", "046"


def overlapped() -> Catalog:
    """Return the shipped catalog in which cables follow servers from rack to rack, and wait for nothing else."""
    catalog = shipped_catalog()
    entry = catalog[AFTER]
    link = Link(after=BEFORE, overlap="rack", reason="the rack has its servers")
    return catalog | {AFTER: replace(entry, step=entry.step.model_copy(update={"links": (link,)}))}


def test_the_successor_begins_with_the_first_rack_and_ends_after_the_last() -> None:
    found = expand(overlapped(), design_of_preset("superpod-4su"), 8.0)
    between = [one for one in found.links if (one.before, one.after) == (f"{BEFORE}@pod-001", f"{AFTER}@pod-001")]

    start, finish = sorted(between, key=lambda one: one.type.value, reverse=True)
    racks = float(found.nodes[start.before].values["racks_in_pod"])
    whole = {
        end: duration_of(found.nodes[f"{end}@pod-001"].entry.step, found.nodes[f"{end}@pod-001"].values, 8.0).m
        for end in (BEFORE, AFTER)
    }
    assert (start.type, finish.type) == (LinkType.SS, LinkType.FF)
    assert whole[BEFORE] / racks <= start.lag_h < whole[BEFORE] / 2
    assert 0 < finish.lag_h <= whole[AFTER] / racks


def test_in_a_single_rack_one_comes_after_the_other() -> None:
    found = expand(overlapped(), design_of_preset("superpod-1su", {"nodes": 4}), 8.0)

    (only,) = [one for one in found.links if (one.before, one.after) == (f"{BEFORE}@pod-001", f"{AFTER}@pod-001")]
    assert only.type is LinkType.FS


@pytest.mark.parametrize("more", [{"map": Mapping.ALL}, {"type": LinkType.SS}, {"supply": "leaf-switch"}])
def test_an_overlap_says_everything_by_itself(more: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="`overlap` is between two steps of one pod"):
        Link.model_validate({"after": BEFORE, "overlap": "rack", "reason": "racks", **more})
