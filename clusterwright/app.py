"""The command line itself. Its commands are the files under `commands`; see `clusterwright.tree`."""

import typer

from clusterwright.tree import CommandLine

app = typer.Typer(
    cls=CommandLine,
    name="clusterwright",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="`clusterwright COMMAND --help` shows the options of a command, and an example.",
)


@app.callback()
def clusterwright() -> None:
    """Plan, run and sign off the 195-step buildout of a GPU training cluster."""
