"""The closed schema of one catalog entry.

A field that is not named here is refused. Formulas are strings in the grammar of `steps.formula`. A figure has a unit and a
source, or the source `assumption`, which a site may override.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from steps.catalog.terms import PEOPLES_WORK, AlsoRead, Effect, Kind, LinkType, Mapping, Phase, Scope, Shared, Waves

StepId = Annotated[str, Field(pattern=r"^([0-9]{3}|[HX][0-9]{2,3})$")]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=100)]
Text = Annotated[str, Field(min_length=1, max_length=10_000)]
MetricName = Annotated[str, Field(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)*$", max_length=200)]
Time = Annotated[float, Field(ge=0, le=1_000_000)]
"""An amount of time or work in a unit of the catalog; a million hours are a century."""

Passage = Annotated[str, Field(pattern=r"^00[0-4] .+$")]

FIRST_DOCUMENTS = {
    "000": "the guide of sixty steps",
    "001": "the list of 195 steps",
    "002": "the lesson on training clusters",
    "003": "the comparison of frontier clusters",
    "004": "the encyclopedia article on GPU clusters",
}
"""The documents with which this project began, by number. docs/reference/sources.md says what each is."""


class Closed(BaseModel):
    """A frozen record that refuses unknown keys, and numbers that are none."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


TimeUnit = Literal["crew-day", "working-day", "elapsed-hour", "elapsed-day", "elapsed-week"]


class Estimate(Closed):
    """One value, or optimistic, most likely and pessimistic values, with unit and source."""

    value: Time | None = None
    o: Time | None = None
    m: Time | None = None
    p: Time | None = None
    unit: Text
    source: Text

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        three = (self.o, self.m, self.p)
        if self.value is None and any(x is None for x in three):
            raise ValueError("write either `value`, or all of `o`, `m` and `p`")
        if self.value is not None and any(x is not None for x in three):
            raise ValueError("write either `value` or `o`/`m`/`p`, not both")
        return self

    @property
    def points(self) -> tuple[float, float, float]:
        """Optimistic, most likely and pessimistic value in `unit`."""
        if self.value is not None:
            return (self.value, self.value, self.value)
        return (self.o or 0.0, self.m or 0.0, self.p or 0.0)


class Again(Closed):
    """Work that can fail as a whole and is then done once more: the chance of each failure, and how often at most."""

    chance: Annotated[float, Field(ge=0, le=1)]
    most: Annotated[int, Field(ge=1, le=10)] = 3
    source: Text


class Outdoors(Closed):
    """The share of the work that is done outdoors or under an open roof: weather can stop it."""

    share: Annotated[float, Field(gt=0, le=1)]
    source: Text


class DeadParts(Closed):
    """Parts of which some arrive dead, and this step finds out. Its items are these parts.

    A part for which there is no spare has to be waited for. That wait runs beside the work, and holds the step `holds` of the
    same unit. The steps `then` are done again with the replacement.
    """

    part: Literal["server", "drive", "cable"]
    holds: StepId
    then: tuple[StepId, ...] = ()


class Duration(Closed):
    """Fixed time plus quantity over rate; the quantity is the entry's `items.count`.

    `once` says why the duration does not grow with the quantity, and `around_the_clock` why people's work goes on at night.
    What `restarts_on` names makes single items begin again; `again` is the work that fails as a whole.
    """

    fixed: Estimate
    rate: Estimate | None = None
    once: Text | None = None
    around_the_clock: Text | None = None
    restarts_on: tuple[Text, ...] = ()
    again: Again | None = None
    dead: DeadParts | None = None
    outdoors: Outdoors | None = None


class Items(Closed):
    """What is counted in one activity: the noun, and a formula for the number."""

    of: Text
    count: Text


class CrewRoom(Closed):
    """What one crew needs for itself where several work side by side: so many of what the formula `of` counts."""

    of: Text
    value: float = Field(gt=0, le=1_000_000)
    unit: Annotated[str, Field(pattern=r"^.+ per crew$", max_length=200)]
    source: Text


class Crew(Closed):
    """Who does the work: the role, people in one crew, and how many work on one activity: `count`, or as many as have `room`."""

    role: Slug
    size: int = Field(ge=1, le=1000)
    count: str = "1"
    room: CrewRoom | None = None

    @model_validator(mode="after")
    def _one_number(self) -> Self:
        if self.room is not None and self.count != "1":
            raise ValueError("write either `count` or `room`: both say how many crews there are")
        return self


