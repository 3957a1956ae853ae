"""Holds runs over all servers against the contract: what of the agreed peak the model uses, and how often runs were interrupted.

The median of the agreed number of runs counts. A run's rate is that between its first and its last step, interruptions and all. The configuration of every
server is frozen by its digest before the first run, and read again before each other and after the last. Arguments: the terms of the
job as JSON, and those of the contract.
"""

import hashlib
import json
import statistics
import sys
from typing import NamedTuple

from contract_terms import Terms, terms_of, why_no_contract
from reference_run import PROGRAM, Run, Step, why_not_this_job
from slurm_jobs import as_person, clear, hosts, report
from training_scale import slow_together

MFU, INTERRUPTIONS = METRICS = ("training.mfu", "training.interruptions_over_model")
TERMS = {"steps": 200, "checkpoint_every": 50, "step_s": 0.1, "log_every": 1000}
# of the 405B run of Llama 3: GPU-hours for each interruption
GPU_HOURS = 50677
SPARE_MINUTES = 30
LOOK = f"""
import hashlib, importlib.metadata as packages, json, os, platform
from pathlib import Path

def text(path):
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""

seen = {{"kernel": platform.release(), "processors": os.cpu_count(), "governor": text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")}}
seen |= {{f"version of {{name}}": packages.version(name) for name in ("torch", "numpy") if any(packages.distributions(name=name))}}
seen |= {{f"MTU of {{port.name}}": text(port / "mtu") for port in Path("/sys/class/net").iterdir() if port.name != "lo"}}
seen |= {{file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in Path("{PROGRAM}").parent.glob("*.py")}}
print(json.dumps([os.environ["SLURMD_NODENAME"], seen]))
"""

Configuration = dict[str, dict]


class Ran(NamedTuple):
    """One run: tokens a second, minutes, how often it was interrupted, model FLOPs of a token, and its ranks."""

    rate: float
    minutes: float
    restarts: int
    token_flops: float
    ranks: list[dict]


class RefusedError(Exception):
    """Why there are no figures under the contract."""


def main() -> None:
    """Run as often as agreed, and judge."""
    said = json.loads(sys.argv[2])
    if why := why_no_contract(said) or why_not_this_job():
        return report(dict.fromkeys(METRICS, (None, why)))
    agreed = terms_of(said)
    clear()
    try:
        report(proved({**TERMS, **json.loads(sys.argv[1]), **agreed.job}, agreed, hosts()))
    except RefusedError as refusal:
        report(dict.fromkeys(METRICS, (None, str(refusal))))
    finally:
        clear()


def proved(terms: dict, agreed: Terms, there: list[str]) -> dict:
    """Return what was found."""
    frozen = configuration(there, terms)
    if agreed.configuration not in ("", digest(frozen)):
        raise RefusedError(f"the configuration is {digest(frozen)}, and {agreed.configuration} was agreed")
    ran = []
    for number in range(1, agreed.runs + 1):
        ran.append(one_run(f"benchmark-{number}", terms, agreed, len(there)))
        if changes := changed(frozen, configuration(there, terms)):
            raise RefusedError(f"the configuration changed during run {number} of {agreed.runs}: {', '.join(changes)}")
    return judged(ran, agreed, digest(frozen))


def configuration(there: list[str], terms: dict) -> Configuration:
    """Return what each server computes with, and the terms of the job."""
    nodes = (
        f"--nodes={len(there)}",
        f"--nodelist={','.join(there)}",
        "--ntasks-per-node=1",
        "--mem-per-cpu=64",
        "--time=5",
    )
    ran = as_person("srun", "--quiet", *nodes, "python3", "-c", LOOK)
    seen = dict(json.loads(line) for line in ran.stdout.splitlines() if line.startswith("["))
    if missing := sorted(set(there) - set(seen)):
        raise RefusedError(f"the configuration of {', '.join(missing)} cannot be read: {ran.stderr.strip()[-200:]}")
    return {**dict(sorted(seen.items())), "the job": terms}


def digest(seen: Configuration) -> str:
    """Return the digest of a configuration."""
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()[:16]


def changed(before: Configuration, now: Configuration) -> list[str]:
    """Return what is not as it was, by server."""
    return [
        f"{item} of {where}"
        for where, items in before.items()
        for item in sorted(items.keys() | now[where].keys())
        if items.get(item) != now[where].get(item)
    ]


def one_run(name: str, terms: dict, agreed: Terms, nodes: int) -> Ran:
    """Run once over all servers."""
    limit = int(agreed.minutes * 2) + SPARE_MINUTES
    run = Run(name, nodes).begin({**terms, "minutes": limit})
    outcome = run.end(limit * 60)
    if "failed" in outcome:
        raise RefusedError(f"{name}: {outcome['failed']}")
    return measured(run.curve(), outcome)


def measured(curve: list[Step], outcome: dict) -> Ran:
    """Return what a run came to, by the clock from its first step to its last."""
    seconds, steps = curve[-1].at - curve[0].at, curve[-1].step - curve[0].step
    rate = outcome["tokens"] / outcome["step"] * steps / seconds
    return Ran(rate, seconds / 60, outcome["restarts"], outcome["token_flops"], outcome["ranks"])


def judged(ran: list[Ran], agreed: Terms, frozen: str) -> dict:
    """Return the share of the agreed peak that the model used, and interruptions over what the model run would have had."""
    servers = len(ran[0].ranks)
    rates = [one.rate for one in ran]
    median = statistics.median(rates)
    apart = (max(rates) - min(rates)) / median
    share = median * ran[0].token_flops / (servers * agreed.server_tflops * 1e12)
    slow = ", ".join(slow_together(min(ran, key=lambda one: one.rate).ranks)) or "none"
    note = (
        f"the small job on processors, by gloo, over {servers} servers: median {median:.0f} tokens/s of {len(ran)} runs, which are"
        f" {apart:.1%} apart; peak of a server as agreed, {agreed.server_tflops:g} TFLOP/s; slow: {slow}; configuration {frozen}"
    )
    missed = shortcomings(ran, agreed, median, apart)
    hours = servers * sum(one.minutes for one in ran) / 60
    restarts = sum(one.restarts for one in ran)
    return {
        MFU: (None, f"{share:.3f} of the peak, but {', '.join(missed)}: {note}") if missed else (round(share, 4), note),
        INTERRUPTIONS: (
            round(restarts * GPU_HOURS / hours, 3),
            f"{restarts} interruptions in {hours:.3f} server-hours, a server counted as one GPU; configuration {frozen}",
        ),
    }


def shortcomings(ran: list[Ran], agreed: Terms, median: float, apart: float) -> list[str]:
    """Return in what the runs are not those of the contract."""
    found = []
    if (shortest := min(one.minutes for one in ran)) < agreed.minutes:
        found.append(f"a run took {shortest:.1f} min where {agreed.minutes:g} were agreed (more `steps` of the job)")
    if apart > agreed.spread:
        found.append(f"runs are {apart:.1%} apart where {agreed.spread:.1%} were agreed")
    if median < agreed.tokens_s * (1 - agreed.tolerance):
        found.append(
            f"{median:.0f} tokens/s miss the {agreed.tokens_s:g} that were agreed, with a tolerance of {agreed.tolerance:.1%}"
        )
    return found


if __name__ == "__main__":
    main()
