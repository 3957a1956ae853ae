"""Proves that a job starts whole: two jobs that do not fit together, and one that never fits, of which no part may start."""

from dataclasses import dataclass

from kubernetes_jobs import (
    PERSON,
    Document,
    Found,
    condition,
    gpus_of,
    items,
    job,
    jobs,
    outcome,
    placed,
    pods,
    prove,
    settings,
    submitted,
    until,
    workload_of,
)

METRIC = "gang.partial_starts"
PAIR = ("first", "second")
NEVER = "never"


@dataclass(frozen=True)
class Look:
    """What was seen of a job at one time: whether it was admitted, and on how many hosts parts of it were."""

    admitted: bool
    parts: int


def find() -> Found:
    """Watch the jobs until both that fit alone are over; count starts of a part."""
    said = settings()
    there = gpus_of(items("nodes"), said["gpu"])
    if len(there) < 2:
        return {METRIC: (None, f"{len(there)} compute hosts offer {said['gpu']}: two jobs cannot share and block")}
    wanted = dict.fromkeys(PAIR, len(there) // 2 + 1) | {NEVER: len(there) + 1}
    whole = {said["gpu"]: str(min(there.values()))}
    submitted(*(job(n, "sleep 20", image=said["image"], parts=parts, limits=whole) for n, parts in wanted.items()))
    seen: dict[str, list[Look]] = {name: [] for name in wanted}

    def look() -> dict[str, str]:
        workloads, now = items("workloads", "-n", PERSON), pods()
        for name in wanted:
            seen[name].append(looked(name, workloads, now))
        return {name: outcome(found) for name, found in jobs().items() if name in PAIR}

    ends = until(look, lambda found: all(found.values()), 400)
    if set(ends.values()) != {"Complete"}:
        return {METRIC: (None, f"the jobs ended {', '.join(how or 'not at all' for how in ends.values())}")}
    bad = partial(seen, wanted)
    note = f"two jobs of {wanted['first']} of {len(there)} hosts, one after the other, {len(seen['first'])} looks"
    return {METRIC: (len(bad), "; ".join(bad) or note)}


def looked(name: str, workloads: list[Document], now: list[Document]) -> Look:
    """Return what can be seen of a job now."""
    workload = workload_of(name, workloads)
    finished = workload is not None and condition(workload, "Finished") is not None
    admitted = workload is not None and condition(workload, "Admitted") is not None and not finished
    return Look(admitted, len(placed(now, name)))


def partial(seen: dict[str, list[Look]], wanted: dict[str, int]) -> list[str]:
    """Return the jobs that started in part, over all looks: before admission, never with all parts, or beside another whole job."""
    bad = [
        f"{name}: {look.parts} parts while it waited"
        for name, looks in seen.items()
        for look in looks
        if look.parts and not look.admitted
    ]
    bad += [
        f"{name}: admitted, and never more than {max(look.parts for look in looks)} of {wanted[name]} parts"
        for name, looks in seen.items()
        if any(look.admitted for look in looks) and max(look.parts for look in looks) < wanted[name]
    ]
    both = sum(all(look.admitted for look in pair) for pair in zip(*(seen[name] for name in PAIR), strict=True))
    return bad + ([f"both admitted at once in {both} looks"] if both else [])


if __name__ == "__main__":
    prove((METRIC,), find)
