"""Judges a schedule by the definition, slot by slot. It shares no code with the engine that made the schedule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from schedule.levelling.problem import Problem


def slots_of(problem: Problem, activity: int, start: int) -> list[int]:
    """Return the slots in which an activity works."""
    length, calendar = int(problem.duration[activity]), int(problem.calendar[activity])
    found: list[int] = []
    slot = start
    while len(found) < length:
        if calendar == -1 or bool(problem.calendars[calendar][slot]):
            found.append(slot)
        slot += 1
    return found


def faults(problem: Problem, start: Sequence[int]) -> Iterator[str]:
    """Yield what is wrong with a schedule."""
    if len(start) != problem.count:
        yield "starts are missing"
        return
    worked = [slots_of(problem, a, int(start[a])) for a in range(problem.count)]
    finish = [slots[-1] + 1 if slots else int(start[a]) for a, slots in enumerate(worked)]
    for a, slots in enumerate(worked):
        if problem.fixed[a] >= 0:
            if start[a] != problem.fixed[a]:
                yield f"{a} has a fixed start and was moved"
        elif start[a] < problem.release[a]:
            yield f"{a} starts before its release"
        elif slots and slots[0] != start[a]:
            yield f"{a} starts when its calendar is closed"
    yield from _links(problem, start, finish)
    yield from _capacities(problem, worked)


def _links(problem: Problem, start: Sequence[int], finish: Sequence[int]) -> Iterator[str]:
    links = problem.links
    for after in range(problem.count):
        if problem.fixed[after] >= 0:
            continue
        for link in range(int(links.first[after]), int(links.first[after + 1])):
            before = int(links.before[link])
            earlier = finish[before] if links.from_finish[link] else start[before]
            later = finish[after] if links.to_finish[link] else start[after]
            if later < earlier + links.gap[link]:
                yield f"{after} comes too early after {before}"


def _capacities(problem: Problem, worked: Sequence[Sequence[int]]) -> Iterator[str]:
    """Yield the slots in which work that is not fixed makes a resource hold more than there is."""
    used: Counter[tuple[int, int]] = Counter()
    planned: set[tuple[int, int]] = set()
    for a, slots in enumerate(worked):
        for row in range(int(problem.demands.first[a]), int(problem.demands.first[a + 1])):
            for slot in slots:
                where = int(problem.demands.resource[row]), slot
                used[where] += int(problem.demands.amount[row])
                if problem.fixed[a] < 0:
                    planned.add(where)
    for resource, slot in sorted(planned):
        capacity = problem.capacities[resource]
        has = [amount for since, amount in zip(capacity.since, capacity.amount, strict=True) if since <= slot][-1]
        if used[resource, slot] > has:
            yield f"resource {resource} holds {used[resource, slot]} in slot {slot} and has {has}"
