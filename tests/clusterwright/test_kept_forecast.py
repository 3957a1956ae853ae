"""One forecast for all views: kept for a revision and the events until one, made again by what moves dates."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.engine.forecasting import ForecastKeeper
from ledger.questions.kept_forecast import FILE, kept_forecast
from ledger.questions.log import last_events
from ledger.reading import open_snapshot
from tests.commands import json_of
from tests.conftest import Command, project_time_at

ORDER = "001@site#gpu-server"
EARLY = ("--out-of-sequence", "the price holds until Friday")


def status(site: Path) -> dict[str, Any] | None:
    found: dict[str, Any] | None = json_of(site, "status")["forecast"]
    return found


def test_status_the_weekly_report_and_the_forecast_show_the_same(adopted: Path, command: Command) -> None:
    at_adoption = status(adopted)
    assert at_adoption is not None

    made = json_of(adopted, "forecast")

    seen = status(adopted)
    assert seen is not None
    assert (seen.pop("newer"), seen.pop("days_old")) == (0, 0)
    assert seen == {key: made[key] for key in seen}
    p80 = made["milestones"][0]["p80"]["date"][:10]
    for words in (("status",), ("report", "week")):
        said = command(*words, "--site", adopted).stdout
        assert f"P80 {p80}" in said
        assert f"as of event {made['event']}" in said


@pytest.mark.parametrize(
    "changed",
    [
        {"time_zone": "Nowhere/Nowhere"},
        {"time_zone": "../../etc/passwd"},
        {"finish": "2027-01-01T00:00:00"},
        {"milestones": []},
        {"slip_day_usd": 1e308},
        {"starts": {"071@site": "2027-01-01T00:00:00"}},
    ],
    ids=str,
)
def test_a_kept_forecast_that_was_damaged_is_none_and_is_made_again(
    adopted: Path, command: Command, changed: dict[str, Any]
) -> None:
    """It is a file of the folder, which colleagues may change. It stops no command: it says nothing that the record does not."""
    made = json_of(adopted, "forecast")
    kept = json.loads((adopted / FILE).read_text(encoding="utf-8"))
    (adopted / FILE).write_text(json.dumps(kept | changed), encoding="utf-8")

    for words in (("status",), ("list",), ("report", "week")):
        assert command(*words, "--site", adopted).returncode == 0, words
    assert status(adopted) is None

    assert json_of(adopted, "forecast")["finish"] == made["finish"]


def test_an_event_that_moves_dates_is_counted_and_a_comment_is_not(adopted: Path, command: Command) -> None:
    assert command("forecast", "--site", adopted).returncode == 0
    assert command("comment", "071@site", "see the drawing", "--as", "owner", "--site", adopted).returncode == 0
    seen = status(adopted)
    assert seen is not None
    assert seen["newer"] == 0

    begun = command("start", "071@site", "--as", "operator", "--site", adopted)

    assert begun.returncode == 0, begun.stderr
    seen = status(adopted)
    assert seen is not None
    assert seen["newer"] == 1
    assert (
        "1 event since then may change this forecast, and `clusterwright forecast` makes it again"
        in command("status", "--site", adopted).stdout
    )


def test_days_that_pass_move_dates_too(adopted: Path, command: Command) -> None:
    """Three weeks in which nobody recorded anything: go-live was said to be as planned."""
    made = datetime.fromisoformat(json_of(adopted, "forecast")["as_of"])
    with project_time_at(made + timedelta(days=21)):
        seen = status(adopted)
        assert seen is not None
        assert (seen["newer"], seen["days_old"]) == (0, 21)
        said = "21 days since then may change this forecast, and `clusterwright forecast` makes it again"
        assert said in command("status", "--site", adopted).stdout

        again = json_of(adopted, "forecast")

        seen = status(adopted)
        assert seen is not None
        assert (seen["days_old"], seen["finish"]) == (0, again["finish"])
        assert again["days_later"] > 14


def test_a_promise_says_at_once_what_it_moves(adopted: Path, command: Command) -> None:
    at = ("--as", "operator", "--site", adopted)
    before = json_of(adopted, "forecast")
    placed = command("order", ORDER, "--supplier", "ACME", "--reference", "PO 1", "--value", "9", *EARLY, *at)
    assert placed.returncode == 0, placed.stderr

    promised = command("promise", ORDER, "--on", "2031-01-06", "--reason", "allocation slipped", *at)

    assert promised.returncode == 0, promised.stderr
    after = status(adopted)
    assert after is not None
    assert after["newer"] == 0
    assert f"go-live {before['finish'][:10]} -> {after['finish'][:10]}" in promised.stderr
    assert "this delay costs about $" in promised.stderr


def test_what_moved_is_said_against_the_forecast_before(adopted: Path, command: Command) -> None:
    """An adopted plan is not blamed for an earlier delay, and what is taken back says what it moves as the entry did."""
    at = ("--as", "operator", "--site", adopted)
    command("order", ORDER, "--supplier", "ACME", "--reference", "PO 1", "--value", "9", *EARLY, *at)
    assert command("promise", ORDER, "--on", "2031-01-06", "--reason", "slipped", *at).returncode == 0
    late = status(adopted)
    assert late is not None

    again = command(
        *("plan", "adopt", "--baseline", "B1", "--reason", "agreed", "--yes", "--as", "owner", "--site", adopted)
    )

    assert f"go-live stays on {late['finish'][:10]}" in again.stderr
    with open_snapshot(adopted) as snapshot:
        (promise,) = last_events(snapshot, 1, subject=ORDER)
    corrected = command("correct", promise.seq, "--reason", "another order's", *at)
    assert corrected.returncode == 0, corrected.stderr
    assert f"go-live {late['finish'][:10]} -> " in corrected.stderr


def test_what_is_no_forecast_is_none_and_is_made_again(adopted: Path, command: Command) -> None:
    assert command("forecast", "--site", adopted).returncode == 0
    for text in ("", "{", "{}", '{"revision": "x"}', "\0" * 100):
        (adopted / FILE).write_text(text, encoding="utf-8")
        assert status(adopted) is None

    assert command("forecast", "--site", adopted).returncode == 0
    assert status(adopted) is not None


def test_the_kept_forecast_is_printed_where_the_same_would_be_made_again(adopted: Path, command: Command) -> None:
    def shown(*words: str) -> tuple[str, int]:
        """Return what `forecast` prints of a kept one that can be told from every other by what drives it."""
        kept = json.loads((adopted / FILE).read_text(encoding="utf-8"))
        (adopted / FILE).write_text(json.dumps(kept | {"critical": ["kept"]}), encoding="utf-8")
        said = json_of(adopted, "forecast", *words)
        return "kept" if said["critical"] == ["kept"] else "made", said["event"]

    event = json_of(adopted, "forecast")["event"]
    assert shown() == ("kept", event)
    assert shown("--seed", "2") == ("made", event)
    assert shown() == ("made", event)  # of seed 1 again
    assert shown("--samples", "300") == ("made", event)
    assert shown("--samples", "300") == ("kept", event)

    assert command("comment", "071@site", "see the drawing", "--as", "owner", "--site", adopted).returncode == 0
    assert shown("--samples", "300") == ("made", event + 1)


def test_the_forecast_of_another_day_is_made_again(adopted: Path) -> None:
    """Nothing was recorded, but time that passes moves dates."""
    made = json_of(adopted, "forecast")
    kept = json.loads((adopted / FILE).read_text(encoding="utf-8"))
    before = datetime.fromisoformat(kept["as_of"]) - timedelta(days=1)
    (adopted / FILE).write_text(json.dumps(kept | {"as_of": before.isoformat()}), encoding="utf-8")

    assert json_of(adopted, "forecast")["as_of"] >= made["as_of"]


@pytest.mark.usefixtures("second_day")
def test_progress_that_is_taken_over_is_in_the_forecast_at_once(
    adopted: Path, command: Command, tmp_path: Path
) -> None:
    """Or the first look at a site in mid-build had go-live a year late, with a hint to make it again."""
    rows = tmp_path / "progress.csv"
    rows.write_text("activity,state,started\n071@site,in_progress,2026-11-23T09:00\n", encoding="utf-8")

    done = command("import-progress", rows, "--yes", "--site", adopted, "--as", "owner")

    seen = status(adopted)
    assert seen is not None
    assert seen["newer"] == 0
    assert "1 rows recorded" in done.stderr
    assert "go-live" in done.stderr


def test_what_is_drawn_beside_the_forecast_has_its_dates_all_day(adopted: Path) -> None:
    """Working hours begin within a day: solved after that, go-live was days later than the forecast that every view showed."""
    with project_time_at(datetime(2026, 12, 1, 7, 30, tzinfo=UTC)):
        kept = json_of(adopted, "forecast", "--samples", "20")["finish"]
    with project_time_at(datetime(2026, 12, 1, 9, 30, tzinfo=UTC)):
        shown = status(adopted)
        chain = json_of(adopted, "why", "195", "--chain")["chain"]
        slip = json_of(adopted, "slip")

    assert shown is not None
    assert shown["finish"] == kept
    assert chain[-1]["finish"] == kept
    assert slip["forecast"] == kept


def test_a_page_as_of_the_last_event_has_the_dates_of_the_forecast_that_was_made_days_later(adopted: Path) -> None:
    """Its first lines had the kept forecast, and its tables the dates of the day of the event."""
    with project_time_at(datetime(2026, 12, 4, 9, 30, tzinfo=UTC)):
        kept = json_of(adopted, "forecast", "--samples", "20")
        then = json_of(adopted, "slip", "--as-of", str(kept["event"]))

    assert then["forecast"] == kept["finish"]


def test_a_forecast_of_an_earlier_plan_is_not_shown(adopted: Path, command: Command) -> None:
    assert command("forecast", "--site", adopted).returncode == 0
    kept = json.loads((adopted / FILE).read_text(encoding="utf-8"))
    (adopted / FILE).write_text(json.dumps(kept | {"revision": kept["revision"] + 1}), encoding="utf-8")

    assert status(adopted) is None


def test_only_the_account_that_runs_the_site_can_read_it(adopted: Path, command: Command) -> None:
    assert command("forecast", "--site", adopted).returncode == 0

    assert (adopted / FILE).stat().st_mode & 0o777 == 0o600
    assert not list((adopted / FILE).parent.glob("forecast.*[0-9]"))


def ended() -> None:
    """Wait for the forecast that an engine makes beside its work, if there is one."""
    for thread in threading.enumerate():
        if thread.name == "forecast":
            thread.join()


def test_an_engine_keeps_it_up_to_date(adopted: Path) -> None:
    said: list[str] = []
    (adopted / FILE).unlink()
    keeper = ForecastKeeper(adopted, said.append)
    with open_snapshot(adopted) as snapshot:
        keeper.look(snapshot)
        ended()

        kept = kept_forecast(snapshot)
        assert kept is not None
        assert kept.since == ""

    tomorrow = snapshot.now + timedelta(days=1)
    with open_snapshot(adopted, tomorrow) as snapshot:
        ForecastKeeper(adopted, said.append).look(snapshot)
        ended()
        kept = kept_forecast(snapshot)
        assert kept is not None
        assert kept.forecast.as_of == tomorrow, "nothing was recorded, and a day has passed"

    (adopted / FILE).unlink()
    with open_snapshot(adopted) as snapshot:
        keeper.look(snapshot)  # once in a minute is enough
        ended()
        assert kept_forecast(snapshot) is None
    assert said == []


def test_an_activity_says_which_crew_it_waits_for(adopted: Path, command: Command) -> None:
    plan = json_of(adopted, "plan", "--samples", "20")
    waiting = next(one for one in plan["activities"] if one["dates"] and one["dates"]["crew_wait_h"] > 8)

    said = command("show", waiting["id"], "--site", adopted).stdout

    dates = waiting["dates"]
    assert f"for a crew of {waiting['role']}, which comes from {dates['driving']}" in said
    assert f"with unlimited crews it starts {dates['unlimited_start'][:10]}" in said


def test_a_forecast_has_the_earned_value_of_orders(adopted: Path, command: Command) -> None:
    """What is bought and not here is late by its value, once the plan has it here."""
    at = ("--as", "operator", "--site", adopted)
    placed = command(
        *("order", ORDER, "--supplier", "ACME", "--reference", "PO 1", "--value", "9000000", *EARLY, *at),
    )
    assert placed.returncode == 0, placed.stderr

    said = command("forecast", "--samples", "20", "--site", adopted)
    found = json_of(adopted, "forecast", "--samples", "20")

    (ordered,) = found["ordered_value"]
    assert (ordered["currency"], ordered["total"], float(ordered["received"])) == ("USD", "9000000", 0)
    assert "USD 0 of 9,000,000 ordered are received, 0 were planned by now" in said.stdout
