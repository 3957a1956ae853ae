"""What does not apply is bridged: order is kept, and nobody waits for what nobody does (docs/adr/0003-bridging.md)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from steps.catalog.loader import Catalog
from steps.catalog.schema import Lag, Link
from steps.catalog.terms import LinkType
from steps.design.design import design_of, design_of_preset
from steps.design.preset import preset_names
from steps.design.site import Site
from steps.planning.activity import WORKING
from steps.planning.network.expansion import expand
from steps.planning.plan import PlanLink
from tests.shipped import shipped_catalog

DAY = Lag(value=5, unit="elapsed-day", source="assumption")
FIRST, SECOND, THIRD, FOURTH = "001", "002", "003", "004"


def chain(*waits: tuple[LinkType, Lag | None], skipped: tuple[str, ...]) -> Catalog:
    """Return steps of the site that wait for one another in turn, some of which do not apply."""
    catalog = shipped_catalog()
    names = [FIRST, SECOND, THIRD, FOURTH][: len(waits) + 1]
    links: dict[str, tuple[Link, ...]] = {FIRST: ()}
    for before, after, (kind, lag) in zip(names, names[1:], waits, strict=False):
        links[after] = (Link(after=before, type=kind, lag=lag, reason="in turn"),)
    return {
        name: replace(
            catalog[name],
            step=catalog["071"].step.model_copy(
                update={
                    "id": name,
                    "applies": name not in skipped,
                    "not_applicable_because": "not here",
                    "links": links[name],
                }
            ),
        )
        for name in names
    }


def only_link(catalog: Catalog) -> PlanLink:
    """Return the one link that is left."""
    (link,) = expand(catalog, design_of_preset("superpod-1su", {}), 8.0).links
    return link


FS, SS, FF = LinkType.FS, LinkType.SS, LinkType.FF


def test_what_a_finished_step_leaves_behind_is_waited_for_by_whoever_comes_next() -> None:
    """Concrete cures whether or not the frames that were to stand on it are built."""
    link = only_link(chain((FS, DAY), (FS, None), skipped=(SECOND,)))

    assert (link.before, link.after, link.type) == ("001@site", "003@site", FS)
    assert link.lag_h == 120
    assert link.bridged == ("002@site",)


def test_nobody_waits_for_the_curing_of_what_was_not_poured() -> None:
    link = only_link(chain((FS, None), (FS, DAY), skipped=(SECOND,)))

    assert (link.before, link.after, link.lag_h) == ("001@site", "003@site", 0)


@pytest.mark.parametrize("kind", [FS, SS, FF])
def test_a_lag_between_two_steps_that_are_not_done_is_no_time(kind: LinkType) -> None:
    """A UPS that is there since years needs no days of start-up on a substation that is there since years."""
    link = only_link(chain((FS, None), (kind, DAY), (FS, None), skipped=(SECOND, THIRD)))

    assert (link.before, link.after, link.lag_h) == ("001@site", "004@site", 0)
    assert link.bridged == ("002@site", "003@site")


def test_a_lag_before_a_finish_is_work_of_the_step_that_finishes() -> None:
    """Start-up on live input takes its days where the UPS is installed, and none where it is not."""
    installed = only_link(chain((FS, None), (FF, DAY), skipped=(SECOND,)))
    not_installed = only_link(chain((FF, DAY), (FS, None), skipped=(SECOND,)))

    assert (installed.type, installed.lag_h) == (FF, 120)
    assert (not_installed.type, not_installed.lag_h) == (FS, 0)


def test_a_lag_between_two_steps_that_are_done_is_as_it_is_written() -> None:
    link = only_link(chain((SS, Lag(value=2, unit="crew-day", source="assumption")), skipped=()))

    assert (link.type, link.lag_h, link.lag_calendar) == (SS, 16, WORKING)


@pytest.mark.slow
@pytest.mark.parametrize("facility", ["existing", "shell", "greenfield"])
@pytest.mark.parametrize("preset", preset_names())
def test_no_preset_waits_for_a_lag_of_what_it_does_not_do(preset: str, facility: str) -> None:
    """Every lag of the catalog is between two steps that both apply or both do not."""
    site = Site.model_validate(
        {
            "name": "t",
            "time_zone": "Etc/UTC",
            "country": "US",
            "currency": "USD",
            "preset": preset,
            "start": "2027-01-04",
            "facility": facility,
            "people": [{"id": "owner", "roles": ["owner-pm"]}],
        }
    )

    found = expand(shipped_catalog(), design_of(site), 8.0)

    assert [link for link in found.links if link.bridged and link.lag_h] == []
