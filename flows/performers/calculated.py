"""What is kept of a calculation: one document, its sheets, and the evidence that shows the facts it used."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from flows.engine.state import Engine
from ledger.entries import Artifact
from ledger.evidence.store import is_intact, store
from ledger.questions.facts import FactNeedRow
from steps.design.calculations.calculation import Calculation, Figure
from steps.planning.activity import PlanActivity, PlanCriterion
from steps.value import value_text

PLAIN_BYTES = 16 * 1024 * 1024
"""A sheet larger than this is kept compressed: the cable schedule of a hundred thousand GPUs has 30 MB."""


def document(
    engine: Engine,
    activity: PlanActivity,
    calculation: Calculation,
    needs: list[FactNeedRow],
) -> dict[str, Any]:
    """Return the whole calculation: what went in, what came out and how, what is doubtful.

    The same input makes the same document.
    """
    return {
        "activity": activity.id,
        "title": activity.title,
        "site": engine.plan.site,
        "plan_revision": engine.revision,
        "inputs": _figures(calculation.inputs),
        "facts": _facts(needs),
        "results": _figures(calculation.results),
        "criteria": [_criterion(criterion) for criterion in activity.criteria],
        "findings": [finding._asdict() | {"numbers": dict(finding.numbers)} for finding in calculation.findings],
        "records": calculation.records,
    }


def _facts(needs: list[FactNeedRow]) -> dict[str, dict[str, Any]]:
    return {
        need.name: {
            "value": value_text(need.known.value),
            "unit": need.unit_of_measure,
            "by": need.known.by,
            "event": need.known.seq,
            "evidence": list(need.known.evidence),
        }
        for need in needs
        if need.known is not None
    }


def _criterion(criterion: PlanCriterion) -> dict[str, str | None]:
    return {
        "metric": criterion.metric,
        "op": criterion.op,
        "value": value_text(criterion.value),
        "unit": criterion.unit,
        "source": criterion.source,
    }


def _figures(figures: list[Figure]) -> dict[str, dict[str, str | None]]:
    return {
        figure.name: {
            "value": value_text(figure.value),
            "unit": figure.unit,
            "from": figure.source,
        }
        for figure in figures
    }


def keep(
    site_dir: Path,
    activity: PlanActivity,
    calculation: Calculation,
    content: dict[str, Any],
) -> list[Artifact]:
    """Keep a calculation's document and its sheets as evidence.

    The document's kind is the calculation's own. If it has none, it is the first that the policy wants and no sheet is.
    """
    sheets = {sheet.evidence for sheet in calculation.sheets}
    left = [kind for kind in activity.policy.evidence if kind not in sheets]
    kind = calculation.evidence or (left[0] if left else "calculation")
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    kept = [Artifact(store(site_dir, text.encode()), kind, f"{activity.step}-{activity.unit}.json")]
    for sheet in calculation.sheets:
        written, name = sheet.write().encode(), sheet.name
        if len(written) > PLAIN_BYTES:
            written, name = gzip.compress(written, mtime=0), f"{name}.gz"
        kept.append(Artifact(store(site_dir, written), sheet.evidence, name))
    return kept


def shown(
    site_dir: Path,
    needs: list[FactNeedRow],
    there: set[str],
) -> list[Artifact]:
    """Return the evidence of the facts, which becomes evidence of this attempt too.

    A person attached it once, for every attempt. `there` are the digests of what this attempt has already.
    """
    found: dict[str, Artifact] = {}
    for need in needs:
        if need.known is None:
            continue
        name = f"{need.name}, event {need.known.seq}"
        for digest in need.known.evidence:
            if digest not in there and is_intact(site_dir, digest):
                found.setdefault(digest, Artifact(digest, need.evidence, name))
    return list(found.values())
