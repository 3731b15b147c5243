"""The programs of bench/programs in JAX: ms of what XLA compiles of them, f32 at the highest precision.

    python3 bench/peers/xla.py [--only NAME,NAME] [--repeats 10] [--json FILE] [--shapes]

One call of a compiled function runs its program `repeats` times. A barrier stands between two runs, so that none is
merged with another or dropped, and all results are kept. Where the compiled text shows that runs were merged all the
same (on CPUs), a call is one run, and short programs take as long as their launch from Python; the number of runs in a
call is printed. Calls follow one another without waiting, for at least 50 ms; the median of such samples counts.
`--shapes` only prints the shapes of the results, and compiles nothing.

The JSON is what `npm run bench -- --suite untuned --torch FILE` reads.
"""
import argparse
import json
import re
import statistics
import time

import jax
import jax.numpy as jnp
from jax import lax, nn

jax.config.update("jax_default_matmul_precision", "highest")

SAMPLES = 15
LEAST_SECONDS = 0.05

keys = iter(())


def made(program):
    """A program's function and its inputs, the same at each call."""
    global keys
    keys = iter([jax.random.key(i) for i in range(64)])
    return program()


def called(run, args):
    return run(*args)


def normal(*shape, scale=1.0):
    return jax.random.normal(next(keys), shape) * scale


def weights(*shape):
    return normal(*shape, scale=0.03)


def between(low, high, *shape):
    return jax.random.uniform(next(keys), shape, minval=low, maxval=high)


def whole(below, *shape):
    return jax.random.randint(next(keys), shape, 0, below)


def channels(t):
    return t.reshape(1, -1, 1, 1)


def linear(x, w, b=None):
    y = x @ w.T
    return y if b is None else y + b


def layer_norm(x, w, b):
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5) * w + b


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(nn.log_softmax(logits, -1), labels[:, None], 1).mean()


def conv2d(x, taps, groups=1):
    return lax.conv_general_dilated(
        x, taps, (1, 1), ((1, 1), (1, 1)), dimension_numbers=("NCHW", "OIHW", "NCHW"), feature_group_count=groups
    )


def causal_attention(q, k, v):
    """q, k, v: [..., positions, width]."""
    scores = q @ jnp.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    n = q.shape[-2]
    seen = jnp.tril(jnp.ones((n, n), bool))
    return nn.softmax(jnp.where(seen, scores, -jnp.inf), -1) @ v