class Lag(Closed):
    """Time between predecessor and successor, in working or elapsed units."""

    value: float = Field(ge=-1_000_000, le=1_000_000)
    unit: TimeUnit
    source: Text


class Link(Closed):
    """One predecessor: a step, or one of its supply lines, with the reason for the wait.

    With `overlap: rack` both work rack by rack: the successor begins when the predecessor's first rack is done, and its last rack
    comes after the predecessor's last one.
    """

    after: StepId
    supply: Slug | None = None
    map: Mapping = Mapping.SAME
    type: LinkType = LinkType.FS
    lag: Lag | None = None
    overlap: Literal["rack"] | None = None
    when: str | None = None
    reason: Text

    @model_validator(mode="after")
    def _overlap_alone(self) -> Self:
        is_plain = self.type is LinkType.FS and self.lag is None and self.supply is None
        if self.overlap and (self.map is not Mapping.SAME or not is_plain):
            raise ValueError(
                "`overlap` is between two steps of one pod: `map: same`, and neither `type`, `lag` nor `supply`"
            )
        return self


class Supply(Closed):
    """One line that a step buys. It precedes the work that consumes it.

    What is `serialised` becomes assets with serial numbers, which its receipt names.
    """

    item: Slug
    title: Text
    quantity: Text
    unit: Text
    supplier: Slug
    place_after: tuple[StepId, ...] = ()
    lead_time: Estimate
    tranches: Literal["single", "by-pod"] = "single"
    serialised: bool = False
    when: str | None = None


class Notice(Closed):
    """How long before the work a witness is invited."""

    value: float = Field(gt=0, le=10_000)
    unit: Literal["working-day"]
    source: Text


class Validity(Closed):
    """How long an approval holds."""

    value: float = Field(gt=0, le=100_000)
    unit: Literal["elapsed-day"]
    source: Text


class Witness(Closed):
    """Roles that are invited to witness the work. The work waits for the notice to pass, not for the witnesses."""

    roles: tuple[Slug, ...] = Field(min_length=1)
    notice: Notice


class Policy(Closed):
    """Who must approve, how many of them, whether the performer may be one, and who is invited to witness it.

    An approval that is `valid_for` a time has to be signed again after it.
    """

    roles: tuple[Slug, ...] = Field(min_length=1)
    quorum: int = Field(default=1, ge=1, le=100)
    separation: Literal["performer-may-not-approve", "none"] = "performer-may-not-approve"
    witness: Witness | None = None
    valid_for: Validity | None = None


class SignOff(Closed):
    """The approval that an activity needs, and the evidence that must be attached.

    `needed: by-hand` asks for it only if a person did the work, and not a run or a calculator. `assurance` is `recorded` (the
    account counts) or `signed` (with a key); without it the site's own holds.
    """

    policy: Policy
    needed: Literal["always", "by-hand"] = "always"
    evidence: tuple[Slug, ...] = ()
    hold_point: bool = False
    assurance: Literal["recorded", "signed"] | None = None


class Criterion(Closed):
    """A metric, a comparison and a threshold with its unit; the threshold may be a formula.

    With `fleet_z` an item must also be within so many robust standard deviations of the other items of its activity. The
    threshold holds as well, so that a fleet that is slow everywhere does not pass.
    """

    metric: MetricName
    op: Literal["==", "!=", "<", "<=", ">", ">=", "within"]
    value: float | bool | str
    unit: Text
    each: str | None = None
    when: str | None = None
    fleet_z: float | None = Field(default=None, gt=0)
    by_hand: bool = Field(default=False, description="a person reads it: no tool, machine, proof or calculator does")
    source: Text
    erratum: str | None = None

    @model_validator(mode="after")
    def _fleet_of_items(self) -> Self:
        has_bad_side = self.op in {"<", "<=", ">", ">="}
        if self.fleet_z is not None and not (self.each and has_bad_side):
            raise ValueError(
                "`fleet_z` compares items with each other: it needs `each`, and an operator with a bad side"
            )
        return self


class Fact(Closed):
    """Something about the facility that a person must find out; with options it is one of these words."""

    name: MetricName
    unit: Text
    meaning: Text
    options: tuple[Text, ...] = ()
    when: str | None = None
    evidence: Slug = "facility-fact"


