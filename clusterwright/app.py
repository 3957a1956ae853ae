"""The command tree, wiring only: daily verbs at the top, everything else noun verb."""

from __future__ import annotations

import typer

from clusterwright.commands import (
    anchor,
    authority,
    backup,
    catalog,
    changing,
    check,
    database,
    design,
    engine,
    export,
    inventory,
    keys,
    ledger_check,
    look,
    machine,
    ncr,
    people,
    plan,
    privacy,
    reminders,
    reporting,
    site,
    witness,
)

app = typer.Typer(
    name="clusterwright",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Plan, run and sign off the 195-step buildout of a GPU training cluster.",
)

app.command("init")(site.init)
app.add_typer(plan.app, name="plan")
app.add_typer(catalog.app, name="catalog")
app.command("design")(design.design)
app.command("inventory")(inventory.inventory)
for verb in (
    look.status,
    look.next_,
    look.list_,
    look.why,
    look.show,
    look.inbox,
    look.orders,
    look.forecast,
    look.log,
):
    app.command(verb.__name__.rstrip("_"))(verb)
for act in people.VERBS:
    app.command(act.__name__)(act)
app.command("check")(check.check)
app.command("witness")(witness.witness)
app.command("adopt")(people.adopt)
app.command("up")(engine.up)
app.command("preview")(engine.preview)
app.command("rehearse")(engine.rehearse)
app.command("dashboard")(engine.dashboard)
app.command("tui")(engine.tui)
app.command("reminders")(reminders.reminders)
app.add_typer(reporting.app, name="report")
app.add_typer(keys.app, name="keys")
app.add_typer(export.app, name="export")
app.add_typer(changing.app, name="change")
app.add_typer(ncr.app, name="ncr")
app.command("punch")(ncr.punch)
app.add_typer(authority.app, name="authority")
app.command("break-glass")(authority.break_glass)
app.command("redact")(privacy.redact)
app.command("audit")(ledger_check.audit)
app.command("anchor")(anchor.anchor)
app.add_typer(database.app, name="database")
app.command("backup")(backup.backup)
app.command("restore")(backup.restore)
app.command("doctor")(machine.doctor)