def gpt2_block():
    B, T, C, H = 8, 1024, 768, 12

    def run(x, w1, b1, wq, bq, wo, bo, w2, b2, wu, bu, wd, bd):
        heads = lambda t: t.reshape(B, T, H, C // H).transpose(0, 2, 1, 3)
        q, k, v = map(heads, jnp.split(linear(layer_norm(x, w1, b1), wq, bq), 3, axis=2))
        mixed = causal_attention(q, k, v).transpose(0, 2, 1, 3).reshape(B, T, C)
        after = x + linear(mixed, wo, bo)
        hidden = nn.gelu(linear(layer_norm(after, w2, b2), wu, bu), approximate=True)
        return after + linear(hidden, wd, bd)

    norm = lambda: (normal(C), normal(C))
    return run, (
        normal(B, T, C), *norm(), weights(3 * C, C), normal(3 * C), weights(C, C), normal(C), *norm(),
        weights(4 * C, C), normal(4 * C), weights(C, 4 * C), normal(C),
    )  # fmt: skip


def ln_bwd():
    def run(x, g, b, dy):
        return jax.vjp(layer_norm, x, g, b)[1](dy)

    return run, (normal(8192, 1024), normal(1024), normal(1024), normal(8192, 1024))


def ce_fwd_bwd():
    return jax.value_and_grad(cross_entropy), (normal(8192, 32000), whole(32000, 8192))


def mlp_fwd_bwd():
    def loss_of(up, up_bias, down, down_bias, x, target):
        y = nn.gelu(x @ up + up_bias, approximate=True) @ down + down_bias
        return ((y - target) ** 2).mean()

    return jax.value_and_grad(loss_of, (0, 1, 2, 3)), (
        weights(1024, 4096), normal(4096), weights(4096, 1024), normal(1024), normal(4096, 1024), normal(4096, 1024),
    )  # fmt: skip


def attn_bwd():
    def run(q, k, v, dout):
        out, pull = jax.vjp(causal_attention, q, k, v)
        return out, *pull(dout)

    return run, tuple(normal(1, 16, 2048, 64) for _ in range(4))


def groupnorm_silu():
    def run(x, w, b):
        grouped = x.reshape(8, 32, -1)
        mean = grouped.mean(-1, keepdims=True)
        var = ((grouped - mean) ** 2).mean(-1, keepdims=True)
        return nn.silu(((grouped - mean) * lax.rsqrt(var + 1e-5)).reshape(x.shape) * channels(w) + channels(b))

    return run, (normal(8, 320, 64, 64), normal(320), normal(320))


def bn_train_relu():
    def run(x, w, b):
        mean = x.mean((0, 2, 3), keepdims=True)
        var = x.var((0, 2, 3), keepdims=True)
        return nn.relu((x - mean) / jnp.sqrt(var + 1e-5) * channels(w) + channels(b))

    return run, (normal(32, 64, 56, 56), normal(64), normal(64))


def dwconv_bn_relu6():
    def run(x, taps, scale, shift):
        return nn.relu6(conv2d(x, taps, groups=144) * channels(scale) + channels(shift))

    return run, (normal(32, 144, 56, 56), normal(144, 1, 3, 3), normal(144), normal(144))


def adam():
    def run(p, g, m, v):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        return p - 0.001 * (m / 0.1) / (jnp.sqrt(v / 0.001) + 1e-8), m, v

    return run, (*(normal(4096, 4096) for _ in range(3)), between(0, 1, 4096, 4096))


def infonce():
    def run(a, b, pairs):
        unit = lambda t: t / jnp.maximum(jnp.sqrt((t * t).sum(-1, keepdims=True)), 1e-12)
        scores = unit(a) @ unit(b).T / 0.07
        return (cross_entropy(scores, pairs) + cross_entropy(scores.T, pairs)) / 2

    return run, (normal(4096, 512), normal(4096, 512), jnp.arange(4096))


def kl_div():
    def run(p, q):
        p, q = nn.log_softmax(p, -1), nn.log_softmax(q, -1)
        return (jnp.exp(p) * (p - q)).sum(-1)

    return run, (normal(4096, 32000), normal(4096, 32000))


def col_std():
    def run(x):
        mean = x.mean(0)
        return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(0) + 1e-5)

    return run, (normal(65536, 512),)


def gated(x, gate, up, down):
    return linear(nn.silu(linear(x, gate)) * linear(x, up), down)


def decode_mlp():
    return gated, (normal(1, 4096), weights(11008, 4096), weights(11008, 4096), weights(4096, 11008))


def swiglu_mlp():
    return gated, (normal(4096, 1024), weights(2816, 1024), weights(2816, 1024), weights(1024, 2816))


def small_bmm_softmax():
    return lambda a, b: nn.softmax(a @ b * 0.125, -1), (normal(1024, 64, 64), normal(1024, 64, 64))


def kmeans_assign():
    def run(x, c):
        return ((x**2).sum(-1, keepdims=True) - 2 * (x @ c.T) + (c**2).sum(-1)).argmin(-1)

    return run, (normal(65536, 64), normal(256, 64))


def add_rms_norm():
    def run(x, residual, w):
        total = x + residual
        return total, total * lax.rsqrt((total * total).mean(-1, keepdims=True) + 1e-6) * w

    return run, (normal(8192, 4096), normal(8192, 4096), normal(4096))


def rope():
    def run(q, cosine, sine):
        left, right = jnp.split(q, 2, -1)
        return q * cosine + jnp.concatenate((-right, left), -1) * sine

    return run, (normal(4, 32, 2048, 64), normal(2048, 64), normal(2048, 64))


def resnet_block():
    def run(x, k1, s1, b1, k2, s2, b2):
        h = nn.relu(conv2d(x, k1) * channels(s1) + channels(b1))
        return nn.relu(conv2d(h, k2) * channels(s2) + channels(b2) + x)

    taps = lambda: (weights(64, 64, 3, 3), normal(64), normal(64))
    return run, (normal(32, 64, 56, 56), *taps(), *taps())


def softmax_mid():
    return lambda x: nn.softmax(x, 1), (normal(32, 512, 1024),)


def masked_mean():
    def run(tokens, mask):
        return (tokens * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)

    return run, (normal(64, 512, 768), normal(64, 512))


