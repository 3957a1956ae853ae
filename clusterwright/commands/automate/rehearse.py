"""Rehearse the whole buildout in simulated time.

Nothing is done on hosts. The record is marked as a rehearsal's, and a real one is never rehearsed in.

Example:
    clusterwright rehearse --seed 7
    clusterwright rehearse --until H08@pod-001

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import PortOption
from clusterwright.output import print_json, say
from clusterwright.rehearsing import prepare_rehearsal
from flows.rehearsal import rehearse as play
from ledger.private import private_files


def rehearse(
    ask: Asking,
    seed: Annotated[int, Option(help="Draws the durations; the same seed, the same rehearsal.")] = 1,
    until: Annotated[str | None, Option(metavar="ACTIVITY", help="Stop when this activity is done.")] = None,
    port: PortOption = 4200,
) -> None:
    folder = ask.folder
    with private_files():
        prepare_rehearsal(folder)
        report = play(folder, seed=seed, port=port, on_message=say, until=until)
    if ask.as_json:
        print_json(report)
        return
    say(
        f"REHEARSAL: {report.done} done, {report.not_applicable} not applicable, of {report.activities}; "
        f"{report.start:%Y-%m-%d} to {report.finish:%Y-%m-%d} of project time in {report.seconds:.0f} s"
    )
