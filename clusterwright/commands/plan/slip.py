"""Say by how many days the forecast differs from the plan, and why.

Every minute between the planned and the forecast go-live belongs to one activity, order or delivery, its owner and a cause, so
that the parts sum to the difference. What is late and costs nothing, since something else is later, is listed at the end.

Example:
    clusterwright slip
    clusterwright slip --json

"""

from typing import TYPE_CHECKING

from clusterwright.commands.asking import AskingPast
from clusterwright.output import MINUTES_OF_DAY, Document, day, signed_days, table
from ledger.questions.forecast_words import than_planned
from ledger.questions.site import site_of
from steps.stamps import days_between

if TYPE_CHECKING:
    from collections.abc import Iterable

    from steps.planning.record.slip_of_plan import LateChain, Slipped


def slip(ask: AskingPast) -> None:
    from ledger.forecasting import slip_of, solved_as_kept  # the schedule's engines

    with ask.record() as snapshot:
        both = slip_of(snapshot, solved_as_kept(snapshot))
        found, near, zone = both.slipped, both.late_chains(), site_of(snapshot).time_zone
        ask.answer(snapshot, _document(found, near), lambda: _print(found, near, zone))


def _document(found: "Slipped", near: "Iterable[LateChain]") -> Document:
    return {
        "planned": found.planned,
        "forecast": found.finish,
        "minutes": found.minutes,
        "days": _days(found.minutes),
        "parts": [
            {
                "id": part.id,
                "title": part.title,
                "owner": part.owner,
                "cause": part.cause.name.lower(),
                "words": part.words,
                "minutes": part.minutes,
                "days": _days(part.minutes),
            }
            for part in found.parts
        ],
        "by_owner": dict(found.summed(lambda part: part.owner)),
        "by_cause": dict(found.summed(lambda part: part.cause.name.lower())),
        "late_chains": near,
    }


def _days(minutes: int) -> float:
    return round(minutes / MINUTES_OF_DAY, 4)


def _print(found: "Slipped", near: "tuple[LateChain, ...]", zone: str) -> None:
    dates = f"go-live planned {day(found.planned, zone)}, forecast {day(found.finish, zone)}"
    print(f"{dates}: {than_planned(days_between(found.planned, found.finish, zone))}")
    if found.parts:
        table(
            ("what", "title", "owner", "because it", "days"),
            [(one.id, one.title, one.owner, one.words, signed_days(one.minutes)) for one in found.parts],
            title=f"Why: the parts sum to {signed_days(found.minutes)} days",
            right=(4,),
        )
        table(
            ("owner", "days"),
            [(owner, signed_days(minutes)) for owner, minutes in found.summed(lambda part: part.owner)],
            right=(1,),
        )
        table(
            ("cause", "days"),
            [
                (cause.later if minutes > 0 else cause.earlier, signed_days(minutes))
                for cause, minutes in found.summed(lambda part: part.cause)
            ],
            right=(1,),
        )
    if near:
        table(
            ("chain", "late most by", "owner", "days late", "hours of float"),
            [
                (
                    *(_ends(one.ids), f"{one.id} {one.title}", one.owner),
                    *(signed_days(one.late_minutes), f"{one.float_minutes / 60:.1f}"),
                )
                for one in near
            ],
            title="Late too, for reasons of their own, and next to drive go-live",
            right=(3, 4),
        )


def _ends(ids: tuple[str, ...]) -> str:
    return ids[0] if len(ids) == 1 else f"{ids[0]} to {ids[-1]}, {len(ids)} in all"
