"""The site file: what people write, checked before anything is planned.

`site.yaml` is a proposal: nothing in it is in force until a plan that is made from it is adopted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BeforeValidator, Field, PrivateAttr, field_validator, model_validator

from schedule.errors import InputError, Place
from schedule.meant import meant
from schedule.text import require_visible
from steps.catalog.loader import Role, offices, read_roles
from steps.catalog.schema import Closed, Slug, StepId, Text
from steps.catalog.terms import Kind, Percentile, Phase, Response
from steps.design.calendars import Calendar, refuse_unknown_calendars
from steps.design.drift_rule import DriftRule
from steps.design.people import ENGINE, refuse_key_of_person, refuse_shared_keys, software_key
from steps.design.people_file import people_in
from steps.design.public_holidays import Country
from steps.design.run_settings import RunSettings
from steps.design.shifts import EVERY_TRADE, ONE_SHIFT, Shifts, by_trade
from steps.design.team import Team
from steps.evidence_rules import EvidenceRules
from steps.validation import validated
from steps.yaml_lines import Lines, line_of, load

FILE = "site.yaml"
FROM_NETBOX = "inventory/netbox.json"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
FIRST_DAY, LAST_DAY = date(1990, 1, 1), date(2199, 12, 31)
"""The days on which a project may start: every date that follows from one has a place in the calendar."""

Name = Annotated[str, Field(max_length=200)]

Responses = dict[Response, Annotated[tuple[Slug, ...], Field(min_length=1)]]
"""What the buyer does about late orders, and about those of which items."""


class SourcedFigure(Closed):
    """A number with its unit and source."""

    value: float
    unit: Text
    source: Text


class Decision(Closed):
    """Steps that do not apply to a site, and why; the reason is shown for each activity."""

    phases: tuple[Phase, ...] = ()
    kinds: tuple[Kind, ...] = ()
    steps: tuple[StepId, ...] = ()
    except_: Annotated[tuple[StepId, ...], Field(alias="except")] = ()
    reason: Text

    def covers(self, step: str, phase: Phase, kind: Kind) -> bool:
        """Return whether the decision is about a step."""
        if step in self.except_:
            return False
        return step in self.steps or phase in self.phases or kind in self.kinds


class PersonEntry(Closed):
    """Someone who may act at this site."""

    id: Slug
    name: Name = ""
    roles: tuple[Slug, ...] = Field(min_length=1)
    organisation: Name = ""
    account: Name | None = None
    ssh_key: Annotated[str, Field(max_length=20_000)] | None = None

    @field_validator("name", "organisation", "account")
    @classmethod
    def _one_line(cls, value: str | None) -> str | None:
        try:
            require_visible(value or "", "it")
        except InputError as hidden:
            raise ValueError(hidden.what) from None
        return value


class NetBox(Closed):
    """The NetBox whose devices are the inventory, and the environment variable with its token.

    `roles` says which roles of devices are hosts, and the group of each. Without it all devices are hosts, grouped by role.
    """

    url: str
    site: Annotated[str, Field(pattern=r"^[-a-zA-Z0-9_]+$")]
    token_env: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")] = "NETBOX_TOKEN"  # noqa: S105  a variable's name
    roles: dict[Text, Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]] = Field(default_factory=dict)

    @field_validator("url")
    @classmethod
    def _not_in_clear(cls, value: str) -> str:
        parts = urlsplit(value)
        is_local = parts.scheme == "http" and parts.hostname in LOOPBACK
        if parts.scheme != "https" and not is_local:
            raise ValueError("a token is sent by https, or to this machine")
        return value


class Inventory(Closed):
    """The hosts that Ansible reaches: a file or folder beside site.yaml, or NetBox. It can be used as a path."""

    file: Text | None = None
    netbox: NetBox | None = None

    @model_validator(mode="before")
    @classmethod
    def _in_short(cls, given: Any) -> Any:
        return {"file": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _one_source(self) -> Inventory:
        if (self.file is None) == (self.netbox is None):
            raise ValueError("an inventory is either a file or folder, or `netbox`")
        return self

    def __fspath__(self) -> str:
        """Return the path that Ansible reads, from the site's folder; the answer of NetBox is kept in a file."""
        return self.file or FROM_NETBOX


