/** Modules as people paste them, in the styles of the libraries that they come from: each is read as it stands, and its one fix leaves no mistake. */
import { describe, expect, test } from "vitest";
import { parseProgram } from "../program";
import { added, errors, mended, weightsOf } from "./testing";

/** Style, text, shapes of the results, a weight that there must be. */
const PASTED: readonly (readonly [style: string, text: string, results: readonly string[], weight: string])[] = [
  [
    "a decoder whose settings come from a class that is not here",
    `def swap_halves(x):
    a, b = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-b, a), dim=-1)

class Angles(nn.Module):
    def __init__(self, config: TinyConfig, device=None):
        super().__init__()
        dim = config.head_dim
        rates = 1.0 / (config.rope_theta ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim))
        self.register_buffer("rates", rates, persistent=False)
    @torch.no_grad()
    def forward(self, x, positions):
        turns = (self.rates[None, :, None].float().expand(positions.shape[0], -1, 1) @ positions[:, None, :].float()).transpose(1, 2)
        both = torch.cat((turns, turns), dim=-1)
        return both.cos().to(dtype=x.dtype), both.sin().to(dtype=x.dtype)

class Heads(nn.Module):
    def __init__(self, config: TinyConfig, index: int):
        super().__init__()
        self.head_dim = config.head_dim
        self.repeats = config.num_attention_heads // config.num_key_value_heads
        self.q = nn.Linear(config.hidden_size, config.num_attention_heads * self.head_dim, bias=False)
        self.kv = nn.Linear(config.hidden_size, 2 * config.num_key_value_heads * self.head_dim, bias=False)
        self.o = nn.Linear(config.num_attention_heads * self.head_dim, config.hidden_size, bias=False)
    def forward(self, x, angles, mask=None, **kwargs):
        shape = (*x.shape[:-1], -1, self.head_dim)
        q = self.q(x).view(shape).transpose(1, 2)
        k, v = (t.view(shape).transpose(1, 2).repeat_interleave(self.repeats, dim=1) for t in self.kv(x).chunk(2, dim=-1))
        cos, sin = (t.unsqueeze(1) for t in angles)
        q, k = q * cos + swap_halves(q) * sin, k * cos + swap_halves(k) * sin
        scores = torch.matmul(q, k.transpose(2, 3)) * self.head_dim**-0.5
        scores = scores + torch.full(scores.shape[-2:], float("-inf"), device=x.device).triu(1)
        probs = nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
        return self.o((probs @ v).transpose(1, 2).reshape(*x.shape[:-1], -1).contiguous()), probs

class Layer(CheckpointedLayer):
    def __init__(self, config, index):
        super().__init__()
        self.norm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.attn = Heads(config=config, index=index)
        self.act = ACT2FN[config.hidden_act]
        self.up, self.down = nn.Linear(config.hidden_size, config.intermediate_size), nn.Linear(config.intermediate_size, config.hidden_size)
    def forward(self, x, angles):
        h, _ = self.attn(x=self.norm(x), angles=angles)
        return x + h + self.down(self.act(self.up(x)))

class Tiny(PreTrainedThing):
    def __init__(self, config: TinyConfig):
        super().__init__(config)
        self.embed = nn.Embedding(config.vocab_size, config.hidden_size, config.pad_token_id)
        self.layers = nn.ModuleList([Layer(config, i) for i in range(config.num_hidden_layers)])
        self.angles = Angles(config=config)
        self.post_init()
    def forward(self, input_ids):
        x = self.embed(input_ids)
        angles = self.angles(x, torch.arange(x.shape[1], device=x.device).unsqueeze(0))
        for layer in self.layers[: self.config.num_hidden_layers]:
            x = layer(x, angles=angles)
        return TinyModelOutput(last_hidden_state=x, past_key_values=None)
`,
    ["8×64×256"],
    "layers.1.attn.kv.weight 1024×256",
  ],
  [
    "tied weights, modules in a dictionary, a function made in __init__, weights drawn by a method",
    `@dataclass
class Sizes:
    words: int = 96
    width: int = 32
    drop: float = 0.0

class Words(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        assert sizes.words is not None
        self.sizes = sizes
        self.body = nn.ModuleDict(dict(table=nn.Embedding(sizes.words, sizes.width), drop=nn.Dropout(sizes.drop), norm=nn.LayerNorm(sizes.width)))
        body = self.body
        self.run = lambda x: body.norm(body.drop(body.table(x)))
        self.head = nn.Linear(sizes.width, sizes.words, bias=False)
        self.body.table.weight = self.head.weight
        self.apply(self._draw)
        for name, weight in self.named_parameters():
            if name.endswith("head.weight"):
                torch.nn.init.normal_(weight, mean=0.0, std=0.02)
        print("weights: %d" % self.count())
    def count(self):
        return sum(p.numel() for p in self.parameters())
    def _draw(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.zeros_(module.weight)
    def forward(self, idx, targets=None):
        x = self.run(idx)
        if targets is not None:
            loss = F.cross_entropy(self.head(x).view(-1, self.sizes.words), targets.view(-1))
        else:
            loss = None
        return self.head(x[:, [-1], :]), loss
`,
    ["8×1×96"],
    "head.weight 96×32",
  ],
  [
    "methods that answer tuples of one",
    `class Inner(nn.Module):
    def __init__(self, config):
        super().__init__()
        if config.hidden_size % config.num_attention_heads != 0 and not hasattr(config, "embedding_size"):
            raise ValueError(f"{config.hidden_size} is not a multiple of {config.num_attention_heads}")
        self.heads = config.num_attention_heads
        self.width = int(config.hidden_size / config.num_attention_heads)
        self.query, self.value = nn.Linear(config.hidden_size, config.hidden_size), nn.Linear(config.hidden_size, config.hidden_size)
    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(x.size()[:-1] + (self.heads, self.width)).permute(0, 2, 1, 3)
    def forward(self, x: torch.Tensor, mask: Optional[torch.FloatTensor] = None, output_attentions: Optional[bool] = False) -> Tuple[torch.Tensor]:
        q, v = self.split(self.query(x)), self.split(self.value(x))
        probs = nn.functional.softmax(q @ q.transpose(-1, -2) / math.sqrt(self.width), dim=-1)
        y = (probs @ v).permute(0, 2, 1, 3).contiguous()
        y = y.view(y.size()[:-2] + (self.heads * self.width,))
        outputs = (y, probs) if output_attentions else (y,)
        return outputs

class Outer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.inner = Inner(config)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
    def forward(self, x, mask=None):
        inner = self.inner(x, mask)
        rest = inner[1:]
        return (self.norm(inner[0] + x),) + rest
`,
    ["8×64×256"],
    "inner.query.weight 256×256",
  ],
  [
    "routing to the best experts",
    `class Expert(nn.Module):
    def __init__(self, config: MixConfig):
        super().__init__()
        self.up = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)
    def forward(self, x):
        return self.down(F.silu(self.up(x)))

class Mix(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.count, self.k = config.num_local_experts, config.num_experts_per_tok
        self.gate = nn.Linear(config.hidden_size, self.count, bias=False)
        self.experts = nn.ModuleList([Expert(config) for _ in range(self.count)])
    def forward(self, x: torch.Tensor):
        batch, length, width = x.shape
        x = x.view(-1, width)
        logits = self.gate(x)
        best, chosen = torch.topk(F.softmax(logits, dim=1, dtype=torch.float), self.k, dim=-1)
        best /= best.sum(dim=-1, keepdim=True)
        share = (F.one_hot(chosen, num_classes=self.count) * best[..., None]).sum(1)
        y = torch.zeros_like(x)
        for i in range(self.count):
            y = y + self.experts[i](x) * share[:, i : i + 1]
        return y.reshape(batch, length, width), logits
`,
    ["8×64×256"],
    "experts.3.up.weight 256×256",
  ],
  [
    "a norm below a library's layer, activations by name, rates of a schedule",
    `class Norm2d(nn.LayerNorm):
    def __init__(self, channels, eps=1e-6, affine=True):
        super().__init__(channels, eps=eps, elementwise_affine=affine)
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.layer_norm(x.permute(0, 2, 3, 1), self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)

class Wide(nn.Module):
    def __init__(self, chs: int, act_layer: Union[str, Callable] = "gelu", start: Optional[float] = 1e-6, drop_path: float = 0.0):
        super().__init__()
        act_layer = get_act_layer(act_layer)
        self.depthwise = nn.Conv2d(chs, chs, kernel_size=7, padding="same", groups=chs)
        self.norm, self.act = Norm2d(chs), act_layer()
        self.gamma = nn.Parameter(start * torch.ones(chs)) if start is not None else None
        self.drop_path = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()
    def forward(self, x):
        y = self.act(self.norm(self.depthwise(x)))
        if self.gamma is not None:
            y = y.mul(self.gamma.reshape(1, -1, 1, 1))
        return self.drop_path(y) + x

class Stage(nn.Module):
    def __init__(self, chs=16, depth=2):
        super().__init__()
        rates = [r.item() for r in torch.linspace(0, 0.1, depth)]
        blocks = []
        for rate in rates:
            blocks.append(Wide(chs, drop_path=rate))
        self.blocks = nn.Sequential(*blocks)
    def forward(self, x):
        return self.blocks(x)
`,
    ["8×16×32×32"],
    "blocks.1.depthwise.weight 16×1×7×7",
  ],
  [
    "patches of pictures, a token in front, positions that are learnt",
    `class Patches(nn.Module):
    def __init__(self, img_size=64, patch_size=8, in_chans=3, dim=96, norm_layer=None):
        super().__init__()
        img_size, patch_size = to_2tuple(img_size), to_2tuple(patch_size)
        self.count = (img_size[0] // patch_size[0]) * (img_size[1] // patch_size[1])
        self.proj = nn.Conv2d(in_chans, dim, kernel_size=patch_size, stride=patch_size)
        self.norm = norm_layer(dim) if norm_layer else nn.Identity()
    def forward(self, x):
        B, C, H, W = x.shape
        return self.norm(self.proj(x).flatten(2).transpose(1, 2))

class Pictures(nn.Module):
    def __init__(self, dim=96, classes=10, pool={"token"}, norm_layer=partial(nn.LayerNorm, eps=1e-6)):
        super().__init__()
        assert "token" in pool
        self.patches = Patches(dim=dim)
        self.token = nn.Parameter(torch.randn(1, 1, dim))
        self.positions = nn.Parameter(torch.randn(1, self.patches.count + 1, dim) * 0.02)
        self.norm = norm_layer(dim)
        self.head = nn.Linear(dim, classes) if classes > 0 else nn.Identity()
    def forward(self, x):
        x = self.patches(x)
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), x), dim=1) + self.positions
        return self.head(self.norm(x)[:, 0])
`,
    ["8×10"],
    "positions 1×65×96",
  ],
  [
    "windows, a table of positions, a mask that loops fill",
    `def windows(x, size: int):
    B, H, W, C = x.shape
    return x.view(B, H // size, size, W // size, size, C).permute(0, 1, 3, 2, 4, 5).reshape(-1, size * size, C)

class Windows(nn.Module):
    def __init__(self, dim=32, size=8, shift=4, extent=16):
        super().__init__()
        self.size, self.shift, self.extent = size, shift, extent
        self.table = nn.Parameter(torch.zeros((2 * size - 1) ** 2, 1))
        grid = torch.stack(torch.meshgrid([torch.arange(size), torch.arange(size)], indexing="ij")).flatten(1)
        apart = (grid[:, :, None] - grid[:, None, :]).permute(1, 2, 0).contiguous()
        apart[:, :, 0] += size - 1
        apart[:, :, 1] += size - 1
        apart[:, :, 0] *= 2 * size - 1
        self.register_buffer("index", apart.sum(-1))
        parts = torch.zeros((1, extent, extent, 1))
        count = 0
        for rows in (slice(0, -size), slice(-size, -shift), slice(-shift, None)):
            for columns in (slice(0, -size), slice(-size, -shift), slice(-shift, None)):
                parts[:, rows, columns, :] = count
                count += 1
        parts = windows(parts, size).squeeze(-1)
        mask = parts.unsqueeze(1) - parts.unsqueeze(2)
        self.register_buffer("mask", mask.masked_fill(mask != 0, float(-100.0)).masked_fill(mask == 0, float(0.0)))
        self.qkv = nn.Linear(dim, dim * 3)
        trunc_normal_(self.table, std=0.02)
    def forward(self, x):
        B, L, C = x.shape
        assert L == self.extent**2
        x = torch.roll(x.view(B, self.extent, self.extent, C), shifts=(-self.shift, -self.shift), dims=(1, 2))
        q, k, v = self.qkv(windows(x, self.size)).chunk(3, dim=-1)
        positions = self.table[self.index.view(-1)].view(self.size**2, self.size**2)
        scores = q @ k.transpose(-2, -1) + positions
        scores = scores.view(B, -1, self.size**2, self.size**2) + self.mask.unsqueeze(0)
        return scores.softmax(-1).view(-1, self.size**2, self.size**2) @ v
`,
    ["32×64×32"],
    "table 225×1",
  ],
  [
    "levels of a net as bare modules with attributes",
    `def Norm(chs, groups=8):
    return torch.nn.GroupNorm(num_groups=groups, num_channels=chs, eps=1e-6, affine=True)

class Res(nn.Module):
    def __init__(self, *, chs, out=None, time=64):
        super().__init__()
        self.chs, self.out = chs, chs if out is None else out
        self.norm, self.conv = Norm(chs), torch.nn.Conv2d(chs, self.out, kernel_size=3, padding=1)
        self.time = torch.nn.Linear(time, self.out)
        if self.chs != self.out:
            self.short = torch.nn.Conv2d(chs, self.out, kernel_size=1)
    def forward(self, x, time):
        h = self.conv(F.silu(self.norm(x))) + self.time(F.silu(time))[:, :, None, None]
        if self.chs != self.out:
            x = self.short(x)
        return x + h

class Levels(nn.Module):
    def __init__(self, ch=16, mult=(1, 2), in_channels=3):
        super().__init__()
        self.ch, self.levels = ch, len(mult)
        self.time = nn.Module()
        self.time.dense = nn.ModuleList([torch.nn.Linear(ch, 64), torch.nn.Linear(64, 64)])
        self.first = torch.nn.Conv2d(in_channels, ch, kernel_size=3, padding=1)
        self.down = nn.ModuleList()
        for i in range(self.levels):
            level = nn.Module()
            level.block = Res(chs=ch * ((1,) + mult)[i], out=ch * mult[i])
            if i != self.levels - 1:
                level.smaller = torch.nn.Conv2d(ch * mult[i], ch * mult[i], kernel_size=3, stride=2, padding=1)
            self.down.append(level)
    def forward(self, x, t):
        rates = torch.exp(torch.arange(self.ch // 2, dtype=torch.float32) * -(math.log(10000) / (self.ch // 2 - 1)))
        turns = t.float()[:, None] * rates[None, :]
        time = self.time.dense[1](F.silu(self.time.dense[0](torch.cat([torch.sin(turns), torch.cos(turns)], dim=1))))
        skips = [self.first(x)]
        for i in range(self.levels):
            skips.append(self.down[i].block(skips[-1], time))
            if i != self.levels - 1:
                skips.append(self.down[i].smaller(skips[-1]))
        return skips[-1]
`,
    ["8×32×16×16"],
    "down.1.block.short.weight 32×16×1×1",
  ],
  [
    "one step of a model with states",
    `class Step(nn.Module):
    def __init__(self, d_model, d_state=16, d_conv=4, expand=2, rank="auto", device=None):
        options = {"device": device}
        super().__init__()
        self.d_inner = int(expand * d_model)
        self.d_state = d_state
        self.rank = math.ceil(d_model / 16) if rank == "auto" else rank
        self.d_conv = d_conv
        self.enter = nn.Linear(d_model, self.d_inner * 2, bias=False, **options)
        self.conv = nn.Conv1d(in_channels=self.d_inner, out_channels=self.d_inner, kernel_size=d_conv, groups=self.d_inner, padding=d_conv - 1, **options)
        self.select = nn.Linear(self.d_inner, self.rank + d_state * 2, bias=False, **options)
        self.delta = nn.Linear(self.rank, self.d_inner, **options)
        first = torch.exp(torch.rand(self.d_inner) * 4.6 - 6.9).clamp(min=1e-4)
        with torch.no_grad():
            self.delta.bias.copy_(first + torch.log(-torch.expm1(-first)))
        self.delta.bias._fixed = True
        self.A_log = nn.Parameter(torch.log(repeat(torch.arange(1, d_state + 1, dtype=torch.float32), "n -> d n", d=self.d_inner)))
    def forward(self, x, conv_state, ssm_state):
        x, gate = self.enter(x).chunk(2, dim=-1)
        conv_state = torch.roll(conv_state, shifts=-1, dims=-1)
        conv_state[:, :, -1] = x
        x = F.silu((conv_state * rearrange(self.conv.weight, "d 1 w -> d w")).sum(-1) + self.conv.bias)
        delta, B, C = torch.split(self.select(x), [self.rank, self.d_state, self.d_state], dim=-1)
        delta = F.softplus(self.delta(delta))
        ssm_state = ssm_state * torch.exp(torch.einsum("bd,dn->bdn", delta, -torch.exp(self.A_log.float())))
        ssm_state = ssm_state + torch.einsum("bd,bn,bd->bdn", delta, B, x)
        return torch.einsum("bdn,bn->bd", ssm_state, C) * F.silu(gate)
`,
    ["8×512"],
    "A_log 512×16",
  ],
  [
    "two classes above, each asked by its name",
    `class Low():
    def __init__(self, rank: int, alpha: int, drop: float):
        self.rank, self.alpha = rank, alpha
        self.drop = nn.Dropout(p=drop) if drop > 0.0 else (lambda x: x)

class LowLinear(nn.Linear, Low):
    def __init__(self, in_features: int, out_features: int, rank: int = 4, alpha: int = 1, **kwargs):
        nn.Linear.__init__(self, in_features, out_features, **kwargs)
        Low.__init__(self, rank=rank, alpha=alpha, drop=0.0)
        self.A = nn.Parameter(self.weight.new_zeros((rank, in_features)))
        self.B = nn.Parameter(self.weight.new_zeros((out_features, rank)))
        self.weight.requires_grad = False
        self.reset_parameters()
    def forward(self, x: torch.Tensor):
        def turned(w):
            return w.transpose(0, 1)
        y = F.linear(x, self.weight, bias=self.bias)
        y += (self.drop(x) @ turned(self.A) @ turned(self.B)) * (self.alpha / self.rank)
        return y
`,
    ["8×64×256"],
    "A 4×256",
  ],
  [
    "a compact module of flax with attention and a mode in each call",
    `class Feed(nn.Module):
  width: Optional[int] = None
  dtype: Any = jnp.float32
  init: Callable = nn.initializers.xavier_uniform()

  @nn.compact
  def __call__(self, x, *, deterministic=True):
    y = nn.gelu(nn.Dense(features=self.width or 4 * x.shape[-1], dtype=self.dtype, kernel_init=self.init)(x))
    y = nn.Dropout(rate=0.1, deterministic=deterministic)(y)
    return nn.Dense(features=x.shape[-1], dtype=self.dtype)(y)

class Encoder(nn.Module):
  width: int
  num_heads: int

  @nn.compact
  def __call__(self, x, *, deterministic=True):
    y = nn.LayerNorm()(x)
    y = nn.MultiHeadDotProductAttention(num_heads=self.num_heads, kernel_init=nn.initializers.zeros, deterministic=deterministic)(y, y)
    x = x + nn.Dropout(rate=0.1)(y, deterministic=deterministic)
    return x + Feed(width=self.width)(nn.LayerNorm()(x), deterministic=deterministic)
`,
    ["8×64×256"],
    "kernel 256×256",
  ],
  [
    "nnx, whose layers take random streams",
    `class Scale(nnx.Module):
    def __init__(self, dim: int, *, rngs: nnx.Rngs):
        self.scale = nnx.Param(nnx.initializers.ones_init()(rngs.params(), (dim,)))
    def __call__(self, x):
        return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), axis=-1, keepdims=True) + 1e-6) * self.scale.value

class Gated(nnx.Module):
    def __init__(self, features: int, hidden: int, *, rngs: nnx.Rngs):
        self.norm = Scale(features, rngs=rngs)
        self.gate = nnx.Linear(features, hidden, use_bias=False, rngs=rngs)
        self.down = nnx.Linear(hidden, features, use_bias=False, rngs=rngs)
        self.mix = nnx.Param(jax.random.normal(rngs.params(), (features, features)))
    def __call__(self, x):
        return x + self.down(nnx.silu(self.gate(self.norm(x)))) @ self.mix
`,
    ["8×64×256"],
    "norm.scale 256",
  ],
  [
    "a cell that wants rows, not sequences",
    `class Cell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.w_x = nn.Parameter(torch.Tensor(4 * hidden_size, input_size))
        self.w_h = nn.Parameter(torch.Tensor(4 * hidden_size, hidden_size))
        self.reset()
    def reset(self):
        for weight in self.parameters():
            weight.data.uniform_(-0.1, 0.1)
    def forward(self, x, state):
        h, c = state
        i, f, g, o = (x @ self.w_x.t() + h @ self.w_h.t()).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, (h, c)
`,
    ["8×256", "8×256"],
    "w_x 1024×256",
  ],
];

