/** Functions with a derivative that the program writes itself, beside what the rule says; PyTorch's are held to its values in test/fixtures/torch-values.txt. */
import { expect, test } from "vitest";
import { outputValues } from "../../../../test/output-values";
import { problems } from "../testing";

/** Each answers differences between what the rule gives and what it says. */
const ZERO: readonly (readonly [what: string, text: string])[] = [
  [
    "custom_vjp with residuals, called in its own rule; several arguments, and inside of a batch",
    `@jax.custom_vjp
def f(x, y):
    return jnp.sin(x) * y
def f_fwd(x, y):
    return f(x, y), (jnp.cos(x), jnp.sin(x), y)
def f_bwd(res, g):
    cos_x, sin_x, y = res
    return (cos_x * g * y * 2, sin_x * g)
f.defvjp(f_fwd, f_bwd)
gx, gy = jax.grad(lambda x, y: jnp.sum(f(x, y) ** 2), argnums=(0, 1))(x, y)
v = jax.vmap(jax.grad(lambda a, b: f(a, b)))(x, y)
return gx - 2 * jnp.sin(x) * y * jnp.cos(x) * y * 2, gy - 2 * jnp.sin(x) ** 2 * y, v - jnp.cos(x) * y * 2`,
  ],
  [
    "nondiff_argnums of a decorator, no residuals",
    `@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def clip_gradient(lo, hi, x):
    return x
clip_gradient.defvjp(lambda lo, hi, x: (x, None), lambda lo, hi, _, g: (jnp.clip(g, lo, hi),))
g = jax.grad(lambda x: jnp.sum(clip_gradient(-0.5, 0.5, x) ** 2))(x)
return g - jnp.clip(2 * x, -0.5, 0.5)`,
  ],
  [
    "trees of arguments and of results, a keyword",
    `@jax.custom_vjp
def lin(params, x):
    return {"y": x * params["w"] + params["b"], "n": jnp.sum(x)}
def fwd(params, x):
    return lin(params, x), (params, x)
def bwd(res, g):
    params, x = res
    return {"w": x * g["y"] * 2, "b": g["y"]}, g["y"] * params["w"] + g["n"]
lin.defvjp(fwd, bwd)
def loss(p, x):
    out = lin(p, x=x)
    return jnp.sum(out["y"] ** 2) + out["n"]
gp, gx = jax.grad(loss, argnums=(0, 1))({"w": y, "b": x * 3}, x)
z = 2 * (x * y + x * 3)
return gp["w"] - x * z * 2, gp["b"] - z, gx - (z * y + 1)`,
  ],
  [
    "custom_jvp both ways and twice",
    `@jax.custom_jvp
def log1pexp(x):
    return jnp.log(1. + jnp.exp(x))
@log1pexp.defjvp
def log1pexp_jvp(primals, tangents):
    x, = primals
    x_dot, = tangents
    return log1pexp(x), (1 - 1/(1 + jnp.exp(x))) * x_dot
g = jax.grad(lambda x: log1pexp(x).sum())(x)
h = jax.vmap(jax.grad(jax.grad(log1pexp)))(x)
p, t = jax.jvp(log1pexp, (x,), (y,))
s = jax.nn.sigmoid(x)
return g - s, h - s * (1 - s), t - s * y`,
  ],
  [
    "rules of single arguments, custom_gradient",
    `@jax.custom_jvp
def norm(x, y):
    return jnp.sqrt(x ** 2 + y ** 2)
norm.defjvps(lambda t, ans, x, y: t * x * 3, lambda t, ans, x, y: t * y * ans)
@jax.custom_gradient
def square(x):
    return x ** 2, lambda g: (g * x * 5,)
gx, gy = jax.grad(lambda x, y: norm(x, y).sum(), argnums=(0, 1))(x, y)
g = jax.grad(lambda x: square(x).sum())(x)
return gx - 3 * x, gy - y * jnp.sqrt(x ** 2 + y ** 2), g - 5 * x`,
  ],
  [
    "a forward without ctx, and setup_context",
    `class Swish(torch.autograd.Function):
    @staticmethod
    def forward(i):
        return i * torch.sigmoid(i)
    @staticmethod
    def setup_context(ctx, inputs, output):
        i, = inputs
        ctx.save_for_backward(i)
    @staticmethod
    def backward(ctx, grad_output):
        i, = ctx.saved_tensors
        s = torch.sigmoid(i)
        return grad_output * (s * (1 + i * (1 - s)))
x.requires_grad_()
Swish.apply(x).sum().backward()
return x.grad - torch.autograd.grad(F.silu(x).sum(), x)[0]`,
  ],
];

const INPUTS = "x: f32[4] = const([0.1, 2, -1, 0.7])\ny: f32[4] = const([1, 3, 5, -2])\n";

test.each(ZERO)("%s", (_what, text) => {
  const values = outputValues(`${INPUTS}${text}\n`).flatMap(({ data }) => data);
  expect(Math.max(...values.map(Math.abs))).toBeLessThan(1e-6);
});

const BACK = (rule: string): string => `class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a.round() * b
    @staticmethod
    def backward(ctx, g):
        return ${rule}
x.requires_grad_()
A.apply(x, 2.0).sum().backward()
return x.grad
`;

test.each([
  ["too few gradients", BACK("g"), "11:1 bad-rule The derivative of `A` answers 1 gradients for 2 arguments"],
  ["another shape", BACK("g.sum(), None"), "answers f32[] for argument 1, which is f32[4]"],
  [
    "a batch of a rule for one example",
    "@jax.custom_vjp\ndef f(x):\n    return x * x\nf.defvjp(lambda x: (x * x, x), lambda x, g: (g,))\ng = jax.grad(lambda x: jax.vmap(f)(x).sum())(x)\nreturn g\n",
    "take the gradient inside of the batch, vmap(grad(f))",
  ],
  [
    "tangents of a rule for cotangents",
    "@jax.custom_vjp\ndef f(x):\n    return x * x\nf.defvjp(lambda x: (x * x, x), lambda x, g: (g,))\na, b = jax.jvp(f, (x,), (y,))\nreturn b\n",
    "give it its rule with custom_jvp",
  ],
  [
    "a rule that is not linear",
    "@jax.custom_jvp\ndef f(x):\n    return x * x\n@f.defjvp\ndef _(p, t):\n    return f(p[0]), t[0] ** 2\ng = jax.grad(lambda x: f(x).sum())(x)\nreturn g\n",
    "is not linear in its tangents",
  ],
])("%s: refused once", (_what, text, message) => {
  const found = problems(`${INPUTS}${text}`).filter((each) => !each.includes("unused-value"));
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(message);
});
