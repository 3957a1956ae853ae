"""The exchange of a team in an S3-compatible bucket, against a server that speaks S3 over HTTP, beside one in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.team.exchange import BUNDLE, ENDED, TAKEN, Exchange, report_name
from flows.team.exchange_address import exchange_at
from flows.team.live_copy import copied
from flows.team.worker_file import Worker
from ledger.evidence import objects
from ledger.evidence.live_output import OBJECT, Tail, live_log
from ledger.trust.audit import audit
from schedule.errors import InputError, UnreachableError
from tests.commands import run
from tests.flows.conftest import until
from tests.flows.team_site import LOGIN, TeamSite
from tests.flows.test_slices import END, HOSTS, NAME, Trial, of_host
from tests.needs import needs, needs_postgres
from tests.postgres_server import ON_POSTGRES, Server
from tests.s3_server import ACCOUNT, bucket_at, keys_of

AT = "s3://team-exchange/site-a"
"""The address, as site.yaml and worker.yaml state it."""


@pytest.fixture
def s3(s3_address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a client, with an empty bucket. The environment names the server, as a team's accounts have it."""
    for name, value in (ACCOUNT | {"AWS_ENDPOINT_URL": s3_address, "AWS_DEFAULT_REGION": "us-east-1"}).items():
        monkeypatch.setenv(name, value)
    objects.client_of.cache_clear()
    with bucket_at(s3_address, "team-exchange") as client:
        yield client
    objects.client_of.cache_clear()


@pytest.fixture(params=["folder", "bucket"])
def exchange(request: pytest.FixtureRequest, tmp_path: Path) -> Exchange:
    """Return an exchange: whichever it is, it does the same."""
    if request.param == "bucket":
        request.getfixturevalue("s3")
        return exchange_at(tmp_path, AT)
    (tmp_path / "exchange").mkdir()
    return exchange_at(tmp_path, "exchange")


def test_of_two_workers_the_first_has_the_slice(exchange: Exchange) -> None:
    exchange.open(NAME)

    assert exchange.get(NAME, TAKEN) is None
    assert exchange.put_once(NAME, TAKEN, b"first")
    assert not exchange.put_once(NAME, TAKEN, b"second")
    assert exchange.get(NAME, TAKEN) == b"first"


def test_a_file_takes_the_place_of_an_earlier_one(exchange: Exchange) -> None:
    exchange.open(NAME)
    for content in (b"one", b"two"):
        exchange.put(NAME, BUNDLE, content)
        exchange.introduce("worker-1", content)

    assert exchange.get(NAME, BUNDLE) == exchange.introduced("worker-1") == b"two"
    assert exchange.introduced("worker-2") is None


def test_an_object_that_says_nonsense_of_its_beginning_holds_nobody_up(tmp_path: Path, s3: Any) -> None:
    """Or what looks after the lease of a slice would end, and the slice go on without one."""
    exchange = exchange_at(tmp_path, AT)
    exchange.open(NAME)
    key = f"site-a/slices/{NAME}/{TAKEN}"
    s3.put_object(Bucket="team-exchange", Key=key, Body=b"first", Metadata={"begins": "nowhere"})

    assert exchange.got(NAME, TAKEN) == b"first"


def test_what_is_too_long_is_neither_read_nor_written(exchange: Exchange, monkeypatch: pytest.MonkeyPatch) -> None:
    """One account of the team could have all memory of the others' machines taken."""
    exchange.open(NAME)
    exchange.put(NAME, BUNDLE, b"12345")
    monkeypatch.setattr(objects, "LONGEST", 4)

    with pytest.raises(UnreachableError, match="has 5 bytes; the limit is 4"):
        exchange.get(NAME, BUNDLE)
    with pytest.raises(UnreachableError, match="has 5 bytes; the limit is 4"):
        exchange.put(NAME, BUNDLE, b"12345")


def test_nothing_is_written_for_a_slice_that_is_over(exchange: Exchange) -> None:
    exchange.open(NAME)
    exchange.put(NAME, BUNDLE, b"one")
    exchange.remove(NAME)

    assert not exchange.is_open(NAME)
    assert exchange.get(NAME, BUNDLE) is None
    for write in (exchange.put, exchange.put_once):
        with pytest.raises(UnreachableError, match=f"no slice {NAME}"):
            write(NAME, ENDED, b"")
    assert exchange.slices() == []


def test_the_slices_of_a_run_are_found_among_all(exchange: Exchange) -> None:
    other = "engine-run-00010.0123abcd"
    for name in (other, NAME):
        exchange.open(name)
    exchange.introduce("worker-1", b"")

    assert exchange.slices() == sorted([NAME, other])
    assert exchange.slices("engine-run-0001") == [NAME]


@pytest.mark.parametrize("name", ["../site.0123abcd", "a/b.0123abcd", "", "run"])
def test_a_name_that_leads_elsewhere_is_refused(exchange: Exchange, name: str) -> None:
    for ask in (exchange.open, exchange.is_open, exchange.remove):
        with pytest.raises(InputError, match="no name of a slice"):
            ask(name)
    with pytest.raises(InputError):
        exchange.get(name, TAKEN)