describe("pasted modules", () => {
  test.each(PASTED)("%s", (_, text, results, weight) => {
    const now = mended(text);
    expect(errors(now)).toEqual([]);
    expect(now.startsWith(text)).toBe(true);
    const { graph, outputs, complete } = parseProgram(now);
    expect(complete).toBe(true);
    const shapes = outputs.map((id) => graph.nodes.get(id)!.type.shape.join("×"));
    expect(shapes).toEqual(expect.arrayContaining([...results]));
    expect(weightsOf(now)).toContain(weight);
  });

  test("a batch of rows is guessed where an axis between would be a mistake", () => {
    const [, cell] = PASTED.find(([style]) => style.startsWith("a cell"))!;
    expect(added(cell).slice(1, 4)).toEqual(["x: f32[8, 256]", "state_0: f32[8, 256]", "state_1: f32[8, 256]"]);
  });
});

test("a cache in a buffer is written where the program says, and read back", () => {
  const { diagnostics, outputs, graph } = parseProgram(`class Cache(nn.Module):
    def __init__(self, batch, length, width):
        super().__init__()
        self.register_buffer("skips", torch.zeros((batch, length, width)))
    def update(self, at, new):
        self.skips[:, at] = new
        return self.skips

class Decode(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(16, 16)
        self.cache = Cache(2, 8, 16)
    def forward(self, x, at):
        keys = self.cache.update(at, self.fc(x))
        return x @ keys.mT

x: f32[2, 1, 16]
at: i32[1] = const([5])
y = Decode()(x, at)
`);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(outputs.map((id) => graph.nodes.get(id)!.type.shape)).toEqual([[2, 1, 8]]);
});

