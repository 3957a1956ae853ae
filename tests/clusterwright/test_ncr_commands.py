"""Non-conformances on the command line, from the rejection to the closing."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from ledger.account import machine_account
from ledger.project_time import project_now
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.work.decisions import finish, start
from tests.commands import at
from tests.conftest import Command
from tests.ledger.conftest import PEOPLE, begun, small_plan


@pytest.fixture
def quality(site: Path) -> Command:
    """Run a command at a site where class A work was rejected and done again; hold its exit code against the one expected."""
    account = machine_account()
    people = [{"id": k, "name": n, "roles": r, "account": account} for k, (n, r) in PEOPLE.items()]
    held = small_plan().model_dump()["activities"]
    activities = [a | ({"ncr_class": "A"} if a["id"] == "001@site" else {}) for a in held]
    with begun(site, project_now) as made:
        adopt_plan(made, "pm", small_plan(people=people, activities=activities), reason="first plan")
        start(made, "tech", "001@site")
        finish(made, "tech", "001@site")
        reject(made, "lead", "001@site", "no second quote")
        finish(made, "tech", "001@site")
    return partial(at, site)


def test_what_belongs_to_an_earlier_attempt_says_so(quality: Command, tmp_path: Path) -> None:
    """Who reads "rejected by" or a file's name would take it for a fact of this attempt."""
    note = tmp_path / "note.txt"
    note.write_text("seen", encoding="utf-8")
    quality("attach", "001@site", "--kind", "quote", "--file", note, "--as", "tech")
    quality("reject", "001@site", "--reason", "no third one", "--as", "lead")
    quality("attach", "001@site", "--kind", "quote", "--file", note, "--as", "guest")
    quality("assign", "001@site", "--to", "tech", "--as", "pm")

    said = quality("show", "001@site").stdout

    assert "technician · with tech · attempt 3" in said
    assert ", of attempt 1 (recorded) no second quote\n" in said
    assert ", of attempt 2 (recorded) no third one\n" in said
    evidence = [line for line in said.splitlines() if line.startswith("evidence quote")]
    assert [line.partition(" by ")[2] for line in evidence] == ["tech, of attempt 2", "guest"]


def test_a_class_a_is_listed_decided_closed_and_only_then_lets_the_work_pass(quality: Command) -> None:
    assert "no second quote" in quality("ncr", "list").stdout
    assert "NCR-0001 (class A) closed: no second quote" in quality("why", "001@site").stdout
    refused = quality("sign", "001@site", "--as", "lead", rc=1).stderr
    assert "class A non-conformances are open: NCR-0001" in refused
    assert "clusterwright ncr show NCR-0001" in refused
    quality("ncr", "close", "NCR-0001", "--as", "lead", rc=2)

    today = project_now().date()
    words = ("ncr", "disposition", "NCR-0001", "rework", "--owner", "tech", "--as", "tech", "--due")
    refused = quality(*words, today - timedelta(days=2), rc=2).stderr
    assert "is over; it cannot be made good by then\n  --due" in refused
    due = today + timedelta(days=2)
    quality(*words, due)

    (row,) = json.loads(quality("punch", "--json").stdout)
    assert (row["id"], row["owner"], row["due"], row["overdue"]) == ("NCR-0001", "tech", due.isoformat(), False)
    assert "+00:00" not in quality("ncr", "show", "NCR-0001").stdout  # times are the site's, as everywhere
    shown = json.loads(quality("ncr", "show", "NCR-0001", "--json").stdout)
    assert (shown["ncr_class"], shown["decided"], shown["owner"]) == ("A", "rework", "tech")
    printed = quality("ncr", "show", "NCR-0001").stdout
    assert re.search(r"^class +A$", printed, re.MULTILINE)
    assert re.search(r"^opened at +\d{4}-\d\d-\d\d \d\d:\d\d$", printed, re.MULTILINE), "a time as on every page"
    quality("ncr", "close", "NCR-0001", "--as", "lead")
    quality("sign", "001@site", "--as", "lead")
    for verb in ("ncr list", "punch"):
        nothing = quality(*verb.split())
        assert (nothing.stdout, nothing.stderr) == ("", "nothing is open\n"), "what is no data is on stderr"
    assert json.loads(quality("ncr", "list", "--all", "--json").stdout)[0]["disposition"] == "rework"


def test_what_is_wrong_with_a_decision_is_said(quality: Command) -> None:
    unknown = quality("ncr", "show", "NCR-0009", rc=2).stderr
    assert "there is no non-conformance 'NCR-0009'" in unknown
    assert "is no disposition" in quality("ncr", "disposition", "NCR-0001", "forget", "--as", "pm", rc=2).stderr
    assert "needs a reason" in quality("ncr", "disposition", "NCR-0001", "use-as-is", "--as", "pm", rc=2).stderr
    refused = quality("ncr", "disposition", "NCR-0001", "rework", "--as", "guest", rc=1).stderr
    assert "guest (visitor) may not decide on NCR-0001" in refused
    assert "roles that may: network-lead, owner-pm, sponsor, technician" in refused


def test_a_waiver_needs_a_criterion_that_is_unmet(quality: Command) -> None:
    refused = quality("waive", "001@site", "--reason", "later", "--due", "2027-01-31", "--as", "lead", rc=2).stderr

    assert "001@site has no unmet criterion to waive" in refused
