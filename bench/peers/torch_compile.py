"""The programs of bench/programs in PyTorch: ms of torch.compile's plan, replayed as a CUDA graph, f32 without TF32.

    python3 bench/peers/torch_compile.py [--only NAME,NAME] [--json FILE]

The JSON is what `npm run bench -- --suite untuned --torch FILE` reads.
"""
import argparse
import json
import statistics

import torch
from torch import autograd
from torch.nn import functional as F

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.set_float32_matmul_precision("highest")

REPEATS = 5
SAMPLES = 15


def normal(*shape, grad=False, scale=1.0):
    return (torch.randn(*shape, device="cuda") * scale).requires_grad_(grad)


def weights(*shape, grad=False):
    return normal(*shape, grad=grad, scale=0.03)


def between(low, high, *shape):
    return torch.rand(*shape, device="cuda") * (high - low) + low


def whole(below, *shape):
    return torch.randint(0, below, shape, device="cuda")


def channels(t):
    return t.view(1, -1, 1, 1)


def gpt2_block():
    B, T, C, H = 8, 1024, 768, 12

    def run(x, w1, b1, wq, bq, wo, bo, w2, b2, wu, bu, wd, bd):
        heads = lambda t: t.view(B, T, H, C // H).transpose(1, 2)
        q, k, v = map(heads, F.linear(F.layer_norm(x, (C,), w1, b1), wq, bq).split(C, dim=2))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(B, T, C)
        after = x + F.linear(mixed, wo, bo)
        hidden = F.gelu(F.linear(F.layer_norm(after, (C,), w2, b2), wu, bu), approximate="tanh")
        return after + F.linear(hidden, wd, bd)

    norm = lambda: (normal(C), normal(C))
    return run, (
        normal(B, T, C), *norm(), weights(3 * C, C), normal(3 * C), weights(C, C), normal(C), *norm(),
        weights(4 * C, C), normal(4 * C), weights(C, 4 * C), normal(C),
    )  # fmt: skip


def ln_bwd():
    def run(x, g, b, dy):
        return autograd.grad(F.layer_norm(x, (1024,), g, b), (x, g, b), dy)

    return run, (normal(8192, 1024, grad=True), normal(1024, grad=True), normal(1024, grad=True), normal(8192, 1024))


def ce_fwd_bwd():
    def run(logits, labels):
        loss = F.cross_entropy(logits, labels)
        return loss, *autograd.grad(loss, logits)

    return run, (normal(8192, 32000, grad=True), whole(32000, 8192))


def mlp_fwd_bwd():
    def run(x, target, up, up_bias, down, down_bias):
        y = F.gelu(x @ up + up_bias, approximate="tanh") @ down + down_bias
        loss = ((y - target) ** 2).mean()
        return loss, *autograd.grad(loss, (up, up_bias, down, down_bias))

    return run, (
        normal(4096, 1024), normal(4096, 1024), weights(1024, 4096, grad=True), normal(4096, grad=True),
        weights(4096, 1024, grad=True), normal(1024, grad=True),
    )  # fmt: skip


def attn_bwd():
    def run(q, k, v, dout):
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return out, *autograd.grad(out, (q, k, v), dout)

    return run, (*(normal(1, 16, 2048, 64, grad=True) for _ in range(3)), normal(1, 16, 2048, 64))


def groupnorm_silu():
    return lambda x, w, b: F.silu(F.group_norm(x, 32, w, b)), (normal(8, 320, 64, 64), normal(320), normal(320))


def bn_train_relu():
    def run(x, w, b):
        mean = x.mean((0, 2, 3), keepdim=True)
        var = x.var((0, 2, 3), keepdim=True, unbiased=False)
        return torch.relu((x - mean) / torch.sqrt(var + 1e-5) * channels(w) + channels(b))

    return run, (normal(32, 64, 56, 56), normal(64), normal(64))


def dwconv_bn_relu6():
    def run(x, taps, scale, shift):
        return F.relu6(F.conv2d(x, taps, padding=1, groups=144) * channels(scale) + channels(shift))

    return run, (normal(32, 144, 56, 56), normal(144, 1, 3, 3), normal(144), normal(144))


def adam():
    def run(p, g, m, v):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        return p - 0.001 * (m / 0.1) / (torch.sqrt(v / 0.001) + 1e-8), m, v

    return run, (*(normal(4096, 4096) for _ in range(3)), between(0, 1, 4096, 4096))


def infonce():
    def run(a, b, pairs):
        scores = F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).T / 0.07
        return (F.cross_entropy(scores, pairs) + F.cross_entropy(scores.T, pairs)) / 2

    return run, (normal(4096, 512), normal(4096, 512), torch.arange(4096, device="cuda"))


def kl_div():
    def run(p, q):
        p, q = F.log_softmax(p, -1), F.log_softmax(q, -1)
        return (p.exp() * (p - q)).sum(-1)

    return run, (normal(4096, 32000), normal(4096, 32000))


def col_std():
    def run(x):
        mean = x.mean(0)
        return (x - mean) / torch.sqrt(((x - mean) ** 2).mean(0) + 1e-5)

    return run, (normal(65536, 512),)


