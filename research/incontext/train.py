"""One leg of training: ``python -m research.incontext.train --seconds 540 --start FOLDER [FOLDER …] --out FOLDER``.

It goes on from the start folder that has seen most tables: weights, moments, averaged weights and counts. The rate is
constant after a short warm-up, so that training can go on for ever; ``--decay S`` takes the rate to 0 in the last S
seconds for weights to use, after the checkpoint to go on from is saved: ``decayed.npz`` has the averaged or the last
weights, whichever are better on drawn tables. A line of JSON is logged every 100 steps.
"""

from __future__ import annotations

import json
import math
import os
import random
import time
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from pathlib import Path

os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from research.incontext import attention
from research.incontext.checkpoints import (
    averaged_file,
    load_half,
    newest,
    read_counts,
    read_full,
    save_full,
    save_half,
)
from research.incontext.draws import Draw
from research.incontext.functions import compile_activation
from research.incontext.model import InContextNetwork
from research.incontext.optimiser import Muon
from research.incontext.prior import Shape, Tables, draw_tables

# Few shapes: with any shape, throughput was half. Legs alternate between two sets.
_ROWS = ((40, 72, 128, 224, 400, 704, 1200), (32, 56, 96, 176, 304, 544, 960))
_COLUMNS = ((2, 3, 5, 7, 10, 14, 20, 28, 40), (2, 4, 6, 8, 12, 17, 24, 34, 48))
_SMALL_ROWS, _SMALL_COLUMNS = (32, 40), (2, 5)  # to try the code on a CPU
_VALIDATION = ((24, 192, 5, 128), (24, 384, 12, 256), (12, 1152, 20, 1000))
_WARM_UP = 100  # steps, in each leg
_LOG, _VALIDATE = 100, 500


# -- losses --------------------------------------------------------------------------------------------------


def loss(network: InContextNetwork, tables: Tables, training: int) -> Tensor:
    """Mean over tables of the log loss, or of twice the pinball loss over all levels (nearly the CRPS)."""
    outputs = network(tables.X, tables.nominal, tables.y, tables.count, training)
    known, target = tables.y[:, :training], tables.y[:, training:]
    if not target.is_floating_point():
        seen = torch.zeros(len(target), outputs.shape[2], device=target.device).scatter_(1, known, 1.0)
        weight = seen.gather(1, target)  # a class without training rows cannot be known
        each = cross_entropy(outputs.flatten(0, 1), target.flatten(), reduction="none").view_as(weight)
        return ((each * weight).sum(1) / weight.sum(1).clamp_min(1)).mean()
    deviation = known.std(1, correction=0, keepdim=True)
    z = ((target - known.mean(1, keepdim=True)) / (deviation + 1e-6)).asinh().clamp(-6, 6)
    error = z[:, :, None] - outputs
    levels = network.levels
    weight = (deviation[:, 0] > 0.02).float()  # standard deviations of whole tables are 1
    return (
        2.0 * torch.maximum(levels * error, (levels - 1) * error).mean((1, 2)) * weight
    ).sum() / weight.sum().clamp_min(1)


class Validation:
    """Fixed drawn tables of both tasks, made on the CPU so that they are the same on every machine.

    Saved ones stay the same when the prior changes.
    """

    def __init__(self, device: str, small: bool, saved: Path | None = None) -> None:
        drawn = torch.load(saved) if saved is not None and saved.exists() else self._drawn(small)
        if saved is not None:
            torch.save(drawn, saved)
        self.batches = [(Tables(*(part.to(device) for part in parts)), training) for parts, training in drawn]

    @staticmethod
    def _drawn(small: bool) -> list[tuple[list[Tensor], int]]:
        state = torch.get_rng_state()
        torch.manual_seed(20)
        drawn = []
        for of_classes in (True, False):
            for tables, rows, columns, training in _VALIDATION[: 1 if small else None]:
                shape = Shape(tables, rows, columns, training, of_classes)
                drawn.append((draw_tables(Draw("cpu"), shape).tensors(), training))
        torch.set_rng_state(state)
        return drawn

    @torch.no_grad()
    def losses(self, network: InContextNetwork) -> list[float]:
        """Log loss of three shapes, then the pinball loss of the same shapes."""
        return [round(float(loss(network, tables, training)), 4) for tables, training in self.batches]


