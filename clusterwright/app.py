"""The command line itself. Its commands are the files under `commands`; see `clusterwright.tree`."""

from typing import Annotated

import typer

from clusterwright import __version__
from clusterwright.tree import CommandLine


def _say_version(asked: bool) -> None:
    if asked:
        print(f"clusterwright {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=CommandLine,
    name="clusterwright",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="`clusterwright COMMAND --help` shows the options of a command, and an example. In a new folder begin with `clusterwright tour`, "
    "or with `init`, `plan` and `plan adopt`; then `next` lists what can be started, and `why ID` says what something waits for. "
    "034@pod-001 is step 034 at the first pod, 001@site#gpu-server an order, 001@site#gpu-server/1 its first delivery.",
)


@app.callback()
def clusterwright(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_say_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Plan, run and sign off the 195-step buildout of a GPU training cluster."""
