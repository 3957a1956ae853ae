"""What a meeting agrees is noted, seen by those whom it concerns, and closed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.project_time import project_now
from tests import commands
from tests.clusterwright.reported import CONTRACTOR, reported

pytestmark = pytest.mark.own_file


def test_an_action_item_goes_from_the_meeting_to_its_owner_and_back() -> None:
    with reported() as site:
        about = ("--due", project_now().date() + timedelta(days=2), "--as", "pm")
        site.run("action", "add", "Ask the crane firm", "--owner", "tech", "--activity", "010@pod-001", *about)
        site.run("action", "add", "Call the bank", "--owner", "sponsor", *about)

        assert [one["id"] for one in site.document("action", "list")] == ["A-0001", "A-0002"]
        (reminder,) = (one for one in site.document("reminders", "--person", "tech") if one["kind"] == "action")
        assert reminder["what"] == "010@pod-001: Ask the crane firm"
        assert reminder["command"] == "clusterwright action close A-0001"
        meeting = site.document("report", "meeting")["sections"]["Action items"]
        assert [(one["owner"], one["title"]) for one in meeting] == [
            ("tech", "Ask the crane firm"),
            ("sponsor", "Call the bank"),
        ]
        theirs = site.document("report", "meeting", "--organisation", CONTRACTOR)["sections"]["Action items"]
        assert [one["id"] for one in theirs] == ["A-0001"]

        site.run("action", "close", "A-0001", "--note", "they come on Saturday", "--as", "tech")
        assert "A-0001" not in site.run("action", "list")
        assert "they come on Saturday" in site.run("action", "list", "--all")
        again = commands.called(["action", "close", "A-0001", "--as", "tech", "--site", site.folder])
        assert (again.returncode, "A-0001 is closed already" in again.stderr) == (1, True)
