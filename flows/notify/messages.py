"""The messages that are due now, by one snapshot, the rules of `notify.yaml`, and what each address was sent before."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from flows.notify.sent_notices import Memory, NoticeKey
from flows.notify.settings import NotifyFile, Rule
from flows.notify.wording import Item, Wording
from ledger.questions.decisions_needed import everybody
from ledger.questions.notices import Notice, NoticeKind, moved_milestones, notices
from ledger.questions.people import people
from ledger.questions.reminders import ReminderRow, reminders
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import grouped
from schedule.errors import InputError, Place

DIGEST = "digest"


class Message(NamedTuple):
    """What goes to one address. `keys` is what it is about, and `said` are the dates that it says of milestones."""

    address: str
    title: str
    body: str
    keys: tuple[NoticeKey, ...]
    said: dict[str, date]


class _Asked(NamedTuple):
    """What one look asks the record for, for all addresses."""

    snapshot: Snapshot
    settings: NotifyFile
    lapsed: Container[str]
    at: datetime
    """The time at the site."""
    wording: Wording
    people: dict[str, frozenset[str]]
    """By `who` of the rules: the people that it means."""
    notices: list[Notice]


def due_messages(
    snapshot: Snapshot,
    settings: NotifyFile,
    memories: Mapping[str, Memory],
    lapsed: Container[str] = (),
) -> list[Message]:
    """Return what is to be sent now. Nothing is sent in the quiet hours, and nothing of a rehearsal at any time."""
    site = site_of(snapshot)
    at = snapshot.now.astimezone(ZoneInfo(site.time_zone))
    if site.rehearsal or settings.is_quiet(at):
        return []
    names = {one.id: one.name for one in people(snapshot)}
    overdue_after = timedelta(hours=settings.overdue_after_h)
    asked = _Asked(
        snapshot=snapshot,
        settings=settings,
        lapsed=lapsed,
        at=at,
        wording=Wording(site.name, site.time_zone, snapshot.site_dir, names),
        people=people_of_rules(snapshot, settings),
        notices=notices(snapshot, overdue_after=overdue_after, order_days=settings.order_days, lapsed=lapsed),
    )
    return [
        message for name in settings.addresses for message in _of_address(asked, name, memories.get(name, Memory()))
    ]


def people_of_rules(snapshot: Snapshot, settings: NotifyFile) -> dict[str, frozenset[str]]:
    """Return by `who` of each rule the people that it means: those with the role, also by delegation, or the person."""
    everyone = everybody(snapshot)
    return {
        rule.who: frozenset(one.id for one in everyone if rule.who == one.id or rule.who in one.roles)
        for rule in settings.rules
    }


def refuse_rules_of_nobody(snapshot: Snapshot, settings: NotifyFile) -> None:
    """Raise InputError for a rule whose `who` is nobody in the plan in force, and no role that somebody has."""
    meant = people_of_rules(snapshot, settings)
    for number, rule in enumerate(settings.rules):
        if not meant[rule.who]:
            raise InputError(
                f"nobody at this site is {rule.who!r} or has this role",
                hint="people are in site.yaml, and `clusterwright catalog roles` lists the roles",
                place=Place("notify.yaml", None, f"rules[{number}].who"),
            )


def _of_address(asked: _Asked, name: str, memory: Memory) -> Iterator[Message]:
    rules = [rule for rule in asked.settings.rules if name in rule.to]
    fresh = [one for one in _wanted(asked, rules, memory) if one.once not in memory.noted]
    if fresh:
        yield _of_notices(asked, name, fresh)
    for rule in rules:
        key = NoticeKey(DIGEST, f"{asked.at.date()} {rule.who}", 0)
        is_time = rule.digest is not None and asked.at.time() >= rule.digest
        if is_time and key not in memory.noted:
            yield _digest(asked, name, rule, key)


def _wanted(asked: _Asked, rules: Sequence[Rule], memory: Memory) -> list[Notice]:
    """Return the notices that the rules of an address ask for, sent before or not."""
    found = [
        one
        for one in asked.notices
        if any(one.kind in rule.kinds and _is_of(asked, one.people, rule) for rule in rules)
    ]
    if any(NoticeKind.MILESTONE in rule.kinds for rule in rules):
        found += moved_milestones(asked.snapshot, memory.said, least_days=asked.settings.milestone_days)
    return found


def _is_of(asked: _Asked, whose: Iterable[str], rule: Rule) -> bool:
    """Return whether something is a matter of a rule's people. What nobody may do is only a matter of everybody."""
    return rule.of == "everybody" or not asked.people[rule.who].isdisjoint(whose)


def _of_notices(asked: _Asked, name: str, fresh: Sequence[Notice]) -> Message:
    """Return one message about several notices. Two about the same thing, such as an order that is overdue, are one item."""
    together = grouped((f"{one.command} {one.subject}", one) for one in fresh)
    items = [Item(", ".join(one.kind.words for one in same), same[0].people, same[0]) for same in together.values()]
    said = {one.subject: one.said for one in fresh if one.said is not None}
    title = f"{items[0].words}: {fresh[0].subject}" if len(items) == 1 else f"{len(items)} things to look at"
    return Message(
        address=name,
        title=asked.wording.title(title),
        body=asked.wording.body(items),
        keys=tuple(NoticeKey(*one.once) for one in fresh),
        said=said,
    )


def _digest(asked: _Asked, name: str, rule: Rule, key: NoticeKey) -> Message:
    """Return the message of the day: all that waits, is due or is overdue for the people of a rule."""
    found = reminders(asked.snapshot, days=asked.settings.order_days, lapsed=asked.lapsed)
    together = grouped(((row.kind, row.subject), row) for row in found if _is_of(asked, {row.person}, rule))
    items = [_item_of_day(same) for same in together.values()]
    count = "1 thing is open" if len(items) == 1 else f"{len(items) or 'no'} things are open"
    return Message(
        address=name,
        title=asked.wording.title(f"{count} on {asked.at.date()}"),
        body=asked.wording.body(items) or "Nothing waits, is due or is overdue.",
        keys=(key,),
        said={},
    )


def _item_of_day(same: Sequence[ReminderRow]) -> Item:
    whose = tuple(row.person for row in same if row.person)
    return Item(f"{same[0].urgency.value.capitalize()}, {same[0].kind}", whose, same[0])