class Sources(Closed):
    """The sources of the entry, and the items of the guide of sixty steps that it covers.

    `seed` names passages of the documents with which this project began: `001 step 34`.
    """

    seed: tuple[Passage, ...] = ()
    guide60: tuple[int, ...] = ()
    references: tuple[Text, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """Every source by the name that docs/reference/sources.md explains, for example "the list of 195 steps, step 34"."""
        texts = [f"{FIRST_DOCUMENTS[said[:3]]}, {said[4:]}" for said in self.seed]
        items = [f"{FIRST_DOCUMENTS['000']}, item {number}" for number in self.guide60]
        return (*texts, *items, *self.references)


class OnFail(Closed):
    """What follows from a failed criterion: the action on the item, and the class of the non-conformance."""

    severity: Literal["monitor", "reset", "reboot", "replace", "rework"]
    ncr: Literal["A", "B", "C"]


class Alternative(Closed):
    """The playbook of a step in designs where `when` holds. Without a playbook the step is not automated there."""

    when: Text
    playbook: str | None = None


class Step(Closed):
    """One catalog entry: what is done, by whom, after what, for how long, and how it is accepted."""

    id: StepId
    slug: Slug
    title: Text
    description: Text
    why: str | None = None
    seed_says: str | None = None
    phase: Phase
    section: Text
    kind: Kind
    scope: Scope
    applies: bool | str = True
    not_applicable_because: str | None = None
    items: Items | None = None
    crew: Crew
    duration: Duration
    supplies: tuple[Supply, ...] = ()
    links: tuple[Link, ...] = ()
    starts_freely: str | None = None
    hazards: tuple[Text, ...] = Field(default=(), description="what may hurt people at this work")
    handles_hardware: bool = False
    receives_hardware: bool = False
    completed_by: tuple[StepId, ...] = ()
    continuing: bool = False
    closes_project: bool = False
    effect: Effect | None = None
    playbook: str | None = None
    alternatives: tuple[Alternative, ...] = Field(
        default=(), description="playbooks by design: the first whose `when` holds, otherwise `playbook`"
    )
    preview: bool = Field(default=False, description="a release waits for the differences that check mode shows")
    waves: Waves | None = None
    together: Text | None = Field(
        default=None, description="why a retry plays all hosts again: the playbook would be wrong on some of them"
    )
    shares: tuple[Shared, ...] = ()
    resources: dict[str, str] = Field(default_factory=dict)
    sign_off: SignOff
    facts: tuple[Fact, ...] = ()
    accept: tuple[Criterion, ...] = ()
    also_reads: tuple[AlsoRead, ...] = ()
    on_fail: OnFail | None = None
    outputs: tuple[Text, ...] = ()
    errata: tuple[Text, ...] = ()
    sources: Sources

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if self.kind in PEOPLES_WORK and self.sign_off.needed != "always":
            raise ValueError(f"a {self.kind} step is always signed for: `needed: always`")
        if self.kind in {Kind.AUTOMATE, Kind.VERIFY} and self.effect is None:
            raise ValueError(f"a {self.kind} step states its `effect`: read, change or destructive")
        if isinstance(self.applies, str) and not self.not_applicable_because:
            raise ValueError("a conditional `applies` needs `not_applicable_because`")
        if self.sign_off.policy.witness is not None and self.playbooks:
            raise ValueError(
                "`witness` is for the work of people: software starts by itself, and nobody could be invited"
            )
        if self.preview and (not self.playbooks or self.effect is Effect.READ):
            raise ValueError("`preview` shows what a playbook would change, and this step changes no hosts")
        if self.waves is not None and not self.playbooks:
            raise ValueError("`waves` is the order of a playbook over hosts, and there is no `playbook`")
        if self.together is not None and (not self.playbooks or self.waves is not None):
            raise ValueError("`together` is for a playbook over all hosts at once: it has a `playbook`, and no `waves`")
        if self.facts and self.kind is not Kind.COMPUTE:
            raise ValueError("`facts` are what a compute step compares its design with")
        if self.duration.rate is not None and self.items is None:
            raise ValueError("`duration.rate` needs `items`: a rate of what?")
        if (self.duration.dead is not None or self.duration.restarts_on) and self.items is None:
            raise ValueError("`duration.dead` and `duration.restarts_on` need `items`: how many can fail?")
        return self

    @property
    def playbooks(self) -> tuple[str, ...]:
        """Every playbook that the step has in some design, each once."""
        named = (self.playbook, *(alternative.playbook for alternative in self.alternatives))
        return tuple(dict.fromkeys(name for name in named if name is not None))
