"""Steps per second of the training examples in PyTorch: torch.compile, replayed as CUDA graphs, f32 without TF32.

    python3 bench/peers/torch_train.py [--only NAME,NAME] [--mode default] [--json FILE]

Model, batch and optimiser of each are those of the example; the numbers are random, which no speed depends on. A step
computes loss, accuracy and logits, every gradient, and writes every weight. `resident`: one batch stays on the device,
and a graph holds 32 steps. `fed`: each step's batch is copied from pinned memory, then a graph of one step is replayed.
The faster of two ways to write the optimiser counts: compiled, or PyTorch's own fused kernels over all tensors at once.

The JSON is what `npm run bench -- --train --torch FILE` reads.
"""
import argparse
import json
import math
import statistics
import time

import torch
from torch.nn import functional as F

torch.backends.cuda.matmul.allow_tf32 = False
torch.set_float32_matmul_precision("highest")

STEPS = 256
IN_A_GRAPH = 32
SAMPLES = 15


def weight(*shape, fan_in=None):
    data = torch.zeros(*shape) if fan_in is None else torch.randn(*shape) / math.sqrt(fan_in)
    return data.cuda().requires_grad_()


def accuracy_of(logits, y):
    return (logits.argmax(-1) == y).float().mean()


def mlp(x, y, w1, b1, w2, b2):
    logits = torch.relu(x @ w1 + b1) @ w2 + b2
    return F.cross_entropy(logits, y), accuracy_of(logits, y), logits


def spirals():
    """Two spirals, all 256 points at each step; Adam."""
    weights = [weight(2, 64, fan_in=1), weight(64, fan_in=1), weight(64, 2, fan_in=64), weight(2)]
    batch = lambda: (torch.randn(256, 2), torch.arange(256) % 2)
    return mlp, weights, batch, lambda kind: torch.optim.Adam(
        weights, lr=0.03, betas=(0.9, 0.99), eps=1e-8, capturable=True, **kind
    )


def digits():
    """Digits of 8 × 8 pixels, 64 at a time; plain gradient descent."""
    weights = [weight(64, 32, fan_in=64), weight(32), weight(32, 10, fan_in=32), weight(10)]
    batch = lambda: (torch.rand(64, 64), torch.randint(0, 10, (64,)))
    return mlp, weights, batch, lambda kind: torch.optim.SGD(weights, lr=0.2, **kind)


def characters():
    """The next character from the eight before it, 64 at a time; momentum."""
    N, T, V, E, H = 64, 8, 32, 16, 64

    def forward(x, y, e, w1, b1, w2, b2):
        logits = torch.tanh(F.embedding(x, e).reshape(N, T * E) @ w1 + b1) @ w2 + b2
        loss = F.cross_entropy(logits, y)
        return loss, loss / math.log(2), logits

    weights = [
        weight(V, E, fan_in=4), weight(T * E, H, fan_in=128), weight(H), weight(H, V, fan_in=64), weight(V),
    ]  # fmt: skip
    batch = lambda: (torch.randint(0, V, (N, T)), torch.randint(0, V, (N,)))
    return forward, weights, batch, lambda kind: torch.optim.SGD(weights, lr=0.1, momentum=0.9, **kind)


PROGRAMS = {"train-spirals": spirals, "train-digits": digits, "train-characters": characters}


def captured(step, count):
    """A CUDA graph of `count` steps, once they have run outside of it."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            step()
    return graph


def steps_per_second(run):
    """Median over rounds of STEPS steps, by the wall clock, from the first launch until the device has finished."""
    samples = []
    for turn in range(SAMPLES + 2):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        run()
        torch.cuda.synchronize()
        if turn >= 2:
            samples.append(STEPS / (time.perf_counter() - begin))
    return statistics.median(samples)


def rates(program, mode, own):
    """`own`: PyTorch's fused optimiser kernels; otherwise the optimiser is compiled."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    forward, weights, batch, optimiser_of = program()
    optimiser = optimiser_of({"fused": True} if own else {"foreach": True})
    compiled = torch.compile(forward, mode=mode)
    update = optimiser.step if own else torch.compile(lambda: optimiser.step(), mode=mode)
    x, y = (each.cuda() for each in batch())
    batches = [tuple(each.pin_memory() for each in batch()) for _ in range(STEPS)]
    whole = program is spirals

    def step():
        loss, _, _ = compiled(x, y, *weights)
        for one, gradient in zip(weights, torch.autograd.grad(loss, weights)):
            one.grad = gradient
        update()

    many = captured(step, IN_A_GRAPH)
    single = captured(step, 1)

    def resident():
        for _ in range(STEPS // IN_A_GRAPH):
            many.replay()

    def fed():
        for next_x, next_y in batches:
            x.copy_(next_x, non_blocking=True)
            y.copy_(next_y, non_blocking=True)
            single.replay()

    steady = steps_per_second(resident)
    return {"resident": steady, "fed": steady if whole else steps_per_second(fed)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--mode", default="max-autotune-no-cudagraphs")
    parser.add_argument("--json", default=None)
    chosen = parser.parse_args()
    only = [name for name in chosen.only.split(",") if name]
    best = {}
    for name, program in PROGRAMS.items():
        if only and name not in only:
            continue
        for own in (False, True):
            way = "fused optimiser" if own else "compiled optimiser"
            try:
                found = rates(program, chosen.mode, own)
            except Exception as error:  # one way that does not run says so; the other one counts
                print(f"{name:20s} {way}: {type(error).__name__}: {str(error)[:160]}", flush=True)
                continue
            print(f"{name:20s} {way}: {found['resident']:.0f} steps/s, fed {found['fed']:.0f}", flush=True)
            known = best.get(name, {"resident": 0, "fed": 0})
            best[name] = {kind: max(rate, known[kind]) for kind, rate in found.items()}
        if chosen.json:
            with open(chosen.json, "w") as file:
                json.dump(best, file, indent=1)


main()
