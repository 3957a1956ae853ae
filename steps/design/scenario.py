"""Scenarios: named changes of a site, as more shifts and equipment from stock, that a plan can be made under.

Three come with Clusterwright. A site may have its own in `scenarios/NAME.yaml` beside site.yaml, with the keys of that file that
are named here. `clusterwright plan --scenario NAME` shows the plan; `scenario: NAME` in site.yaml puts it in force.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from schedule.errors import InputError
from schedule.meant import meant
from steps.catalog.loader import Role
from steps.catalog.schema import Closed, Slug, Text
from steps.design.calendars import Calendar, refuse_unknown_calendars
from steps.design.shifts import Shifts, by_trade
from steps.design.site import Decision, Responses, Site, refuse_unknown_trades
from steps.validation import validated
from steps.yaml_lines import load

FOLDER = "scenarios"


class Scenario(Closed):
    """What is different from the site file. What is left out stays; single overrides, responses, crews and shifts are added to the site's."""

    title: Text
    facility: Literal["existing", "shell", "greenfield"] | None = None
    burn_in: Literal["bench", "in-place"] | None = None
    overrides: dict[str, float | bool | str] = Field(default_factory=dict)
    responses: Responses = Field(default_factory=dict)
    calendar: Calendar = Calendar()
    calendars: dict[Slug, Calendar] = Field(default_factory=dict)
    trades: dict[Slug, Slug] = Field(default_factory=dict)
    crews: dict[Slug, Annotated[int, Field(ge=1, le=10_000)]] = Field(default_factory=dict)
    shifts: Annotated[dict[Slug, Shifts], BeforeValidator(by_trade)] = Field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()

    def of(self, site: Site) -> Site:
        """Return the site under this scenario."""
        changed = {
            "calendar": self.calendar.like(site.calendar),
            "overrides": site.overrides | self.overrides,
            "responses": site.responses | self.responses,
            "calendars": site.calendars | self.calendars,
            "trades": site.trades | self.trades,
            "crews": site.crews | self.crews,
            "shifts": site.shifts | self.shifts,
            "decisions": (*site.decisions, *self.decisions),
        }
        single = {"facility": self.facility, "burn_in": self.burn_in}
        return site.model_copy(update=changed | {name: one for name, one in single.items() if one is not None})


def scenario_names(folder: Path) -> list[str]:
    """Return the names of all scenarios: those that come with Clusterwright, and the site's own."""
    return sorted({path.stem for place in (_shipped(), folder / FOLDER) for path in place.glob("*.yaml")})


def scenario_path(name: str, folder: Path) -> Path:
    """Return the file of a scenario, the site's own first. Raise InputError for an unknown one."""
    for path in (folder / FOLDER / f"{name}.yaml", _shipped() / f"{name}.yaml"):
        if "/" not in name and path.exists():
            return path
    names = scenario_names(folder)
    raise InputError(f"there is no scenario {name!r}", hint=meant(name, names, f"there are: {', '.join(names)}"))


def scenario_title(name: str, folder: Path) -> str:
    """Return the title of a scenario."""
    path = scenario_path(name, folder)
    data, lines = load(path)
    return validated(Scenario, data, lines, str(path)).title


def under_scenario(site: Site, name: str, folder: Path, roles: Mapping[str, Role]) -> Site:
    """Return a site under a scenario by its name."""
    path = scenario_path(name, folder)
    data, lines = load(path)
    scenario = validated(Scenario, data, lines, str(path))
    refuse_unknown_trades(scenario, roles, lines, str(path))
    changed = scenario.of(site).model_copy(update={"scenario": name})
    refuse_unknown_calendars(changed.calendars, changed.trades, lines, str(path))
    return changed


def _shipped() -> Path:
    return Path(str(files("steps.design") / FOLDER))
