"""The plan's part of an activity: one frozen value, from the planner through the ledger to every screen.

A field that a step and its activities share is declared twice: in `steps.catalog.schema.Step`, and here under the same
name. The planner copies it, the ledger keeps this value whole beside the activity's state, and rows show it as `row.plan`.
Reading commands import this module, so it imports nothing that is slow to import: msgspec takes a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache, lru_cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec.structs import fields, force_setattr

from steps.amount import counted
from steps.catalog.terms import AlsoRead, Effect, Kind, Phase, Scope, Shared, Waves
from steps.last_result import keeps_last_result
from steps.value import text_value

if TYPE_CHECKING:
    from steps.value import Value
else:
    Value = Any  # msgspec tells no text from a decimal; `PlanCriterion` does

CalendarId = Literal["working", "elapsed"]
"""The site's working time, or time around the clock. A plan may have further calendars, by name."""
WORKING: CalendarId = "working"
ELAPSED: CalendarId = "elapsed"


class PlanPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the records of a plan: a field that is not declared is refused when a plan is read.

    A large plan has a hundred thousand of them. A dataclass takes five times as long to make, and thirty times as long to replace.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        """Return how a record is read and written as a field of a model: by msgspec."""
        from pydantic_core import core_schema  # reading commands have no models

        written = core_schema.plain_serializer_function_ser_schema(_as_written)
        made = core_schema.is_instance_schema(cls)
        read = core_schema.no_info_plain_validator_function(partial(msgspec.convert, type=cls, strict=False))
        return core_schema.union_schema([made, read], mode="left_to_right", serialization=written)


def _as_written(part: PlanPart) -> Any:
    """Return a record as what JSON has, with dates and decimals, which pydantic writes."""
    return msgspec.to_builtins(part, builtin_types=(datetime, Decimal))


class Hours(PlanPart, frozen=True):
    """A three-point estimate in hours: optimistic, most likely, pessimistic."""

    o: float
    m: float
    p: float


class Dates(PlanPart, frozen=True):
    """The dates of one node of the network that the site's crews can keep, in UTC; floats are hours of the node's calendar.

    `driving` is what sets the early start: a predecessor, or what hands over the crew that `crew` names, by its trade. A resource
    such as a dock counts as a crew, and is named with its place, as `receiving-docks@site`. Then
    `crew_wait_h` are the hours of the node's calendar from when its predecessors let it start. Floats are those in the order of
    crews that was found. `is_critical` is true on the chain of what drives go-live, and for every node without float.
    `unlimited_start` and `unlimited_finish` are the early dates with unlimited crews; older plans have those alone, as early dates.
    `crew_order` is the quarter of an hour in which levelling placed it, None where that is the early start: crews go on in this order.
    `approved` is when a hall is in service: at the approval that its work waits for. None for everything else.
    """

    early_start: datetime
    early_finish: datetime
    late_start: datetime
    late_finish: datetime
    total_float_h: float
    free_float_h: float
    driving: str | None = None
    is_critical: bool = False
    unlimited_start: datetime | None = None
    unlimited_finish: datetime | None = None
    crew: str | None = None
    crew_wait_h: float = 0.0
    crew_order: datetime | None = None
    approved: datetime | None = None

    @property
    def reached(self) -> datetime:
        """When it is reached as a milestone: as it is approved, where that takes time of its own, else as its work ends."""
        return self.approved or self.early_finish

    @property
    def wait(self) -> str:
        """The wait for a crew in words; empty where there is none."""
        if self.crew is None:
            return ""
        what = handed_over(self.crew)
        hours = counted(Decimal(f"{self.crew_wait_h:.3g}"), "working hour")
        return f"waits {hours} for {what}, which comes from {self.driving}"


def handed_over(crew: str) -> str:
    """Return what is handed over: a crew of a trade, or a resource with its place."""
    name, _, place = crew.partition("@")
    return f"{name.replace('-', ' ')} of {place}" if place else f"a crew of {name}"


class PlanCriterion(PlanPart, frozen=True):
    """An acceptance criterion with its threshold worked out for this design.

    `fleet_z` is how many robust deviations an item may differ from the others to the bad side.
    """

    metric: str
    op: Literal["==", "!=", "<", "<=", ">", ">=", "within"]
    value: Value
    unit: str
    source: str
    each: str | None = None
    fleet_z: Decimal | None = None

    @property
    def compares_items(self) -> bool:
        """True if the criterion compares items with one another."""
        return self.op == "within" or self.fleet_z is not None

    def __post_init__(self) -> None:
        """Take a number, or the text of one, as a decimal: JSON has no decimals. Raise ValueError for what is no value."""
        match self.value:
            case bool() | Decimal():
                return
            case int() | float():
                value: Value | None = Decimal(str(self.value))
            case str():
                value = text_value(self.value)
            case _:
                raise ValueError(f"a criterion's value is a number, true or false, or a word, not {self.value!r}")
        force_setattr(self, "value", value)


class PlanFact(PlanPart, frozen=True):
    """Something about the facility that an activity needs to know; with options it is one of these words."""

    name: str
    unit: str
    meaning: str
    options: tuple[str, ...] = ()
    evidence: str = "facility-fact"


class PlanWitness(PlanPart, frozen=True):
    """Who is invited to witness an activity, with how many working hours' notice."""

    roles: tuple[str, ...]
    notice_h: float

    def __str__(self) -> str:
        """Return the roles and the notice in words."""
        return f"{', '.join(self.roles)} with {self.notice_h:g} working hours' notice"


