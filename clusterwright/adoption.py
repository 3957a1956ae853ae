"""Putting a plan in force: the ledger is made with the first revision, and read for the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from clusterwright.output import say
from clusterwright.plan_diff import Change, placed_otherwise, plan_diff, undone
from clusterwright.planning import plan_of
from clusterwright.where import acting_person
from ledger.questions.activities import standing
from ledger.questions.orders import orders
from ledger.questions.site import site_of
from ledger.reading import open_snapshot
from ledger.stores.following import has_ledger
from steps.errors import InputError, NotSatisfiedError
from steps.schedule.plan import Person, Plan


def plan_in_force(folder: Path) -> Plan:
    """Give the adopted plan revision of a site."""
    from ledger.evidence.plans import read_plan

    with open_snapshot(folder) as reader:
        return read_plan(reader)


def revision_changes(folder: Path, plan: Plan) -> list[Change]:
    """Give what a plan would change of the revision in force: the plan itself, and what then no longer holds."""
    from ledger.rules.revision import consequences

    held = plan_in_force(folder)
    with open_snapshot(folder) as reader:
        begun, placed = standing(reader), orders(reader)
    return [
        *undone(consequences(held, plan, begun)),
        *placed_otherwise(placed, plan),
        *plan_diff(held, plan),
    ]


def adopt_site(
    folder: Path,
    *,
    who: str | None,
    reason: str,
    baseline: str | None,
    rehearsal: bool,
    dry_run: bool = False,
    ask: Callable[[str], bool] | None = None,
    key: Path | None = None,
) -> str:
    """Adopt what the folder makes now as the next revision; `ask` confirms it, None adopts at once."""
    plan = plan_of(folder)
    first = not has_ledger(folder)
    actor = _first_actor(folder, plan, who) if first else _actor(folder, who)
    summary = _summary(folder, plan, first=first)
    if dry_run:
        return f"{summary}; nothing adopted (dry run)"
    if ask is not None and not ask(f"{summary}. Adopt as {actor}?"):
        return "nothing adopted"
    revision = _adopt(folder, plan, actor, reason, baseline, first=first, rehearsal=rehearsal, key=key)
    return f"adopted {summary.removeprefix('would be ')}; revision {revision}"


def _adopt(
    folder: Path,
    plan: Plan,
    actor: str,
    reason: str,
    baseline: str | None,
    *,
    first: bool,
    rehearsal: bool,
    key: Path | None,
) -> int:
    from ledger.decisions.by_key import decided
    from ledger.decisions.plan import adopt_plan, create_ledger
    from ledger.writing import Ledger

    def now() -> datetime:
        return datetime.now(UTC)

    if first:
        ledger = create_ledger(
            folder,
            site_name=plan.site,
            time_zone=plan.time_zone,
            rehearsal=rehearsal,
            owner=actor,
            owner_key=_owner_key(plan, actor),
            clock=now,
        )
    else:
        ledger = Ledger.open(folder, clock=now)
    with ledger:
        decided(ledger, actor, lambda: adopt_plan(ledger, actor, plan, reason=reason, baseline=baseline), key=key)

    with open_snapshot(folder) as reader:
        return int(site_of(reader).revision)


def _owner_key(plan: Plan, owner: str) -> str | None:
    """Give the key that genesis names, where anything is to be signed; then every signer needs one."""
    if all(a.policy.assurance == "recorded" for a in plan.activities):
        return None
    keys = {person.id: person.ssh_key for person in plan.people}
    lacking = [person.id for person in plan.people if not person.ssh_key]
    if not keys[owner]:
        raise InputError(
            f"decisions are to be signed, and the owner {owner} has no ssh_key",
            hint="write the line of your .pub file under `ssh_key` in site.yaml",
        )
    if lacking:
        say(f"no key yet: {', '.join(lacking)}; they cannot sign until a plan that names their ssh_key is adopted")
    return keys[owner]


def _summary(folder: Path, plan: Plan, *, first: bool) -> str:
    applicable = sum(a.applicable for a in plan.activities)
    text = (
        f"{applicable} activities, {len(plan.activities) - applicable} not applicable, "
        f"{len(plan.orders)} orders, go-live {plan.finish:%Y-%m-%d}"
    )
    if first:
        return f"would be the first plan: {text}"
    changes = revision_changes(folder, plan)
    counts = Counter(change.what for change in changes)
    undoes = [f"{counts[what]} {words}" for what, words in _UNDOES.items() if counts[what]]
    return f"would be {len(changes)} changes: {', '.join([*undoes, text])}"


_UNDOES = {
    "re-opened": "open again",
    "stale": "stale, to be signed again",
    "order stands": "placed orders of another quantity",
}


def _actor(folder: Path, who: str | None) -> str:

    with open_snapshot(folder) as reader:
        return acting_person(reader, who)


def _first_actor(folder: Path, plan: Plan, who: str | None) -> str:
    """Before there is a ledger the site file's own people are all there is to go by."""
    from ledger.account import account_of
    from ledger.rules.permission import roles_for

    account = account_of(folder)
    may = [p for p in plan.people if p.account == account and set(roles_for("adopt_plan")) & set(p.roles)]
    chosen: list[Person] = [p for p in may if who in (None, p.id)]
    if not chosen:
        raise NotSatisfiedError(
            f"the account {account!r} may not adopt the first plan" + (f" as {who!r}" if who else ""),
            hint=f"give a person with the role {' or '.join(roles_for('adopt_plan'))} this account in site.yaml",
        )
    if len(chosen) > 1:
        names = ", ".join(p.id for p in chosen)
        raise InputError(f"the account {account!r} stands for {names}", hint="say which with --as ID")
    return chosen[0].id
