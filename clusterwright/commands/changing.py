"""`clusterwright change`: change orders, asked for by one person and decided by another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clusterwright.commands.acting import act_once
from clusterwright.commands.options import AsOption, JsonOption, KeyOption, ReasonOption, SiteOption
from ledger.decisions import changes as deciding
from ledger.questions.orders import changes as change_orders
from ledger.reading import open_snapshot

app = typer.Typer(invoke_without_command=True, help="Change orders: asked for by one person, decided by another.")


@app.callback()
def changes(context: typer.Context, site: SiteOption = None, as_json: JsonOption = False) -> None:
    """List change orders; those that are open wait for a decision."""
    if context.invoked_subcommand is not None:
        return
    from clusterwright.output import print_json, say, table
    from clusterwright.where import find_site

    with open_snapshot(find_site(site)) as reader:
        rows = change_orders(reader)
    if as_json:
        print_json(rows)
        return
    if not rows:
        say("no order was changed; `clusterwright change request` asks for it")
        return
    table(
        ("id", "order", "state", "quantity", "value", "asked by", "decided by", "reason"),
        [
            (
                c.id,
                c.subject,
                c.state,
                c.quantity,
                f"{c.value} {c.currency}" if c.value is not None else "",
                c.asked_by,
                c.decided_by,
                c.reason,
            )
            for c in rows
        ],
    )


@app.command()
def request(
    order_id: Annotated[str, typer.Argument(help="An order; for a quantity, one delivery of it.")],
    reason: ReasonOption,
    quantity: Annotated[str | None, typer.Option(help="How many it is to be, in all.")] = None,
    value: Annotated[str | None, typer.Option(help="What the whole order is to cost.")] = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Ask for another quantity or value; keeping more than was ordered is such a change too."""
    act_once(
        site,
        who,
        lambda ledger, me: deciding.ask_change(ledger, me, order_id, reason=reason, quantity=quantity, value=value),
        lambda event: f"{event.payload.change}: waits for a decision",
    )


@app.command()
def approve(
    change_id: str,
    reason: Annotated[str, typer.Option("--reason", help="What you add.")] = "",
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Approve a change order that another person asked for."""
    _decide(change_id, approve=True, reason=reason, key=key, site=site, who=who)


@app.command()
def refuse(
    change_id: str, reason: ReasonOption, key: KeyOption = None, site: SiteOption = None, who: AsOption = None
) -> None:
    """Refuse a change order."""
    _decide(change_id, approve=False, reason=reason, key=key, site=site, who=who)


def _decide(
    change_id: str, *, approve: bool, reason: str, key: Path | None, site: Path | None, who: str | None
) -> None:

    act_once(
        site,
        who,
        lambda ledger, me: deciding.decide_change(ledger, me, change_id, approve=approve, reason=reason),
        f"{change_id}: {'approved' if approve else 'refused'}",
        key,
    )