def test_a_slice_goes_over_a_bucket_and_comes_back(tmp_path: Path, s3: Any) -> None:
    trial = Trial(tmp_path, AT)
    trial.take("worker-1")
    until(lambda: trial.exchange.get(NAME, BUNDLE), seconds=10)
    trial.write("worker-1", report_name(1), {"events": [*map(of_host, HOSTS), *END]})
    trial.write("worker-1", ENDED)

    result = trial.ended()
    assert (result.status, [host.host for host in result.hosts]) == ("ok", list(HOSTS))
    assert keys_of(s3, "team-exchange") == []


def test_a_bucket_that_does_not_answer_for_a_while_holds_a_slice_up(tmp_path: Path, s3: Any) -> None:
    trial = Trial(tmp_path, AT)
    trial.take("worker-1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objects, "client_of", _silent)
        with pytest.raises(AssertionError):
            until(lambda: trial.result is not None or trial.fault, seconds=1)
    trial.write("worker-1", report_name(1), {"events": [*map(of_host, HOSTS), *END]})
    trial.write("worker-1", ENDED)

    assert trial.ended().status == "ok"


def test_who_waits_for_a_file_asks_again_where_the_bucket_does_not_answer(tmp_path: Path, s3: Any) -> None:
    exchange = exchange_at(tmp_path, AT)
    exchange.open(NAME)
    exchange.put(NAME, BUNDLE, b"sealed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objects, "client_of", _silent)
        assert exchange.got(NAME, BUNDLE) is None
        with pytest.raises(UnreachableError):
            exchange.get(NAME, BUNDLE)
    assert exchange.got(NAME, BUNDLE) == b"sealed"


def _silent(*_: object) -> Any:
    raise UnreachableError("the bucket does not answer")


def test_a_screen_elsewhere_sees_what_a_run_prints(tmp_path: Path, s3: Any) -> None:
    log = tmp_path / "log"
    log.write_text("TASK one\n")
    (tmp_path / "site.yaml").write_text(f"name: site\nteam: {{exchange: {AT}}}\n")
    tail, printed = Tail(live_log(tmp_path, "run-0001")), list[str]()

    def last() -> str:
        printed.extend(tail.lines())
        return printed[-1] if printed else ""

    assert last() == ""
    with copied(log, exchange_at(tmp_path, AT), "site", "run-0001"):
        until(lambda: last() == "TASK one", seconds=10)
        with log.open("a") as file:
            file.write("x" * OBJECT + "\nTASK two\n")
        until(lambda: last() == "TASK two", seconds=10)
        assert tail.is_cut, "of a long output the bucket has the end"
        assert str(tail.log) == "live/site-run-0001.log in the bucket team-exchange"
    until(lambda: keys_of(s3, "team-exchange") == [], seconds=10)


@pytest.mark.parametrize("stated", ["s3://", "s3://Team_Exchange", "s3://team-exchange/../other"])
def test_an_address_that_names_no_bucket_is_said_with_its_line(tmp_path: Path, stated: str) -> None:
    text = f"name: w\nsite: site\nprefect: http://127.0.0.1/api\nexchange: {stated}\n"
    (tmp_path / "worker.yaml").write_text(text)
    with pytest.raises(InputError, match=r"worker.yaml:4: .*names no bucket: write it as s3://bucket"):
        Worker(tmp_path)


def test_a_bucket_that_is_not_there_is_said(tmp_path: Path, s3: Any) -> None:
    with pytest.raises(UnreachableError, match="the exchange bucket 'another-bucket' does not answer as it should"):
        exchange_at(tmp_path, "s3://another-bucket").slices()


@pytest.mark.long
@needs("redis-server")
@needs_postgres
@pytest.mark.timeout(600)
@pytest.mark.xdist_group("team")
def test_a_team_without_a_shared_file_system_runs_a_step(tmp_path: Path, postgres: Server, s3: Any) -> None:
    """Two workers, five hosts in slices of two: dispatcher, workers and `doctor` have the bucket alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ON_POSTGRES, "yes")
        site = TeamSite(tmp_path, postgres, hosts=5, exchange=AT, slice_hosts=2)
        try:
            site.serve()
            for name in ("worker-1", "worker-2"):
                site.add_worker(name)
            site.dispatch()
            for name in ("worker-1", "worker-2"):
                site.work(name)
            until(lambda: site.states()["200@pod-001"] == "done", seconds=240)

            worked = sorted((one.host, one.begun, one.ended) for one in site.witness.stretches())
            assert worked == [(host, 1, 1) for host in site.hosts]
            until(lambda: keys_of(s3, "team-exchange") == [f"site-a/workers/worker-{n}" for n in (1, 2)], seconds=60)
            looked = run(["doctor", "--engine", "--json", "--site", site.site], env={"PREFECT_API_AUTH_STRING": LOGIN})
            workers = json.loads(looked.stdout)["team"]["workers"]
            assert [(one["name"], one["free"]) for one in workers] == [("worker-1", 1), ("worker-2", 1)]
            assert not audit(site.site)
        finally:
            site.end()