class PlanPolicy(PlanPart, frozen=True):
    """The sign-off an activity needs. An approval holds for `valid_days`, or for ever where that is None."""

    roles: tuple[str, ...]
    quorum: int
    separation: Literal["performer-may-not-approve", "none"]
    needed: Literal["always", "by-hand"]
    evidence: tuple[str, ...]
    hold_point: bool
    assurance: Literal["recorded", "signed"] = "recorded"
    witness: PlanWitness | None = None
    valid_days: float | None = None


class PlanDeadParts(PlanPart, frozen=True):
    """Parts of which some arrive dead; they are the items of the activity.

    A replacement that is waited for holds the activity `holds`, None where that does not apply; those of `then` are done again with it.
    """

    part: str
    holds: str | None
    then: tuple[str, ...] = ()


class PlanHold(PlanPart, frozen=True):
    """How much of a resource of the plan an activity occupies while it goes on."""

    resource: str
    amount: int


class PlanActivity(PlanPart, frozen=True, kw_only=True):
    """A step at a unit.

    `calendar` is `working`, `elapsed`, or one of the plan's calendars by its name, for a trade that does not keep the site's.
    `basis` says what its duration rests on (`steps.planning.network.basis`); plans from before 0.3 do not say.
    `crews` are the crews of its role that it has while it works, and `holds` what else it occupies. `again_chance` is the chance that
    it fails as a whole and is done once more, at most `again_most` times. With `restarts` each item that fails begins again by itself.
    `dead` says which of its items may be dead on arrival. `outdoors` is the share of its work that weather can stop. `plays` names
    the host set that the playbook's plays name. With `preview`, a release waits for the differences that check mode shows. `shares`
    are things that one run at a time may have. Without `waves`, a playbook takes all hosts at once. `leads` are hosts that a retry
    plays in any case, since plays for them alone serve the others; None where a retry plays all hosts, as in plans from before 0.2.
    `also_reads` are metrics that are read and judged by no criterion; plans from before 0.2 do not say (None).
    Activities that do not apply have neither `dates` nor criteria.
    """

    id: str
    step: str
    unit: str
    title: str
    phase: Phase
    kind: Kind
    scope: Scope
    role: str
    crew_size: int
    calendar: str
    duration: Hours
    basis: str = ""
    crews: int = 0
    holds: tuple[PlanHold, ...] = ()
    again_chance: float = 0.0
    again_most: int = 0
    restarts: bool = False
    dead: PlanDeadParts | None = None
    outdoors: float = 0.0
    items_of: str | None = None
    items: int | None = None
    applicable: bool = True
    not_applicable_because: str | None = None
    effect: Effect | None = None
    playbook: str | None = None
    plays: str | None = None
    preview: bool = False
    shares: tuple[Shared, ...] = ()
    waves: Waves | None = None
    leads: tuple[str, ...] | None = None
    completed_by: tuple[str, ...] = ()
    continuing: bool = False
    hazards: tuple[str, ...] = ()
    policy: PlanPolicy
    facts: tuple[PlanFact, ...] = ()
    criteria: tuple[PlanCriterion, ...] = ()
    also_reads: tuple[AlsoRead, ...] | None = None
    ncr_class: Literal["A", "B", "C"] = "B"
    dates: Dates | None = None


def text_of(activity: PlanActivity) -> str:
    """Return an activity as JSON text.

    What is as its record has it by default is left out: a field that a later release adds changes no text, nor its digest.
    """
    return _encoded(activity, {})


@keeps_last_result
def texts_of(plan_activities: tuple[PlanActivity, ...]) -> Sequence[str]:
    """Return the text of each activity of a plan. A plan that is adopted asks twice."""
    shared: dict[int, Any] = {}  # by identity, which no two records have while the tuple holds all of them
    return tuple([_encoded(activity, shared) for activity in plan_activities])


def _encoded(activity: PlanActivity, shared: dict[int, Any]) -> str:
    """Return an activity's text. A record that many of them hold, as the policy of their step, is looked at once."""
    return msgspec.json.encode(_said(activity, shared)).decode()


PLAIN = frozenset({str, int, float, bool, datetime, Decimal})
"""Types of values that hold no record."""


class _Layout(NamedTuple):
    """The fields of a kind of record: their names, what they are by default, and a function that returns their values."""

    names: tuple[str, ...]
    defaults: tuple[Any, ...]
    values: Callable[[Any], tuple[Any, ...]]


@cache
def _layout(kind: Any) -> _Layout:
    names = kind.__struct_fields__
    return _Layout(names, tuple(field.default for field in fields(kind)), attrgetter(*names))


def _said(part: Any, shared: dict[int, Any]) -> dict[str, Any]:
    """Return what a record says beyond its defaults; `shared` has what records within others say, by the identity of these."""
    names, defaults, values = _layout(part.__class__)
    return {
        name: value if type(value) in PLAIN else _parts(value, shared)
        for name, value, default in zip(names, values(part), defaults, strict=True)
        if value is not default and value != default
    }


def _parts(value: Any, shared: dict[int, Any]) -> Any:
    known = shared.get(id(value))
    if known is None:
        if isinstance(value, PlanPart):
            known = _said(value, shared)
        elif type(value) is tuple and value and isinstance(value[0], PlanPart):
            known = [_said(part, shared) for part in value]
        else:
            known = value
        shared[id(value)] = known
    return known


@lru_cache(maxsize=32768)
def activity_of(text: str) -> PlanActivity:
    """Return the activity that `text_of` wrote. An activity of a plan is read once, however often it is asked for."""
    return _decoder().decode(text)


@cache
def _decoder() -> msgspec.json.Decoder[PlanActivity]:
    return msgspec.json.Decoder(PlanActivity)