class Site(Closed):
    """One site: where, what, when, with whom.

    What is counted in elapsed time begins at the hour `start_hour` of the first day, in site time.
    `shifts` are those of a working day: a number for all trades, or by trade, with `every-trade` for those that are left out.
    """

    name: Slug
    time_zone: str
    country: Country
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    preset: Text
    start: Annotated[date, Field(ge=FIRST_DAY, le=LAST_DAY)]
    start_hour: Annotated[int, Field(ge=0, le=23)] = 0
    scenario: Text | None = None
    commit_to: Percentile = Percentile.P80
    facility: Literal["existing", "shell", "greenfield"] | None = None
    burn_in: Literal["bench", "in-place"] | None = None
    overrides: dict[str, float | bool | str] = Field(default_factory=dict)
    responses: Responses = Field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    calendar: Calendar = Calendar()
    calendars: dict[Slug, Calendar] = Field(default_factory=dict)
    trades: dict[Slug, Slug] = Field(default_factory=dict)
    crews: dict[Slug, Annotated[int, Field(ge=1, le=10_000)]] = Field(default_factory=dict)
    shifts: Annotated[dict[Slug, Shifts], BeforeValidator(by_trade)] = Field(default_factory=dict)
    people: tuple[PersonEntry, ...] = Field(min_length=1)
    assurance: Literal["recorded", "signed"] = "recorded"
    engine_key: str | None = None
    inventory: Inventory | None = None
    evidence: EvidenceRules = EvidenceRules()
    drift: DriftRule | None = None
    runs: RunSettings = RunSettings()
    team: Team | None = None
    _offices: frozenset[str] = PrivateAttr(default_factory=lambda: offices(read_roles()))

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError):
            raise ValueError("not an IANA time zone such as Europe/Oslo") from None
        return value

    @field_validator("engine_key")
    @classmethod
    def _plain_engine_key(cls, value: str | None) -> str | None:
        return None if value is None else software_key(value, "clusterwright keys engine")

    @model_validator(mode="after")
    def _people_once(self) -> Site:
        times = Counter(person.id for person in self.people)
        twice = {name for name, count in times.items() if count > 1}
        if twice:
            raise ValueError(f"people share the id {min(twice)!r}")
        if ENGINE in times:
            raise ValueError(f"the id {ENGINE!r} is the one under which software acts, so no person can have it")
        return self

    def shifts_of(self, role: str, *, as_office: bool = False) -> Shifts:
        """Return the shifts that the crews of a trade work on each of its working days. Offices are not among `every-trade`."""
        every = ONE_SHIFT if as_office or role in self._offices else self.shifts.get(EVERY_TRADE, ONE_SHIFT)
        return self.shifts.get(role, every)

    def kept_by(self, role: str, *, as_office: bool = False) -> str | None:
        """Return the name of the calendar that a trade keeps, None for the site's. An office keeps another only by its own name."""
        every = None if as_office or role in self._offices else self.trades.get(EVERY_TRADE)
        return self.trades.get(role, every)

    def calendar_of(self, role: str, *, as_office: bool = False) -> Calendar:
        """Return the calendar of a trade: the one that it keeps, otherwise the site's."""
        kept = self.kept_by(role, as_office=as_office)
        return self.calendar if kept is None else self.calendars[kept].like(self.calendar)


def read_site(folder: Path, roles: Mapping[str, Role]) -> Site:
    """Return the checked site file of a folder; `roles` are those that people and crews may have."""
    path = folder / FILE
    data, lines = load(path)
    listed = _people_elsewhere(folder, data, lines)
    site = validated(Site, data, lines, str(path))
    site._offices = offices(roles)  # noqa: SLF001  no key of the file: the roles say it
    _refuse_wrong_people(site.people, roles, *(listed or (lines, str(path))))
    refuse_key_of_person(site.engine_key, site.people, lines, str(path))
    refuse_unknown_trades(site, roles, lines, str(path))
    refuse_unknown_calendars(site.calendars, site.trades, lines, str(path))
    file = site.inventory.file if site.inventory else None
    if file and not (folder / file).exists():
        raise InputError(
            f"the inventory {file!r} does not exist beside site.yaml",
            hint="write it there, or remove the key while nothing is automated",
            place=Place(str(path), line_of(lines, ("inventory",)), "inventory"),
        )
    return site


def _people_elsewhere(folder: Path, data: Any, lines: Lines) -> tuple[Lines, str] | None:
    """Put the people of the CSV file that `people` names in its place. Return the lines and the name of that file; None if it names none."""
    if not isinstance(data, dict) or not isinstance(data.get("people"), str):
        return None
    path = folder / data["people"]
    if not path.is_file():
        place = Place(str(folder / FILE), line_of(lines, ("people",)), "people")
        raise InputError(
            f"there is no file {data['people']!r} beside site.yaml",
            hint="`people` is a list, or the name of a CSV file",
            place=place,
        )
    data["people"], where = people_in(path)
    for index, person in enumerate(data["people"]):
        validated(PersonEntry, person, {key[2:]: line for key, line in where.items() if key[1] == index}, str(path))
    return where, str(path)


def _refuse_wrong_people(people: Sequence[PersonEntry], roles: Mapping[str, Role], lines: Lines, file: str) -> None:
    """Raise InputError for a role that does not exist, and for a key of two people."""
    for index, person in enumerate(people):
        for number, role in enumerate(person.roles):
            if role not in roles:
                at = ("people", index, "roles", number)
                raise InputError(
                    f"there is no role {role!r}",
                    hint=meant(role, roles, then="`clusterwright catalog roles` lists them", most=3),
                    place=Place(file, line_of(lines, at), f"people[{index}].roles[{number}]"),
                )
    refuse_shared_keys(people, lines, file)


class ByTrade(Protocol):
    """What a file says by trade."""

    @property
    def crews(self) -> Mapping[str, int]: ...  # noqa: D102  the class says it
    @property
    def trades(self) -> Mapping[str, str]: ...  # noqa: D102  the class says it
    @property
    def shifts(self) -> Mapping[str, Shifts]: ...  # noqa: D102  the class says it


def refuse_unknown_trades(said: ByTrade, roles: Mapping[str, Role], lines: Lines, file: str) -> None:
    """Raise InputError for crews, calendars and shifts of a trade that does not exist."""
    shifts, trades = said.shifts.keys() - {EVERY_TRADE}, said.trades.keys() - {EVERY_TRADE}
    for key, what, named in (
        ("crews", "crew", said.crews),
        ("trades", "trade", trades),
        ("shifts", "trade", shifts),
    ):
        for role in named:
            if role not in roles:
                raise InputError(
                    f"no {what} is called {role!r}",
                    hint=meant(role, roles, then="`clusterwright catalog roles` lists them", most=3),
                    place=Place(file, line_of(lines, (key, role)), f"{key}.{role}"),
                )


def site_slug(text: str) -> str:
    """Return a site name made from the name of a folder."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:60].strip("-") or "site"
