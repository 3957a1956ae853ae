"""A small data-parallel training job on processors (PyTorch with gloo) that shows what the instruments can.

A classifier learns synthetic tokens that its seed makes, so that a run can be repeated to the last digit. Every rank writes
checkpoints into the run's folder, which is on its own disk, or shared if Slurm runs the job. When a rank is lost the others end; the
service or the job starts them again, and once all are back the newest whole checkpoint of any of them is sent to all.
`train.py RUN_FILE` reads its terms from a JSON file: `run`, `steps`, outside Slurm `hosts` and `master`, and what of `TERMS` is to be
different. The first rank keeps the loss of each step in `curve.jsonl`.
"""

import json
import os
import pickle
import queue
import socket
import statistics
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from training_metrics import Profile, Report, Tracking

VOCABULARY, LENGTH, CLASSES, READY_BATCHES, VALIDATION = 64, 16, 4, 4, 1024
GAVE_UP, NO_CHECKPOINT = 75, 65
PARTS = {"step", "tokens", "restarts", "checkpoints", "taken_in", "model", "optimizer", "random"}
ROUNDS, PINGS = 8, 5
TERMS = {
    "code": "train-3",
    "seed": 7,
    "batch": 32,
    "accumulate": 1,
    "shards": 0,
    "width": 32,
    "dropout": 0.0,
    "learning_rate": 0.05,
    "warm_up_steps": 0,
    "checkpoint_every": 20,
    "log_every": 10,
    "profile_steps": [],
    "step_s": 0.02,
    "slow_rank": -1,
    "slow_rank_s": 0.0,
    "slow_source_s": 0.0,
    "patience_s": 20,
    "port": 29500,
    "tracking_url": "",
    "textfile_dir": "/var/lib/prometheus/node-exporter",
}


class Classifier(nn.Module):
    """Embeds tokens, averages them and says which class they are of."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, CLASSES))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return a score for each class."""
        return self.layers(self.dropout(self.embedding(tokens).mean(dim=1)))


class CheckpointError(Exception):
    """Checkpoints were written, and none of them is whole."""


def place(terms: dict) -> tuple[int, int, str]:
    """Return this process's rank, how many there are, and the host of the first: by Slurm, or by the run's terms."""
    if "SLURM_PROCID" in os.environ:
        return int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"]), os.environ["TRAINING_MASTER"]
    return terms["hosts"].index(socket.gethostname()), len(terms["hosts"]), terms["master"]


def partner(rank: int, ranks: int, turn: int) -> int:
    """Return with whom a rank is paired in a turn of a round robin. One that is `ranks` or higher is nobody."""
    last = ranks - 1 + ranks % 2
    if rank == last:
        return next(other for other in range(last) if (turn - other) % last == other)
    other = (turn - rank) % last
    return last if other == rank else other