# -- batches -------------------------------------------------------------------------------------------------


class Batches:
    """Draws the next batch on a stream of its own while the network learns from the last one."""

    def __init__(self, options: Namespace, leg: int) -> None:
        self.options, self.random, self.draw = options, random.Random(99 + leg), Draw(options.device)
        sets = (_SMALL_ROWS, _SMALL_COLUMNS) if options.small else (_ROWS[leg % 2], _COLUMNS[leg % 2])
        self.rows, self.columns = sets
        self.stream = torch.cuda.Stream() if options.device == "cuda" else None
        self.coming = self._draw()

    def next(self) -> tuple[Shape, Tables]:
        if self.stream is not None:
            here = torch.cuda.current_stream()
            here.wait_stream(self.stream)
            for part in self.coming[1].tensors():
                part.record_stream(here)
        return self.coming

    def draw_another(self) -> None:
        self.coming = self._draw()

    def _draw(self) -> tuple[Shape, Tables]:
        training, columns = self.random.choice(self.rows), self.random.choice(self.columns)
        rows = training + max(64, min(256, training // 2 // 16 * 16))
        tables = max(8, min(768, self.options.cells // (rows * (columns + 3)))) // 8 * 8
        shape = Shape(tables, rows, columns, training, self.random.random() >= self.options.numbers)
        with torch.cuda.stream(self.stream):
            return shape, draw_tables(self.draw, shape)


# -- a leg ---------------------------------------------------------------------------------------------------


@dataclass
class Leg:
    """The state of training: counts that are saved, and the log since its last line."""

    network: InContextNetwork
    optimiser: Muon
    averaged: dict[str, Tensor]
    counts: dict[str, float]
    steps: int = 0
    losses: dict[str, list[Tensor]] = field(default_factory=lambda: {"classes": [], "numbers": []})
    learnable: list[Tensor] = field(default_factory=list)

    def train(self, shape: Shape, tables: Tables, batches: Batches, rate: float) -> None:
        value = loss(self.network, tables, shape.training)
        value.backward()
        batches.draw_another()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0, foreach=True)
        self.optimiser.step(rate)
        self.steps += 1
        self.counts["steps"] += 1
        self.counts["tables"] += shape.tables
        decay = min(0.999, 1.0 - 1.0 / (10.0 + self.counts["steps"] / 4))
        torch._foreach_lerp_(list(self.averaged.values()), list(self.network.state_dict().values()), 1.0 - decay)
        self.losses["classes" if shape.of_classes else "numbers"].append(value.detach())
        self.learnable.append(tables.learnable.float().mean())

    def line(self) -> dict[str, float]:
        """Means since the last line."""
        means = {name: round(float(torch.stack(values).mean()), 4) for name, values in self.losses.items() if values}
        means["learnable"] = round(float(torch.stack(self.learnable).mean()), 3)
        self.losses, self.learnable = {"classes": [], "numbers": []}, []
        return means

    def save(self, folder: Path) -> None:
        save_full(folder, self.network, self.optimiser.arrays(), self.averaged, self.counts)


def begin(options: Namespace) -> Leg:
    """The newest checkpoint; half-precision weights with fresh moments, or weights without averaged ones, will do."""
    folder = newest(options.start) if options.start else None
    network = InContextNetwork().to(options.device)
    optimiser = Muon(network, options.device)
    counts = {"steps": 0, "tables": 0, "seconds": 0.0, "legs": 0} if folder is None else read_counts(folder)
    averaged = None
    if folder is not None:
        half, full = averaged_file(folder), read_full(folder)
        averaged = load_half(half) if half.exists() else None
        network.load_state_dict(averaged if full is None else full[0])
        if full is not None:
            optimiser.load(full[1])
    print("start", folder, counts, flush=True)
    averaged = averaged or network.state_dict()
    averaged = {name: averaged[name].to(options.device).clone() for name in network.state_dict()}
    return Leg(network, optimiser, averaged, counts)


def prepare_device(options: Namespace, network: InContextNetwork) -> None:
    if options.device != "cuda":
        return
    torch.set_float32_matmul_precision("high")
    torch.backends.cuda.enable_cudnn_sdp(False)
    error = attention.largest_error()
    print("error of attention", error, flush=True)
    if not error < 0.02:
        raise SystemExit("attention among columns is wrong")
    if not options.plain:
        from torch._dynamo import config

        config.recompile_limit = 64
        compile_activation()
        for block in [*network.cell_blocks, *network.row_blocks]:
            block.compile(dynamic=True)


def main() -> None:
    began = time.monotonic()
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    leg = begin(options)
    prepare_device(options, leg.network)
    leg.counts["legs"] += 1
    torch.manual_seed(1234 + int(leg.counts["legs"]))
    validation = Validation(options.device, options.small, options.validation)
    judge = InContextNetwork().to(options.device).eval()  # not compiled, for weights of any kind
    log = (options.out / "log.jsonl").open("a")

    def validate(weights: dict[str, Tensor]) -> list[float]:
        judge.load_state_dict(weights)
        torch.manual_seed(1)
        return validation.losses(judge)

    def write(**line: object) -> None:
        line = {"leg": leg.counts["legs"], "steps": leg.counts["steps"], "tables": leg.counts["tables"]} | line
        print(json.dumps(line), flush=True)
        log.write(json.dumps(line) + "\n")
        log.flush()

    write(validation=validate(leg.averaged), at="start")
    batches = Batches(options, int(leg.counts["legs"]))
    end, decaying, last = began + options.seconds, False, time.monotonic()
    seconds_before, training_began = leg.counts["seconds"], time.monotonic()
    while (now := time.monotonic()) < end:
        rate = options.rate * min(1.0, (leg.steps + 1) / _WARM_UP)
        if options.decay and now > end - options.decay:
            if not decaying:
                leg.save(options.out)
                write(validation=validate(leg.averaged), at="before decay")
                decaying, now = True, time.monotonic()
            rate = options.rate * max(0.0, (end - now) / options.decay)
        leg.train(*batches.next(), batches, rate)
        leg.counts["seconds"] = round(seconds_before + time.monotonic() - training_began, 1)
        if leg.steps % _LOG == 0:
            means, now = leg.line(), time.monotonic()  # waits for the device
            if not all(math.isfinite(value) for value in means.values()):
                raise SystemExit("the loss is not finite")
            extra = {"validation": validate(leg.averaged)} if leg.steps % _VALIDATE == 0 else {}
            write(seconds=leg.counts["seconds"], rate=rate, ms=round((now - last) * 10, 1), **means, **extra)
            last = time.monotonic()
            if leg.steps == 2 * _VALIDATE and not decaying:
                leg.save(options.out)
    of_averaged = validate(leg.averaged)
    write(validation=of_averaged, at="end, averaged", seconds=leg.counts["seconds"])
    if decaying:
        last_weights = leg.network.state_dict()
        of_last = validate(last_weights)
        write(validation=of_last, at="end, last")
        save_half(options.out / "decayed.npz", last_weights if sum(of_last) < sum(of_averaged) else leg.averaged)
    else:
        leg.save(options.out)
    if options.device == "cuda":
        print("most memory, GiB", torch.cuda.max_memory_allocated() / 2**30)


def arguments() -> Namespace:
    parser = ArgumentParser()
    parser.add_argument("--seconds", type=float, default=540.0)
    parser.add_argument("--start", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--decay", type=float, default=0.0)
    parser.add_argument("--rate", type=float, default=8e-4)
    parser.add_argument("--numbers", type=float, default=0.45, help="the share of batches with numbers as targets")
    parser.add_argument("--validation", type=Path, help="a file of drawn tables that judge; written if it is absent")
    parser.add_argument("--cells", type=int, default=1_000_000, help="of a batch")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--small", action="store_true", help="small tables and fewer of them, to try the code")
    parser.add_argument("--plain", action="store_true", help="do not compile")
    return parser.parse_args()


if __name__ == "__main__":
    main()
