"""Witnesses, reminders and the table of who may do what, on the command line."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from ledger.account import machine_account
from ledger.project_time import project_now
from ledger.subjects.plan.decisions import adopt_plan
from tests.commands import at
from tests.conftest import Command
from tests.ledger.conftest import PEOPLE, activity, begun, small_plan

TEST = "301@site"


@pytest.fixture
def ask(site: Path) -> Command:
    """Run a command at a site with a witnessed test; hold its exit code against the one expected."""
    account = machine_account()
    people = [{"id": k, "name": n, "roles": r, "account": account} for k, (n, r) in PEOPLE.items()]
    test = activity(TEST, policy={"witness": {"roles": ["sponsor", "visitor"], "notice_h": 16}})
    plan = small_plan(people=people, activities=[*small_plan().model_dump()["activities"], test])
    with begun(site, project_now) as made:
        adopt_plan(made, "pm", plan, reason="first plan")
    return partial(at, site)


def test_witnesses_are_invited_noted_and_named_by_the_sign_off(ask: Command) -> None:
    refused = ask("start", TEST, "--as", "tech", rc=1).stderr
    assert "they were not invited yet" in refused
    assert f"clusterwright witness {TEST} --for" in refused
    assert f"clusterwright witness {TEST} --for DATE" in ask("why", TEST).stdout
    soon = f"{project_now() + timedelta(hours=1):%Y-%m-%dT%H:%M}"
    assert "16 working hours' notice" in ask("witness", TEST, "--for", soon, "--as", "tech", rc=1).stderr
    today = project_now().date()

    said = ask("witness", TEST, "--for", today + timedelta(days=3), "--as", "tech").stderr
    assert f"sponsor, visitor invited for {today + timedelta(days=4)} 00:00" in said
    ask("witness", TEST, "--attended", "sponsor", "--as", "sponsor")
    assert "not yet here: visitor" in ask("start", TEST, "--as", "tech", rc=1).stderr
    ask("witness", TEST, "--absent", "visitor", "--note", "on leave", "--as", "guest")
    ask("start", TEST, "--as", "tech")
    ask("finish", TEST, "--as", "tech")
    ask("sign", TEST, "--as", "lead")

    words = "witnessed by sponsor (sponsor); invited as witness, did not attend: visitor"
    assert words in ask("show", TEST).stdout
    assert json.loads(ask("show", TEST, "--json").stdout)["sign_offs"][0]["witnessed"] == words
    held = json.loads(ask("witness", TEST, "--json").stdout)
    assert [(w["role"], w["witness"], w["note"]) for w in held["witnesses"]] == [
        ("sponsor", "sponsor", ""),
        ("visitor", None, "on leave"),
    ]
    assert "witness visitor: did not attend, noted by guest" in ask("witness", TEST).stdout


def test_another_date_waits_for_all_again(ask: Command) -> None:
    """A witness who excused himself from the first date was invited to the second, and the work could begin before it."""
    today = project_now().date()
    ask("witness", TEST, "--for", today + timedelta(days=3), "--as", "tech")
    ask("witness", TEST, "--absent", "visitor", "--note", "train cancelled", "--as", "guest")
    ask("witness", TEST, "--attended", "sponsor", "--as", "sponsor")

    ask("witness", TEST, "--for", today + timedelta(days=5), "--as", "tech")

    assert "not yet here: sponsor, visitor" in ask("start", TEST, "--as", "tech", rc=1).stderr
    assert "did not attend" not in ask("witness", TEST).stdout


def test_one_thing_at_a_time_and_only_what_is_asked(ask: Command) -> None:
    assert "one thing at a time" in ask("witness", TEST, "--for", "2027-01-01", "--absent", "visitor", rc=2).stderr
    assert "invites no witnesses" in ask("witness", "001@site").stdout
    assert "is not a date" in ask("witness", TEST, "--for", "soon", "--as", "tech", rc=2).stderr
    assert "may not invite" in ask("witness", TEST, "--for", "2027-01-01", "--as", "guest", rc=1).stderr


def test_reminders_say_who_does_what(ask: Command) -> None:
    rows = json.loads(ask("reminders", "--json").stdout)
    notice = next(row for row in rows if row["kind"] == "notice")
    assert (notice["person"], notice["subject"], notice["urgency"]) == ("tech", TEST, "due")
    assert {row["person"] for row in json.loads(ask("reminders", "--person", "tech", "--json").stdout)} == {"tech"}
    assert "overdue" in ask("reminders").stdout
    assert "nobody is to be reminded" in ask("reminders", "--person", "guest", "--days", "0").stderr
    assert "people: pm" in ask("reminders", "--person", "nobody", rc=2).stderr


def test_the_table_of_who_may_do_what_is_shown_whole_and_for_one(ask: Command) -> None:
    rows = {row["action"]: row for row in json.loads(ask("authority", "access", "--json").stdout)}
    assert rows["na"]["may"] == ["owner-pm", "sponsor", "architect"]
    assert rows["sign"]["never"] == "who did the work, where the sign-off separates them"
    guest = {row["action"] for row in json.loads(ask("authority", "access", "--person", "guest", "--json").stdout)}
    assert "na" not in guest
    assert {"comment", "sign"} <= guest
    assert "break glass" in ask("authority", "access").stdout
    assert "not both" in ask("authority", "access", "--role", "buyer", "--person", "pm", rc=2).stderr