def mandelbrot():
    """The turns as a loop, as a person would write them in JAX."""

    def run(cx, cy):
        def turn(_, carried):
            x, y, count = carried
            nx, ny = x * x - y * y + cx, 2 * x * y + cy
            inside = nx * nx + ny * ny < 4
            return jnp.where(inside, nx, x), jnp.where(inside, ny, y), jnp.where(inside, count + 1, count)

        return lax.fori_loop(0, 50, turn, (cx * 0,) * 3, unroll=True)[2]

    return run, (between(-2, 1, 2048, 2048), between(-1.5, 1.5, 2048, 2048))


def cumsum_ema():
    def run(x):
        return jnp.cumsum(jnp.exp(x * 0.01), -1) / jnp.cumsum(jnp.ones_like(x), -1)

    return run, (normal(4096, 4096),)


def embed_ln():
    def run(table, position, w, b, tokens):
        return layer_norm(table[tokens] + position, w, b)

    return run, (normal(50257, 768), normal(1024, 768), normal(768), normal(768), whole(50257, 8, 1024))


def focal():
    def run(logits, labels):
        log_p = jnp.take_along_axis(nn.log_softmax(logits, -1), labels[:, None], 1)[:, 0]
        return (-((1 - jnp.exp(log_p)) ** 2) * log_p).mean()

    return run, (normal(65536, 1000), whole(1000, 65536))


def layernorm_long():
    return layer_norm, (normal(256, 131072), normal(131072), normal(131072))


PROGRAMS = [
    gpt2_block, ln_bwd, ce_fwd_bwd, mlp_fwd_bwd, attn_bwd, groupnorm_silu, bn_train_relu, dwconv_bn_relu6, adam,
    infonce, kl_div, col_std, decode_mlp, small_bmm_softmax, kmeans_assign, add_rms_norm, rope, swiglu_mlp,
    resnet_block, softmax_mid, masked_mean, mandelbrot, cumsum_ema, embed_ln, focal, layernorm_long,
]  # fmt: skip


def repeated(run, repeats):
    """`repeats` runs, each on what the one before hands on through a barrier; all their results."""

    def all_of(*args):
        results = []
        for _ in range(repeats):
            args, result = lax.optimization_barrier((args, run(*args)))
            results.append(result)
        return results

    return jax.jit(all_of)


def launches(compiled):
    """What a compiled function launches, as far as its text tells: fusions and calls of libraries."""
    return len(re.findall(r" (?:fusion|custom-call|dot|convolution|reduce|sort|while)\(", compiled.as_text()))


def chained(run, args, repeats):
    """A compiled function and how many runs it holds: one, where the compiler merges runs in spite of barriers."""
    one, many = (repeated(run, count).lower(*args).compile() for count in (1, repeats))
    return (many, repeats) if launches(many) >= repeats * launches(one) else (one, 1)


def millis(run, args, repeats):
    """Median ms of one run, and how many runs were in a call."""
    many, held = chained(run, args, repeats)

    def seconds(calls):
        begin = time.perf_counter()
        for _ in range(calls):
            results = many(*args)
        jax.block_until_ready(results)
        return time.perf_counter() - begin

    for _ in range(3):
        once = seconds(1)
    calls = max(1, round(LEAST_SECONDS / once))
    return statistics.median(seconds(calls) for _ in range(SAMPLES)) * 1e3 / calls / held, held


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--json", default=None)
    parser.add_argument("--shapes", action="store_true")
    chosen = parser.parse_args()
    only = [name for name in chosen.only.split(",") if name]
    times = {}
    for program in PROGRAMS:
        name = program.__name__
        if only and name not in only:
            continue
        try:
            if chosen.shapes:
                results = jax.tree.leaves(jax.eval_shape(lambda: called(*made(program))))
                print(f"{name:20s} {', '.join(f'{each.dtype}{list(each.shape)}' for each in results)}", flush=True)
                continue
            run, args = made(program)
            times[name], held = millis(run, args, chosen.repeats)
            print(f"{name:20s} {times[name]:.4f} ms, {held} runs a call", flush=True)
        except Exception as error:  # one program that the peer can't run says so and stops no other
            print(f"{name:20s} {type(error).__name__}: {str(error)[:120]}", flush=True)
        run = args = None
        jax.clear_caches()
        if chosen.json:
            with open(chosen.json, "w") as file:
                json.dump(times, file, indent=1)


main()
