"""Buying: orders from placing to the door, and what suppliers say meanwhile."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clusterwright.commands.acting import act_once
from clusterwright.commands.options import AsOption, AtOption, ReasonOption, SiteOption, a_day, instant
from ledger.decisions import deliveries, orders
from steps.errors import InputError, NotSatisfiedError

if TYPE_CHECKING:
    from decimal import Decimal

    from ledger.writing import Ledger

OrderId = Annotated[str, typer.Argument(help="As 001@site#gpu-server; `orders` lists them.")]
TrancheId = Annotated[str, typer.Argument(help="As 001@site#gpu-server/1.")]
Currency = Annotated[str | None, typer.Option(help="As EUR; the site's if not given.")]
DAY = "YYYY-MM-DD"


def order(
    order_id: OrderId,
    supplier: Annotated[str, typer.Option(help="The organisation that delivers.")],
    reference: Annotated[str, typer.Option(help="Purchase order number.")],
    value: Annotated[str | None, typer.Option(help="What it costs, as 1250000.00.")] = None,
    currency: Currency = None,
    budget_line: Annotated[str, typer.Option("--budget-line", help="Which line of the budget pays.")] = "",
    organisation: Annotated[str, typer.Option(help="Whose people report on it, beside your buyers.")] = "",
    promised: Annotated[
        date | None, typer.Option(parser=a_day, metavar=DAY, help="The delivery date promised.")
    ] = None,
    at: AtOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Record that an order is placed."""
    act_once(
        site,
        who,
        lambda ledger, me: orders.order(
            ledger,
            me,
            order_id,
            promised=promised,
            supplier_name=supplier,
            reference=reference,
            value=value,
            currency=currency,
            budget_line=budget_line,
            organisation=organisation,
            at=instant(at),
        ),
        f"{order_id}: placed",
    )


def acknowledge(
    order_id: OrderId,
    on: Annotated[date, typer.Option(parser=a_day, metavar=DAY, help="The day the supplier accepted it.")],
    reference: Annotated[str, typer.Option(help="The supplier's reference.")],
    promised: Annotated[
        date | None, typer.Option(parser=a_day, metavar=DAY, help="The delivery date it names.")
    ] = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Record that a supplier accepted an order."""
    act_once(
        site,
        who,
        lambda ledger, me: orders.acknowledge(ledger, me, order_id, on=on, reference=reference, promised=promised),
        f"{order_id}: acknowledged",
    )


def promise(
    order_id: str,
    on: Annotated[date, typer.Option(parser=a_day, metavar=DAY, help="The new delivery date.")],
    reason: ReasonOption,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Record that a supplier changed the delivery date."""
    act_once(
        site,
        who,
        lambda ledger, me: orders.promise(ledger, me, order_id, on, reason=reason),
        f"{order_id}: promised for {on}",
    )


def expedite(
    order_id: Annotated[str, typer.Argument(help="An order, or one delivery of it.")],
    reason: ReasonOption,
    cost: Annotated[str, typer.Option(help="What it costs extra.")] = "0",
    currency: Annotated[str | None, typer.Option(help="The order's if not given.")] = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Record that an order is pressed for, and what that costs."""
    act_once(
        site,
        who,
        lambda ledger, me: orders.expedite(ledger, me, order_id, reason=reason, cost=cost, currency=currency),
        f"{order_id}: expedited",
    )


def ship(
    tranche: TrancheId,
    carrier: Annotated[str, typer.Option(help="Who carries it.")],
    on: Annotated[date, typer.Option(parser=a_day, metavar=DAY, help="The day it left.")],
    tracking: Annotated[str, typer.Option(help="Tracking number.")] = "",
    handling: Annotated[str, typer.Option(help="Tilt and shock indicators: which, and how they are to look.")] = "",
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Record that a delivery has left the supplier."""
    act_once(
        site,
        who,
        lambda ledger, me: deliveries.ship(
            ledger, me, tranche, shipped=on, carrier=carrier, tracking=tracking, handling=handling
        ),
        f"{tranche}: shipped",
    )


def receive(
    tranche: TrancheId,
    quantity: Annotated[str | None, typer.Option(help="How many came; all of it if not given.")] = None,
    serials: Annotated[Path | None, typer.Option(help="A file with a serial number a line.")] = None,
    manifest: Annotated[Path | None, typer.Option(help="The supplier's manifest: CSV with a column `serial`.")] = None,
    scanned: Annotated[Path | None, typer.Option(help="What was scanned, a serial number a line.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Record it although manifest and scan differ.")] = False,
    note: Annotated[str, typer.Option(help="Damage, shortage, location.")] = "",
    at: AtOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    """Record a delivery, held against its manifest where there is one; what it releases can start."""
    if (manifest is None) != (scanned is None):
        raise InputError("a manifest is held against a scan", hint="give both --manifest and --scanned")
    if manifest is not None and scanned is not None:
        if quantity or serials:
            raise InputError("the manifest and the scan say how many came", hint="leave --quantity and --serials out")
        _by_manifest(tranche, manifest, scanned, yes=yes, note=note, at=instant(at), site=site, who=who)
        return
    numbers = _serials(serials) if serials else []
    amount = _number(quantity) if quantity else None
    act_once(
        site,
        who,
        lambda ledger, me: deliveries.receive(ledger, me, tranche, amount, serials=numbers, note=note, at=instant(at)),
        f"{tranche}: received",
    )


def _by_manifest(
    tranche: str,
    manifest: Path,
    scanned: Path,
    *,
    yes: bool,
    note: str,
    at: datetime | None,
    site: Path | None,
    who: str | None,
) -> None:
    """List every difference, and record what came once they are accepted."""
    from clusterwright.output import say

    def act(ledger: Ledger, me: str) -> Any:
        found = deliveries.check_manifest(ledger, me, tranche, manifest, scanned)
        for difference in found.differences:
            say(str(difference))
        if found.differences and not yes:
            raise NotSatisfiedError(
                f"{tranche}: {len(found.differences)} differences between manifest and scan; nothing is recorded",
                hint=f"--yes records the {len(found.came)} that came"
                + ("" if found.is_conforming else " and opens a non-conformance"),
            )
        seen = tuple(map(str, found.differences))
        return deliveries.receive_manifest(ledger, me, tranche, manifest, scanned, accept=seen, note=note, at=at)

    def said(event: Any) -> str:
        opened = f", {event.payload.ncr} opened" if event.payload.ncr else ""
        return f"{tranche}: {event.payload.quantity} received{opened}"

    act_once(site, who, act, said)


def _serials(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def _number(text: str) -> Decimal:
    from ledger.rules.money import amount

    return amount(text, "a quantity")


VERBS = (order, acknowledge, promise, expedite, ship, receive)