def gated(x, gate, up, down):
    return F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down)


def decode_mlp():
    return gated, (normal(1, 4096), weights(11008, 4096), weights(11008, 4096), weights(4096, 11008))


def swiglu_mlp():
    return gated, (normal(4096, 1024), weights(2816, 1024), weights(2816, 1024), weights(1024, 2816))


def small_bmm_softmax():
    return lambda a, b: F.softmax(a @ b * 0.125, -1), (normal(1024, 64, 64), normal(1024, 64, 64))


def kmeans_assign():
    def run(x, c):
        return ((x**2).sum(-1, keepdim=True) - 2 * (x @ c.T) + (c**2).sum(-1)).argmin(-1)

    return run, (normal(65536, 64), normal(256, 64))


def add_rms_norm():
    def run(x, residual, w):
        total = x + residual
        return total, total * torch.rsqrt((total * total).mean(-1, keepdim=True) + 1e-6) * w

    return run, (normal(8192, 4096), normal(8192, 4096), normal(4096))


def rope():
    def run(q, cosine, sine):
        left, right = q.chunk(2, -1)
        return q * cosine + torch.cat((-right, left), -1) * sine

    return run, (normal(4, 32, 2048, 64), normal(2048, 64), normal(2048, 64))


def resnet_block():
    def run(x, k1, s1, b1, k2, s2, b2):
        h = torch.relu(F.conv2d(x, k1, padding=1) * channels(s1) + channels(b1))
        return torch.relu(F.conv2d(h, k2, padding=1) * channels(s2) + channels(b2) + x)

    taps = lambda: (weights(64, 64, 3, 3), normal(64), normal(64))
    return run, (normal(32, 64, 56, 56), *taps(), *taps())


def softmax_mid():
    return lambda x: F.softmax(x, 1), (normal(32, 512, 1024),)


def masked_mean():
    def run(tokens, mask):
        return (tokens * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)

    return run, (normal(64, 512, 768), normal(64, 512))


def mandelbrot():
    def run(cx, cy):
        x = y = count = cx * 0
        for _ in range(50):
            nx, ny = x * x - y * y + cx, 2 * x * y + cy
            inside = nx * nx + ny * ny < 4
            x, y, count = torch.where(inside, nx, x), torch.where(inside, ny, y), torch.where(inside, count + 1, count)
        return count

    return run, (between(-2, 1, 2048, 2048), between(-1.5, 1.5, 2048, 2048))


def cumsum_ema():
    def run(x):
        return torch.cumsum(torch.exp(x * 0.01), -1) / torch.cumsum(torch.ones_like(x), -1)

    return run, (normal(4096, 4096),)


def embed_ln():
    def run(table, position, w, b, tokens):
        return F.layer_norm(F.embedding(tokens, table) + position, (768,), w, b)

    return run, (normal(50257, 768), normal(1024, 768), normal(768), normal(768), whole(50257, 8, 1024))


def focal():
    def run(logits, labels):
        log_p = F.log_softmax(logits, -1).gather(1, labels[:, None]).squeeze(1)
        return (-((1 - log_p.exp()) ** 2) * log_p).mean()

    return run, (normal(65536, 1000), whole(1000, 65536))


def layernorm_long():
    return lambda x, w, b: F.layer_norm(x, (131072,), w, b), (normal(256, 131072), normal(131072), normal(131072))


PROGRAMS = [
    gpt2_block, ln_bwd, ce_fwd_bwd, mlp_fwd_bwd, attn_bwd, groupnorm_silu, bn_train_relu, dwconv_bn_relu6, adam,
    infonce, kl_div, col_std, decode_mlp, small_bmm_softmax, kmeans_assign, add_rms_norm, rope, swiglu_mlp,
    resnet_block, softmax_mid, masked_mean, mandelbrot, cumsum_ema, embed_ln, focal, layernorm_long,
]  # fmt: skip


def replayed(run, args):
    """Median ms of one run among REPEATS that a CUDA graph replays."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run(*args)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(REPEATS):
            run(*args)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    samples = []
    for _ in range(SAMPLES):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        samples.append(start.elapsed_time(end) / REPEATS)
    return statistics.median(samples)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--json", default=None)
    chosen = parser.parse_args()
    only = [name for name in chosen.only.split(",") if name]
    times = {}
    for program in PROGRAMS:
        name = program.__name__
        if only and name not in only:
            continue
        try:
            run, args = program()
            torch._dynamo.reset()
            compiled = torch.compile(run)
            compiled(*args)
            times[name] = replayed(compiled, args)
            print(f"{name:20s} {times[name]:.4f} ms", flush=True)
        except Exception as error:  # one program that the peer can't run says so and stops no other
            print(f"{name:20s} {type(error).__name__}: {str(error)[:120]}", flush=True)
        run = args = compiled = None
        torch.cuda.empty_cache()
        if chosen.json:
            with open(chosen.json, "w") as file:
                json.dump(times, file, indent=1)


main()
