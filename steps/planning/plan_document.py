"""A plan as the document that a revision is stored as: compressed JSON in which nothing is written twice.

The activities of a step have nearly everything in common, and so have the links for one reason. Each such part is written once
and named by its number. So the plan of a site with 100,000 GPUs takes 1 MB; as an object for each activity and link it is 43 MB.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from schedule.errors import InputError
from steps.planning.activity import Dates, PlanActivity, PlanDeadParts
from steps.planning.plan import Plan, PlanLink

LARGEST = 128 * 1024 * 1024
"""The most bytes of a document before it is compressed. The largest site that a design allows fills a tenth of it."""
COMPRESSION = 3
"""Higher levels save a tenth, and take three times as long."""
GZIP = b"\x1f\x8b"
"""With this a compressed file begins. Older plans are plain JSON."""


class _Own(NamedTuple):
    """An activity: the number of what it shares with others, and what it does not."""

    shared: int
    id: str
    unit: str
    completed_by: tuple[str, ...]
    dead: PlanDeadParts | None
    dates: Dates | None


class _Tie(NamedTuple):
    """A link: the numbers of its two nodes and of what it shares with others, and what it does not."""

    before: int
    after: int
    shared: int
    bridged: tuple[str, ...]


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    """The stored form of a plan. `nodes` are the ids of activities, orders and deliveries; `plan` is the rest of it."""

    format: Literal[2]
    plan: msgspec.Raw
    shared_activities: tuple[PlanActivity, ...]
    activities: tuple[_Own, ...]
    nodes: tuple[str, ...]
    shared_links: tuple[PlanLink, ...]
    links: tuple[_Tie, ...]


class _Frame(msgspec.Struct):
    """A stored plan of which only `plan` is read: without activities and links."""

    plan: msgspec.Raw


BLANK: dict[str, Any] = {"id": "", "unit": "", "completed_by": (), "dead": None, "dates": None}
"""An activity's own fields, where the others are written for many."""
SHARED = tuple(name for name in PlanActivity.__struct_fields__ if name not in BLANK)
_shared_of_activity = attrgetter(*SHARED)
_shared_of_link = attrgetter("type", "lag_h", "lag_calendar", "map", "reason")


def document_of(plan: Plan) -> bytes:
    """Return a plan as a document. Equal plans have equal documents."""
    node = {name: number for number, (name, _) in enumerate(plan.nodes())}
    kinds: dict[bytes, tuple[int, PlanActivity]] = {}
    activities = []
    for one in plan.activities:
        kind = kinds.setdefault(msgspec.json.encode(_shared_of_activity(one)), (len(kinds), one))
        activities.append(_Own(kind[0], one.id, one.unit, one.completed_by, one.dead, one.dates))
    reasons: dict[tuple[Any, ...], tuple[int, PlanLink]] = {}
    links = []
    for link in plan.links:
        reason = reasons.setdefault(_shared_of_link(link), (len(reasons), link))
        links.append(_Tie(node[link.before], node[link.after], reason[0], link.bridged))
    rest = plan.model_copy(update={"activities": (), "links": ()})
    document = _Document(
        2,
        msgspec.Raw(rest.model_dump_json().encode()),
        tuple(replace(one, **BLANK) for _, one in kinds.values()),
        tuple(activities),
        tuple(node),
        tuple(replace(link, before="", after="", bridged=()) for _, link in reasons.values()),
        tuple(links),
    )
    return gzip.compress(msgspec.json.encode(document), COMPRESSION, mtime=0)


@lru_cache(maxsize=2)  # the plan in force and the next one: a command reads them several times
def plan_of(document: bytes) -> Plan:
    """Return the plan of a document, also of an older one. Raise InputError for what is none."""
    try:
        if not document.startswith(GZIP):
            return Plan.model_validate_json(document)
        found = msgspec.json.decode(_unpacked(document), type=_Document)
        plan = Plan.model_validate_json(bytes(found.plan))
        makers = [_maker(shared) for shared in found.shared_activities]
        activities = [_activity(makers, own) for own in found.activities]
        links = [_link(found, tie) for tie in found.links]
    except (msgspec.MsgspecError, ValueError, IndexError, zlib.error) as error:
        raise _no_plan(error) from error
    return plan.model_copy(update={"activities": tuple(activities), "links": tuple(links)})


def frame_of(document: bytes) -> Plan:
    """Return the plan of a document without its activities and links, which take most of the time to read.

    Raise InputError for what is none. An older document has to be read whole.
    """
    if not document.startswith(GZIP):
        return plan_of(document)
    try:
        found = msgspec.json.decode(_unpacked(document), type=_Frame)
        return Plan.model_validate_json(bytes(found.plan))
    except (msgspec.MsgspecError, ValueError, zlib.error) as error:
        raise _no_plan(error) from error


def _no_plan(error: Exception) -> InputError:
    first = ", ".join(line.strip() for line in str(error).splitlines()[:3])  # Pydantic names every one of thousands
    return InputError(f"it is no plan: {first}", hint="another version of clusterwright may have stored it")


def _unpacked(document: bytes) -> bytes:
    """Return what was compressed, as far as it is no larger than a plan can be."""
    unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)  # 16: with the head of gzip
    found = unpacking.decompress(document, LARGEST)
    if not unpacking.eof:
        raise ValueError("it is cut off, or too large")
    return found


def _maker(shared: PlanActivity) -> Callable[..., PlanActivity]:
    """Return what makes activities of one kind. It takes half the time of `dataclasses.replace`."""
    return partial(PlanActivity, **{name: getattr(shared, name) for name in SHARED})


def _activity(makers: list[Callable[..., PlanActivity]], own: _Own) -> PlanActivity:
    return makers[own.shared](id=own.id, unit=own.unit, completed_by=own.completed_by, dead=own.dead, dates=own.dates)


def _link(found: _Document, tie: _Tie) -> PlanLink:
    shared = found.shared_links[tie.shared]
    return PlanLink(
        before=found.nodes[tie.before],
        after=found.nodes[tie.after],
        type=shared.type,
        lag_h=shared.lag_h,
        lag_calendar=shared.lag_calendar,
        map=shared.map,
        reason=shared.reason,
        bridged=tie.bridged,
    )
