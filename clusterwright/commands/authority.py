"""`clusterwright authority`: roles lent for a time; and `break-glass`, the way past a policy in an emergency."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clusterwright.commands.access import access
from clusterwright.commands.options import AsOption, JsonOption, KeyOption, SiteOption, instant
from ledger.decisions import people, sign_off
from ledger.questions.people import delegations
from ledger.questions.records import overrides
from ledger.reading import open_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ledger.writing import Ledger

app = typer.Typer(
    invoke_without_command=True, help="Roles lent from one person to another for a time, and who may do what."
)
app.command()(access)


@app.callback()
def authority(context: typer.Context, site: SiteOption = None, as_json: JsonOption = False) -> None:
    """List delegations, and every activity that passed against its policy."""
    if context.invoked_subcommand is not None:
        return
    from clusterwright.output import print_json, table
    from clusterwright.where import find_site

    with open_snapshot(find_site(site)) as reader:
        lent, broken = delegations(reader), overrides(reader)
    if as_json:
        print_json({"delegations": lent, "overrides": broken})
        return
    rows = [
        (
            d.id,
            d.role,
            d.person,
            d.to,
            f"{d.since:%Y-%m-%d}",
            f"{d.until:%Y-%m-%d}",
            "withdrawn" if d.withdrawn_at else "",
            d.reason,
        )
        for d in lent
    ]
    table(("id", "role", "of", "to", "from", "until", "", "reason"), rows)
    if broken:
        table(
            ("against its policy", "by", "lacking", "reason"),
            [(o.activity, o.person, "; ".join(o.lacking), o.reason) for o in broken],
        )


@app.command()
def delegate(
    role: str,
    to: Annotated[str, typer.Option("--to", help="Who may act in it.")],
    until: Annotated[str, typer.Option("--until", help="Until when, 2027-01-31.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; it stays on record.")],
    since: Annotated[str | None, typer.Option("--from", help="From when; now if not given.")] = None,
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Let another person act in one of your own roles for a time."""
    end = instant(until)
    assert end is not None
    begin = instant(since) or datetime.now(UTC)
    event = _decide(
        site,
        who,
        key,
        lambda ledger, me: people.delegate(ledger, me, to, role, since=begin, until=end, reason=reason),
    )
    from clusterwright.output import say

    say(f"{event.payload.delegation}: {to} may act as {role} until {end:%Y-%m-%d}")


@app.command()
def withdraw(
    delegation: str,
    reason: Annotated[str, typer.Option("--reason", help="Why; it stays on record.")],
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """End a delegation before its time."""
    from clusterwright.output import say

    _decide(site, who, key, lambda ledger, me: people.withdraw(ledger, me, delegation, reason))
    say(f"{delegation}: withdrawn")


def break_glass(
    activity: str,
    reason: Annotated[str, typer.Option("--reason", help="What the emergency is; it stays on record for ever.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Pass finished work against its sign-off policy, in an emergency; shown for ever."""
    from clusterwright.output import say
    from steps.errors import InputError

    if not yes and typer.prompt("It passes against its policy, and shows for ever. Type the activity's id") != activity:
        raise InputError("that is not its id; nothing recorded")
    event = _decide(site, who, key, lambda ledger, me: sign_off.break_glass(ledger, me, activity, reason))
    say(f"{activity}: passed without {'; '.join(event.payload.lacking)}")


def _decide(site: Path | None, who: str | None, key: Path | None, act: Callable[[Ledger, str], Any]) -> Any:
    from clusterwright.where import acting_person, find_site
    from ledger.decisions.by_key import decided
    from ledger.writing import Ledger

    folder = find_site(site)
    with open_snapshot(folder) as reader:
        me = acting_person(reader, who)
    with Ledger.open(folder, clock=lambda: datetime.now(UTC)) as ledger:
        return decided(ledger, me, lambda: act(ledger, me), key=key)
