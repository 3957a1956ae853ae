"""The least finish that any schedule of the template can have, by two arguments that share no code with the engine.

The first is sums alone: the trade that comes into play late has a load, and the chain before its first step has a length. The second is a
linear program (OR-Tools): pods count as fractions, and each step has as many starts until a slot as links and people allow. It asks how much of a
trade's work can be done in the first slots at the very most. What is left then takes its time, even if all its people always work.

Usage: levelling_least.py [PODS]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from benchmarks.levelling_pods import TRADES, Template, template

FIRST_SLOTS = 200
"""Slots of the linear program: the more, the stronger the bound and the longer it takes (16 s for 200)."""
TOLERANCE = 0.01
"""Slots by which the solver may be wrong."""


def proof(made: Template) -> Iterator[str]:
    """Yield the proof as text, with its figures."""
    heads, loads = heads_of(made), loads_of(made)
    load = ceil(max(loads))
    trade = max(range(TRADES), key=lambda t: first_of(made, heads, t) + loads[t])
    first = first_of(made, heads, trade)
    least = ceil(first + loads[trade])
    chain = chain_to(made, heads, trade)
    yield (
        f"The simple bound of the template, {load:,} slots, cannot be reached. The people of trade {trade} need "
        f"{float(loads[trade]):,.1f} slots for their work even if none of them ever waits. But on every pod, the first step that needs them follows "
        f"a chain of other steps ({', '.join(str(step) for step in chain)}) that takes {first} slots. So nobody of that trade has work before slot "
        f"{first}, and no schedule ends before slot {first} + {ceil(loads[trade]):,} = {least:,}: {percent(least, load)} above the simple bound."
    )
    yield ""
    done = most_work(made, heads, trade, FIRST_SLOTS)
    all_work = loads[trade] * made.capacities[trade]
    stronger = ceil(FIRST_SLOTS + (float(all_work) - done) / made.capacities[trade] - TOLERANCE)
    yield (
        f"The steps before that trade need other trades, which do not have people for all pods at once. A linear program shows that trade {trade} can "
        f"do at most {done:,.0f} of {FIRST_SLOTS * made.capacities[trade]:,} slots of its people's work in the first {FIRST_SLOTS} slots, whatever the order. "
        f"The rest takes so long that no schedule ends before slot {stronger:,}: {percent(stronger, load)} above the simple bound. The program "
        "knows the template only; it shares no code with the engine."
    )


def percent(least: int, load: int) -> str:
    """Return by how much a finish is above the load."""
    return f"{100 * (least / load - 1):.1f} %"


def heads_of(made: Template) -> list[int]:
    """Return the earliest start of each step on a pod."""
    heads: list[int] = []
    for before in made.before:
        heads.append(max((heads[b] + made.duration[b] for b in before), default=0))
    return heads


def loads_of(made: Template) -> list[Fraction]:
    """Return the slots that each trade's work takes if all its people always work."""
    work = [0] * TRADES
    for duration, trade, people in zip(made.duration, made.trade, made.people, strict=True):
        work[trade] += duration * people * made.pods
    return [Fraction(amount, capacity) for amount, capacity in zip(work, made.capacities, strict=True)]


def first_of(made: Template, heads: list[int], trade: int) -> int:
    """Return the earliest start of a trade's first step."""
    return min(head for head, own in zip(heads, made.trade, strict=True) if own == trade)


def chain_to(made: Template, heads: list[int], trade: int) -> list[int]:
    """Return the longest chain of steps that ends where the first step of a trade may start."""
    step = min((s for s in range(len(heads)) if made.trade[s] == trade), key=lambda s: heads[s])
    chain: list[int] = []
    while made.before[step]:
        step = max(made.before[step], key=lambda b: heads[b] + made.duration[b])
        chain.append(step)
    return chain[::-1]


def most_work(made: Template, heads: list[int], trade: int, slots: int) -> float:
    """Return the most work of a trade, people times slots, that any schedule does in the first slots."""
    from ortools.linear_solver import pywraplp  # type: ignore[import-untyped] # OR-Tools has no types for it

    solver = pywraplp.Solver.CreateSolver("GLOP")
    steps = [step for step, head in enumerate(heads) if head < slots]
    started = {(s, t): solver.NumVar(0, made.pods, "") for s in steps for t in range(heads[s], slots)}

    def at_work(step: int, slot: int) -> pywraplp.LinearExpr:
        """Return on how many pods a step is at work: those where it started, without those where it has ended."""
        ended = started.get((step, slot - made.duration[step]))
        return started[step, slot] if ended is None else started[step, slot] - ended

    for (s, t), number in started.items():
        if t > heads[s]:
            solver.Add(number >= started[s, t - 1])
        for b in made.before[s]:
            solver.Add(number <= started[b, t - made.duration[b]])
    for own in range(TRADES):
        for t in range(slots):
            busy = [made.people[s] * at_work(s, t) for s in steps if made.trade[s] == own and t >= heads[s]]
            if busy:
                solver.Add(sum(busy) <= made.capacities[own])
    ours = (s for s in steps if made.trade[s] == trade)
    solver.Maximize(sum(made.people[s] * at_work(s, t) for s in ours for t in range(heads[s], slots)))
    assert solver.Solve() == pywraplp.Solver.OPTIMAL
    return float(solver.Objective().Value())


if __name__ == "__main__":
    for line in proof(template(int(sys.argv[1]) if len(sys.argv) > 1 else 256)):
        print(line)
