"""Record deliveries; what waited for it can start.

With a manifest and a scan every difference is listed first. --yes then records what came. Pieces that have serial numbers,
such as servers, are received by them; --unscanned says why that cannot be.

A CSV has a delivery a line. Columns: delivery, quantity, serials with spaces between them, unscanned, note, at and late_because. A cell
that is empty is as the option of its name says. Wrong lines are named, and the right ones are recorded at once.

Example:
    clusterwright receive '001@site#gpu-server/1' --serials serials.txt
    clusterwright receive 'H08@*#compute-rack/*' --unscanned 'racks have no numbers'
    clusterwright receive '001@site#gpu-server/1' --manifest manifest.csv --scanned scan.txt
    clusterwright receive came.csv

"""

from pathlib import Path
from typing import Annotated, Any

from typer import Option

from clusterwright.commands.acting import Deciding, Reporting, say_done
from clusterwright.commands.options import TrancheIds
from clusterwright.commands.patterns import matching_deliveries
from clusterwright.decision_file import lines_in, record_lines
from clusterwright.filled_lines import FilledLine
from clusterwright.output import say
from clusterwright.text_file import text_in
from ledger.subjects.orders import delivery_decisions as decisions
from ledger.subjects.orders.money_rules import amount
from schedule.errors import InputError, NotSatisfiedError

COLUMNS = ("delivery", "quantity", "serials", "unscanned", "note")


def receive(
    me: Reporting,
    deliveries: TrancheIds,
    quantity: Annotated[str | None, Option(help="How many came; all of it if not given.")] = None,
    serials: Annotated[Path | None, Option(help="A file with a serial number a line.")] = None,
    manifest: Annotated[Path | None, Option(help="The supplier's manifest: CSV with a column `serial`.")] = None,
    scanned: Annotated[Path | None, Option(help="What was scanned, a serial number a line.")] = None,
    yes: Annotated[bool, Option("--yes", help="Record it although manifest and scan differ.")] = False,
    unscanned: Annotated[str, Option(help="Why pieces with serial numbers come without them.", metavar="WHY")] = "",
    note: Annotated[str, Option(help="Damage, shortage, location.")] = "",
) -> None:
    if (manifest is None) != (scanned is None):
        raise InputError("a manifest is compared with a scan", hint="--manifest and --scanned go together")
    lines = lines_in(deliveries, COLUMNS)
    if (lines or len(deliveries) > 1) and (serials or manifest):
        raise InputError(
            "a file of serial numbers is of one delivery", hint="receive them one by one, or with --unscanned WHY"
        )
    if manifest is not None and scanned is not None:
        if quantity or serials or unscanned:
            raise InputError(
                "the manifest and the scan say how many came", hint="leave --quantity, --serials and --unscanned out"
            )
        _by_manifest(me, deliveries[0], manifest, scanned, yes, note)
        return
    came = amount(quantity, "a quantity") if quantity else None

    def of_line(decider: Deciding, line: FilledLine) -> None:
        decider.take(
            decisions.receive,
            line.text("delivery"),
            amount(line.text("quantity"), "a quantity") if line.text("quantity") else came,
            serials=line.text("serials").split(),
            note=line.text("note") or note,
            unscanned=line.text("unscanned") or unscanned,
        )

    if lines:
        record_lines(me, lines, "delivery", "received", of_line)
        return
    numbers = text_in(serials).split() if serials else []
    me.each_of(
        matching_deliveries,
        deliveries,
        "received",
        decisions.receive,
        came,
        serials=numbers,
        note=note,
        unscanned=unscanned,
    )


def _by_manifest(
    me: Reporting,
    tranche: str,
    manifest: Path,
    scanned: Path,
    yes: bool,
    note: str,
) -> None:
    """List every difference, and record what came once they are accepted."""
    with me.deciding() as decider:
        found = decider.take(decisions.check_manifest, tranche, manifest, scanned)
        for difference in found.differences:
            say(str(difference))
        if found.differences and not yes:
            opens = "" if found.is_conforming else " and opens a non-conformance"
            raise NotSatisfiedError(
                f"{tranche}: {len(found.differences)} differences between manifest and scan; nothing is recorded",
                hint=f"--yes records the {len(found.came)} that came{opens}",
            )
        seen = tuple(map(str, found.differences))
        event: Any = decider.take(
            decisions.receive_manifest,
            tranche,
            manifest,
            scanned,
            accept=seen,
            note=note,
        )
    opened = f", {event.payload.ncr} opened" if event.payload.ncr else ""
    say_done(tranche, f"{event.payload.quantity} received{opened}", event)
