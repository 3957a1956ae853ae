"""Check how good a schedule is: the DCMA 14 points and GAO's practices.

Without FILE it is the site's own: the plan in force with its progress, or what the folder makes while none is adopted. FILE
is what `clusterwright schedule` reads. The exit code is 1 if a check fails.

Example:
    clusterwright quality
    clusterwright quality activities.csv --json

"""

from pathlib import Path
from typing import Annotated

from typer import Argument

from clusterwright.commands.asking import Asking
from clusterwright.output import print_json
from schedule.errors import NotSatisfiedError


def quality(
    ask: Asking,
    file: Annotated[Path | None, Argument(help="A .csv file, or a folder, instead of the site.")] = None,
) -> None:
    from clusterwright.quality_view import print_quality, quality_document
    from clusterwright.schedules import of_file, of_site

    judged = of_site(ask.folder) if file is None else of_file(file)
    if ask.as_json:
        print_json(quality_document(judged))
    else:
        print_quality(judged)
    failed = [check.id for check in judged.found.failed]
    if failed:
        raise NotSatisfiedError(f"{len(failed)} checks of {judged.what} fail: {', '.join(failed)}")
