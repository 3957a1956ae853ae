"""Show what a delay, other crews, more shifts or pods that come first would do to go-live. Nothing is recorded.

Each is compared with the site as it is: the plan in force with what has happened, or before the first adoption the plan of the
folder. What most delays go-live is listed at the end.

With --pods-first the next delivery of each order serves the first pods, and crews serve them before all others: when they can
train is shown too, which is often months before go-live, and what that costs the rest.

Example:
    clusterwright whatif --delay 077=8w
    clusterwright whatif --crew technical-writer+1 --crew assembly-technician+2
    clusterwright whatif --delay '001@site#gpu-server=4w' --shifts 2
    clusterwright whatif --pods-first 8

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import SamplesOption, SeedOption
from clusterwright.output import print_json
from clusterwright.what_if_view import print_what_if, what_if_document
from schedule.errors import InputError

SAVINGS = 8
TITLE = "Go-live as it is, and as it would be; nothing is recorded"


def whatif(
    ask: Asking,
    delay: Annotated[
        list[str] | None, Option("--delay", metavar="WHAT=TIME", help="As 077=8w or 034@pod-001=2d.")
    ] = None,
    crew: Annotated[list[str] | None, Option("--crew", metavar="TRADE+N", help="As rigger+2 or rigger=6.")] = None,
    shifts: Annotated[
        int | None, Option("--shifts", min=1, max=3, help="Shifts a day of all crews that keep the site's calendar.")
    ] = None,
    pods_first: Annotated[
        int | None, Option("--pods-first", metavar="N", help="The first N pods are delivered and served before others.")
    ] = None,
    samples: SamplesOption = None,
    seed: SeedOption = 1,
) -> None:
    if not (delay or crew or shifts) and pods_first is None:
        raise InputError("nothing would be different", hint="name a --delay, a --crew, --shifts or --pods-first")
    from clusterwright.site_case import case_of
    from steps.planning.scenarios.pods_first import first_pods
    from steps.planning.scenarios.what_if import delayed, savings, seen, with_crews, with_pods_first, with_shifts

    now = case_of(ask)
    pods = () if pods_first is None else first_pods(now.plan, pods_first)
    changed = now
    for text in delay or ():
        changed = delayed(changed, text)
    for text in crew or ():
        changed = with_crews(changed, text)
    if shifts:
        changed = with_shifts(changed, shifts)
    if pods:
        changed = with_pods_first(changed, pods)
    before, _ = seen(now, samples=samples, seed=seed, pods=pods)
    after, solved = seen(changed, samples=samples, seed=seed, pods=pods)
    left = savings(solved, most=SAVINGS)
    if ask.as_json:
        print_json(what_if_document(before, after, left, now.plan.slip_day_usd))
    else:
        print_what_if(before, after, left, now, title=TITLE)