def batch_of(seed: int, number: int, rank: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the batch with this number for a rank. The same number returns the same batch."""
    made = torch.Generator().manual_seed(seed * 1_000_003 + number * 131 + rank)
    tokens = torch.randint(VOCABULARY, (size, LENGTH), generator=made)
    return tokens, (tokens.sum(dim=1) * CLASSES // (VOCABULARY * LENGTH)).clamp(0, CLASSES - 1)


class Loader:
    """Makes batches of a rank's shards ahead in a thread; knows how long it was waited for and what it cost."""

    def __init__(self, terms: dict, shards: range, first: int) -> None:
        self._terms, self._shards = terms, shards
        self.cpu_s = 0.0
        self.ready: queue.Queue = queue.Queue(READY_BATCHES)
        threading.Thread(target=self._fill, args=(first,), daemon=True).start()

    def _fill(self, first: int) -> None:
        for number in range(first, self._terms["steps"] * self._terms["accumulate"]):
            for shard in self._shards:
                time.sleep(self._terms["slow_source_s"])
                self.ready.put(batch_of(self._terms["seed"], number, shard, self._terms["batch"]))
                self.cpu_s = time.thread_time()

    def next(self) -> tuple[torch.Tensor, torch.Tensor, float]:
        """Return the next batch, and the seconds spent waiting for it."""
        begun = time.monotonic()
        tokens, classes = self.ready.get()
        return tokens, classes, time.monotonic() - begun


class Job:
    """One rank of the run."""

    def __init__(self, terms: dict, folder: Path) -> None:
        self.terms, self.folder = terms, folder
        self.rank, self.ranks, self.master = place(terms)
        # the data of a step is in as many shards whatever the number of ranks, which share them
        self.all_shards = terms["shards"] or self.ranks
        self.shards = range(self.rank, self.all_shards, self.ranks)
        self.checkpoint_file = folder / f"checkpoint-{self.rank}.pt"
        torch.manual_seed(terms["seed"])
        self.model = Classifier(terms["width"], terms["dropout"])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=terms["learning_rate"], momentum=0.9)
        self.step, self.tokens, self.restarts, self.checkpoints = 0, 0, 0, 0
        self.taken_in = 0
        self.compute_s: list[float] = []
        self.checkpointed, self.interval_s = time.time(), 0.0
        labels = {"run": terms["run"], "rank": str(self.rank), "code": terms["code"], "data": f"seed-{terms['seed']}"}
        self.report = Report(Path(terms["textfile_dir"]), labels)
        self.tracking = Tracking("", "", "")
        self.loss = self.norm = 0.0

    def resume(self) -> None:
        """Let all ranks go on from the newest checkpoint that any of them has."""
        mine, why = self.kept()
        known: list = [None] * self.ranks
        dist.all_gather_object(known, (mine["step"] if mine else 0, why))
        newest = max(range(self.ranks), key=lambda rank: known[rank][0])
        if not known[newest][0]:
            if damaged := [why for _, why in known if why]:
                raise CheckpointError("; ".join(damaged))
            return
        given = [mine if self.rank == newest else None]
        dist.broadcast_object_list(given, src=newest)
        state = given[0]
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.tokens, self.checkpoints = state["step"], state["tokens"], state["checkpoints"]
        self.restarts = state["restarts"] + 1
        self.taken_in = state["taken_in"]
        torch.set_rng_state(state["random"][self.rank])
        print(f"rank {self.rank} resumes at step {self.step} from the checkpoint of rank {newest}", flush=True)

    def kept(self) -> tuple[dict | None, str]:
        """Return this rank's checkpoint, or None and what is wrong with the one that is there."""
        if not self.checkpoint_file.exists():
            return None, ""
        try:
            state = torch.load(self.checkpoint_file)
        except (RuntimeError, EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            why = f"cannot be read: {str(error).splitlines()[0][:100]}"
        else:
            if not (missing := PARTS - state.keys()):
                return state, ""
            why = f"lacks {', '.join(sorted(missing))}"
        why = f"{self.checkpoint_file.name} {why}"
        print(f"rank {self.rank}: {why}", file=sys.stderr, flush=True)
        return None, why

    def random_states(self) -> list[torch.Tensor]:
        """Return the random state of every rank, so that the checkpoint of one is enough for all."""
        mine = torch.get_rng_state()
        states = [torch.empty_like(mine) for _ in range(self.ranks)]
        dist.all_gather(states, mine)
        return states

    def checkpoint(self) -> None:
        """Write a checkpoint that is whole or not there, and say how long it took."""
        begun, self.checkpoints = time.monotonic(), self.checkpoints + 1
        part = self.checkpoint_file.with_suffix(".part")
        kept = {"step": self.step, "tokens": self.tokens, "restarts": self.restarts, "checkpoints": self.checkpoints}
        kept |= {"taken_in": self.taken_in, "random": self.random_states()}
        with part.open("wb") as file:
            torch.save({**kept, "model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.checkpoint_file)
        now = time.time()
        self.interval_s, self.checkpointed = now - self.checkpointed, now
        self.report.set(
            checkpoint_total=self.checkpoints,
            checkpoint_seconds=time.monotonic() - begun,
            checkpoint_bytes=self.checkpoint_file.stat().st_size,
            checkpoint_timestamp_seconds=now,
            checkpoint_interval_seconds=self.interval_s,
        )

    def train(self) -> None:
        """Take every step that is left."""
        loader = Loader(self.terms, self.shards, self.step * self.terms["accumulate"])
        profile = Profile(self.folder, self.terms["profile_steps"])
        while self.step < self.terms["steps"]:
            self.take_step(loader)
            profile.stepped(self.step)
            if self.step % self.terms["checkpoint_every"] == 0 or self.step == self.terms["steps"]:
                self.checkpoint()

    def take_step(self, loader: Loader) -> None:
        """Take one step, and report where its time went."""
        begun, waited, loss = time.monotonic(), 0.0, torch.zeros(())
        parts = self.terms["accumulate"] * len(self.shards)
        all_parts = self.terms["accumulate"] * self.all_shards
        self.warm_up()
        self.optimizer.zero_grad()
        for _ in range(parts):
            tokens, classes, wait = loader.next()
            waited += wait
            self.taken_in += tokens.numel()
            part = nn.functional.cross_entropy(self.model(tokens), classes) / all_parts
            part.backward()
            loss += part.detach()
        slow = self.terms["slow_rank_s"] if self.rank == self.terms["slow_rank"] else 0.0
        time.sleep(self.terms["step_s"] * len(self.shards) + slow)
        compute = time.monotonic() - begun - waited
        self.compute_s.append(compute)
        collective = self.sum_gradients(loss)
        self.norm = float(nn.utils.clip_grad_norm_(self.model.parameters(), 1e9))
        self.optimizer.step()
        self.step += 1
        samples = self.terms["batch"] * all_parts
        self.tokens += samples * LENGTH
        took = time.monotonic() - begun
        flops = self.sample_flops() * samples
        self.report.set(
            active=1,
            step=self.step,
            last_step_timestamp_seconds=time.time(),
            loss=self.loss,
            learning_rate=self.optimizer.param_groups[0]["lr"],
            gradient_norm=self.norm,
            samples_per_second=samples / took,
            tokens_per_second=samples * LENGTH / took,
            tokens_total=self.tokens,
            model_flops_per_second=flops / took,
            step_seconds=took,
            compute_seconds=compute,
            collective_seconds=collective,
            loader_wait_seconds=waited,
            loader_wait_share=waited / took,
            loader_cpu_seconds_total=loader.cpu_s,
            loader_queue_depth=loader.ready.qsize(),
            restarts=self.restarts,
        )
        if self.step % self.terms["log_every"] == 0 or self.step == self.terms["steps"]:
            self.tell(samples / took)
        if self.rank == 0:
            self.keep_loss()

    def keep_loss(self) -> None:
        """Add this step to the curve."""
        with (self.folder / "curve.jsonl").open("a", encoding="utf-8") as curve:
            curve.write(
                json.dumps({"step": self.step, "loss": self.loss, "at": time.time(), "restarts": self.restarts}) + "\n"
            )

    def sample_flops(self) -> int:
        """Return the floating-point operations that the model needs for a sample, forward and backward."""
        return 6 * sum(p.numel() for p in self.model.layers.parameters())

    def warm_up(self) -> None:
        """Let the learning rate rise evenly to its height over the first steps."""
        share = min(1.0, (self.step + 1) / max(1, self.terms["warm_up_steps"]))
        self.optimizer.param_groups[0]["lr"] = self.terms["learning_rate"] * share

    def sum_gradients(self, loss: torch.Tensor) -> float:
        """Add up every rank's part of gradients and loss in one message. Return the seconds that it took."""
        begun = time.monotonic()
        parts = [p.grad for p in self.model.parameters()]
        flat = torch.cat([*(part.flatten() for part in parts), loss.flatten()])
        dist.all_reduce(flat)
        at = 0
        for part in parts:
            part.copy_(flat[at : at + part.numel()].view_as(part))
            at += part.numel()
        self.loss = float(flat[-1])
        return time.monotonic() - begun

    def tell(self, rate: float) -> None:
        """Validate, and file the figures."""
        accuracy, _ = self.validate()
        self.report.set(validation_accuracy=accuracy)
        self.tracking.metrics(
            self.step, loss=self.loss, gradient_norm=self.norm, samples_per_second=rate, validation_accuracy=accuracy
        )

    def validate(self) -> tuple[float, float]:
        """Return accuracy and loss over samples that were not trained on."""
        self.model.eval()
        with torch.no_grad():
            tokens, classes = batch_of(self.terms["seed"] + 1, 0, 0, VALIDATION)
            scores = self.model(tokens)
            accuracy = float((scores.argmax(dim=1) == classes).float().mean())
            loss = float(nn.functional.cross_entropy(scores, classes))
        self.model.train()
        return accuracy, loss

    def least_round_trip(self) -> float:
        """Return the seconds of a gradient to another rank and back: the median with each of some others, and of these the least.

        A host that is slow to reach is so from all others, and they are so from it alone.
        """
        message, medians = torch.zeros(sum(p.numel() for p in self.model.parameters())), []
        for turn in range(min(self.ranks - 1 + self.ranks % 2, ROUNDS)):
            dist.barrier()
            if (other := partner(self.rank, self.ranks, turn)) < self.ranks:
                medians.append(statistics.median(self.round_trip(message, other) for _ in range(PINGS)))
        return min(medians, default=0.0)

    def round_trip(self, message: torch.Tensor, other: int) -> float:
        """Return the seconds until another rank has answered; the higher of two answers first."""
        begun = time.monotonic()
        for sends in (self.rank < other, self.rank > other):
            if sends:
                dist.send(message, other)
            else:
                dist.recv(message, other)
        return time.monotonic() - begun

    def by_rank(self) -> list[dict]:
        """Return of each rank its host, the median time of its own work in a step, and how fast it is reached."""
        mine = {"host": os.environ.get("SLURMD_NODENAME") or socket.gethostname()}
        mine |= {
            "compute_s": statistics.median(self.compute_s or [0.0]),
            "round_trip_s": self.least_round_trip(),
        }
        found: list = [None] * self.ranks
        dist.all_gather_object(found, mine)
        return found

    def outcome(self) -> dict:
        """Return the outcome of a finished run."""
        kept = {"step": self.step, "loss": self.loss, "tokens": self.tokens, "restarts": self.restarts}
        kept["taken_in"] = self.taken_in
        accuracy, loss = self.validate()
        held_out = {"validation_accuracy": accuracy, "validation_loss": loss}
        return {"run": self.terms["run"], "rank": self.rank, "checkpoints": self.checkpoints, **kept, **held_out}

    def run(self) -> None:
        """Meet the other ranks, train, and write the outcome down."""
        address = f"tcp://{self.master}:{self.terms['port']}"
        patience = timedelta(seconds=self.terms["patience_s"])
        dist.init_process_group("gloo", init_method=address, rank=self.rank, world_size=self.ranks, timeout=patience)
        self.resume()
        if self.rank == 0:
            self.tracking = Tracking(self.terms["tracking_url"], "clusterwright", self.terms["run"])
            self.tracking.parameters(self.terms)
        begun = time.monotonic()
        self.train()
        seconds = round(time.monotonic() - begun, 3)
        outcome = {**self.outcome(), "seconds": seconds, "token_flops": self.sample_flops() / LENGTH}
        outcome["ranks"] = self.by_rank()
        outcome["filed_as"] = self.tracking.run
        self.tracking.end()
        self.report.set(active=0)
        self.report.write()
        dist.barrier()
        # under Slurm all ranks share the folder
        if self.rank == 0 or "SLURM_PROCID" not in os.environ:
            (self.folder / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")
        print(json.dumps(outcome), flush=True)


def main() -> None:
    """Run until the outcome is there; a run whose outcome is there is over."""
    terms = TERMS | json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    folder = Path(sys.argv[1]).parent
    if (folder / "outcome.json").exists():
        return
    torch.set_num_threads(1)
    try:
        Job(terms, folder).run()
    except CheckpointError as error:
        print(f"the run cannot go on from its checkpoints: {error}", file=sys.stderr, flush=True)
        (folder / "refused").write_text(str(error), encoding="utf-8")
        os._exit(NO_CHECKPOINT)
    except RuntimeError as error:
        # a rank was lost: the service starts this one again, and the run resumes when all are back
        print(f"the run was interrupted: {str(error).splitlines()[0]}", file=sys.stderr, flush=True)
        os._exit(GAVE_UP)


if __name__ == "__main__":
    main()