test("an object is shared by its names; a copy of it is not", () => {
  const text = (second: string): string => `class A(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(4, 4, bias=False)
    def forward(self, x):
        return self.fc(x)

first = A()
second = ${second}
x: f32[2, 4]
y = second(first(x))
`;
  expect(weightsOf(text("first"))).toHaveLength(1);
  expect(weightsOf(text("copy.deepcopy(first)"))).toHaveLength(2);
});

test("a decorator that transforms does so", () => {
  const text =
    "@partial(jax.vmap, in_axes=(None, 0))\ndef f(w, x):\n  return w @ x\n\nw: f32[3, 4]\nx: f32[8, 4]\ny = f(w, x)\n";
  const { graph, outputs } = parseProgram(text);
  expect(errors(text)).toEqual([]);
  expect(outputs.map((id) => graph.nodes.get(id)!.type.shape)).toEqual([[8, 3]]);
});

test("a result that is taken apart nowhere is used, and so is what only first weights read", () => {
  const text = `class A(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        bound = 1 / math.sqrt(dim)
        nn.init.uniform_(self.fc.weight, -bound, bound)
    def forward(self, x):
        h = self.fc(x)
        return h, x * 2

x: f32[2, 8]
y = A()(x)
`;
  expect(parseProgram(text).diagnostics).toEqual([]);
});
