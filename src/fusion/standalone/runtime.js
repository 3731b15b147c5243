/**
 * @typedef {"f32" | "f16" | "i32" | "bool"} DType
 * @typedef {ArrayLike<number>} Numbers
 * @typedef {{ buffer: number, dtype: DType, shape: number[], bytes: number }} Tensor
 * @typedef {{ base64: string } | { draw: Dispatch, parameters: number[] }} Numbered
 * @typedef {{ shader: number, buffers: { buffer: number, bytes: number }[], workgroups: [number, number, number] }} Dispatch
 * @typedef {{ entry: string, layout: GPUBufferBindingType[], code: string }} Shader
 * @typedef {{
 *   features: GPUFeatureName[], limits: Record<string, number>, buffers: { bytes: number, uniform: boolean }[],
 *   inputs: Record<string, Tensor>, weights: Record<string, Tensor & { numbers: Numbered | null }>,
 *   outputs: Record<string, Tensor>, shaders: Shader[], prepare: Dispatch[],
 *   starts: { from: number, to: number, bytes: number }[], run: Dispatch[],
 * }} Plan
 */

// WebGPU's usage bits by number: not every place that has WebGPU has the globals that name them.
const COPY_SOURCE = 0x4;
const COPY_DESTINATION = 0x8;
const UNIFORM = 0x40;
const STORAGE = 0x80;
const MAP_READ = 0x1;
const COMPUTE = 0x4;

const sizeOf = (shape) => shape.reduce((product, extent) => product * extent, 1);
const typeText = ({ dtype, shape }) => `${dtype}[${shape.join(", ")}]`;

const word = new DataView(new ArrayBuffer(4));

/** The bits of the binary16 nearest to `x`, ties to even. */
export function toHalf(x) {
  word.setFloat32(0, x);
  const sign = (word.getUint32(0) >>> 16) & 0x8000;
  const size = Math.abs(Math.fround(x));
  if (Number.isNaN(size)) return sign | 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  // What lies between two halves is rounded by f32 addition, which also rounds ties to even.
  const exponent = Math.max(-14, Math.floor(Math.log2(size || 1)));
  const step = 2 ** ((size < 2 ** exponent ? exponent - 1 : exponent) - 10);
  const unit = Math.max(step, 2 ** -24);
  const steps = Math.fround(size / unit + 2 ** 23) - 2 ** 23;
  const rounded = steps * unit;
  if (rounded < 2 ** -14) return sign | (rounded * 2 ** 24);
  word.setFloat32(0, rounded);
  return sign | ((word.getUint32(0) - 0x38000000) >>> 13);
}

/** The number that the bits of a binary16 stand for. */
export function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Numbers as a buffer of `dtype` stores them: bool as u32, f16 two to a word. */
function packed(dtype, numbers) {
  if (dtype === "f32") return numbers instanceof Float32Array ? numbers : Float32Array.from(numbers);
  if (dtype === "i32") return numbers instanceof Int32Array ? numbers : Int32Array.from(numbers);
  if (dtype === "bool") return Uint32Array.from(numbers, (x) => (x ? 1 : 0));
  const halves = new Uint16Array(Math.ceil(numbers.length / 2) * 2);
  for (let i = 0; i < numbers.length; i++) halves[i] = toHalf(numbers[i]);
  return halves;
}

function unpacked(dtype, bytes, length) {
  if (dtype === "f32") return new Float32Array(bytes, 0, length);
  if (dtype === "i32") return new Int32Array(bytes, 0, length);
  if (dtype === "bool") return new Uint32Array(bytes, 0, length);
  return Float32Array.from(new Uint16Array(bytes, 0, length), fromHalf);
}

/** The bytes that a period stands for, repeated until `length`. */
function repeated(base64, length) {
  const period = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += period.length)
    bytes.set(period.subarray(0, Math.min(period.length, length - at)), at);
  return bytes;
}

/** What `device` (or an adapter) lacks for `plan`, in words; null when nothing is missing. */
function missing({ features, limits }, device, what) {
  for (const feature of features)
    if (!device.features.has(feature))
      return `This ${what} lacks the feature ${feature}, which these kernels use. Export the program without it, or use another GPU.`;
  for (const [limit, needed] of Object.entries(limits))
    if (device.limits[limit] < needed)
      return `These kernels need ${limit} of ${needed}; this ${what} has ${device.limits[limit]}.${what === "device" ? " Ask for it in requestDevice({ requiredLimits })." : " Choose smaller sizes."}`;
  return null;
}

async function openDevice(plan, gpu) {
  if (!gpu)
    throw new Error("There is no WebGPU here. Use a current Chrome, Edge or Safari over https, or pass { gpu }.");
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Error("WebGPU found no GPU that it may use. Check that graphics acceleration is on.");
  const lacking = missing(plan, adapter, "GPU");
  if (lacking) throw new Error(lacking);
  return adapter.requestDevice({ requiredFeatures: plan.features, requiredLimits: plan.limits });
}

/** Runs `work` and throws what the device has to say about it. `work` makes its calls before its first await. */
async function checked(device, doing, work) {
  for (const filter of ["out-of-memory", "internal", "validation"]) device.pushErrorScope(filter);
  let failed = null;
  let result;
  try {
    result = work();
  } catch (thrown) {
    failed = thrown;
  }
  const scopes = [device.popErrorScope(), device.popErrorScope(), device.popErrorScope()];
  for (const error of await Promise.all(scopes)) failed ??= error;
  if (failed) throw new Error(`${doing} failed: ${failed.message ?? failed}`);
  return result;
}

function checkNumbers(name, tensor, numbers, kind) {
  if (numbers === undefined || numbers === null)
    throw new Error(`The ${kind} ${name} is missing: ${typeText(tensor)}, ${sizeOf(tensor.shape)} numbers.`);
  if (typeof numbers !== "object" || !(numbers.length >= 0))
    throw new Error(`The ${kind} ${name} is not an array of numbers.`);
  const needed = sizeOf(tensor.shape);
  if (numbers.length !== needed)
    throw new Error(
      `The ${kind} ${name} has ${numbers.length} numbers and needs ${needed}, row by row: ${typeText(tensor)}.`,
    );
}

function checkNames(given, known, kind) {
  if (given === null || typeof given !== "object")
    throw new Error(`The ${kind}s are an object of arrays by name: ${Object.keys(known).join(", ")}.`);
  for (const name of Object.keys(given))
    if (!Object.hasOwn(known, name))
      throw new Error(`There is no ${kind} ${name}. There are: ${Object.keys(known).join(", ") || "none"}.`);
}

/**
 * Buffers and pipelines of `plan` on a device, made once.
 * @param {Plan} plan
 * @param {GPUDevice | { device?: GPUDevice, gpu?: GPU, weights?: Record<string, Numbers> }} given
 */
export async function instantiate(plan, given) {
  const { device: lent, gpu, weights = {} } = "queue" in given ? { device: given } : given;
  checkNames(weights, plan.weights, "weight");
  for (const [name, numbers] of Object.entries(weights)) checkNumbers(name, plan.weights[name], numbers, "weight");
  const lacking = lent ? missing(plan, lent, "device") : null;
  if (lacking) throw new Error(lacking);
  const device = lent ?? (await openDevice(plan, gpu ?? globalThis.navigator?.gpu));
  /** Why nothing runs any more; null while it does. */
  let gone = null;
  void device.lost.then(({ reason, message }) => {
    gone ??= `The GPU device was lost (${reason || "unknown"}${message ? `: ${message}` : ""}). Call create() again.`;
  });
  const made = [];
  const destroy = () => {
    gone ??= "This module was destroyed. Call create() again.";
    for (const buffer of made) buffer.destroy();
    if (!lent) device.destroy();
  };
  const bufferOf = (size, usage) => {
    const buffer = device.createBuffer({ size, usage });
    made.push(buffer);
    return buffer;
  };

  const setUp = async () => {
    const buffers = await checked(device, "Making the buffers", () =>
      plan.buffers.map(({ bytes, uniform }) =>
        bufferOf(bytes, STORAGE | COPY_SOURCE | COPY_DESTINATION | (uniform ? UNIFORM : 0)),
      ),
    );
    const building = await checked(device, "Building the kernels", () =>
      plan.shaders.map(({ entry, layout, code }) => {
        const entries = layout.map((type, binding) => ({ binding, visibility: COMPUTE, buffer: { type } }));
        const groupLayout = device.createBindGroupLayout({ entries });
        const pipeline = device.createComputePipelineAsync({
          label: entry,
          layout: device.createPipelineLayout({ bindGroupLayouts: [groupLayout] }),
          compute: { module: device.createShaderModule({ label: entry, code }), entryPoint: entry },
        });
        pipeline.catch(() => undefined); // told below, where it is awaited
        return { groupLayout, pipeline };
      }),
    );
    const built = await Promise.all(
      building.map(async ({ groupLayout, pipeline }) => ({ groupLayout, pipeline: await pipeline })),
    );
    /** A dispatch on its buffers; `extra` are bound after those of the plan. */
    const ready = ({ shader, buffers: bound, workgroups }, extra = []) => {
      const { groupLayout, pipeline } = built[shader];
      const resources = bound.map(({ buffer, bytes }) => ({ buffer: buffers[buffer], size: bytes }));
      const entries = [...resources, ...extra].map((resource, binding) => ({ binding, resource }));
      return { pipeline, group: device.createBindGroup({ layout: groupLayout, entries }), workgroups };
    };
    const passes = await checked(device, "Filling the weights", () => {
      const drawn = [];
      const parameterBuffers = [];
      for (const [name, { buffer, dtype, bytes, numbers }] of Object.entries(plan.weights)) {
        const own = weights[name];
        if (own) device.queue.writeBuffer(buffers[buffer], 0, packed(dtype, own));
        else if (numbers && "base64" in numbers)
          device.queue.writeBuffer(buffers[buffer], 0, repeated(numbers.base64, bytes));
        else if (numbers) {
          const parameters = device.createBuffer({
            size: numbers.parameters.length * 4,
            usage: UNIFORM | COPY_DESTINATION,
          });
          parameterBuffers.push(parameters);
          device.queue.writeBuffer(parameters, 0, Uint32Array.from(numbers.parameters));
          drawn.push(ready(numbers.draw, [{ buffer: parameters }]));
        }
      }
      const encoder = device.createCommandEncoder();
      encode(encoder, [...drawn, ...plan.prepare.map((dispatch) => ready(dispatch))]);
      device.queue.submit([encoder.finish()]);
      for (const buffer of parameterBuffers) buffer.destroy(); // freed once the work above is done
      return plan.run.map((dispatch) => ready(dispatch));
    });
    const readers = await checked(device, "Making the buffers", () =>
      Object.entries(plan.outputs).map(([name, tensor]) => ({
        name,
        tensor,
        reader: bufferOf(tensor.bytes, MAP_READ | COPY_DESTINATION),
      })),
    );
    return { buffers, passes, readers };
  };

  let ready;
  try {
    ready = await setUp();
  } catch (thrown) {
    const reason = gone;
    destroy();
    throw reason ? new Error(reason, { cause: thrown }) : thrown;
  }
  const { buffers, passes, readers } = ready;

  async function once(inputs) {
    if (gone) throw new Error(gone);
    try {
      await checked(device, "The run", () => {
        for (const [name, { buffer, dtype }] of Object.entries(plan.inputs))
          device.queue.writeBuffer(buffers[buffer], 0, packed(dtype, inputs[name]));
        const encoder = device.createCommandEncoder();
        for (const { from, to, bytes } of plan.starts)
          encoder.copyBufferToBuffer(buffers[from], 0, buffers[to], 0, bytes);
        encode(encoder, passes);
        for (const { tensor, reader } of readers)
          encoder.copyBufferToBuffer(buffers[tensor.buffer], 0, reader, 0, tensor.bytes);
        device.queue.submit([encoder.finish()]);
      });
      await Promise.all(readers.map(({ reader }) => reader.mapAsync(MAP_READ)));
    } catch (thrown) {
      await Promise.resolve(); // a loss is told in a turn of its own
      throw gone ? new Error(gone, { cause: thrown }) : thrown;
    }
    if (gone) throw new Error(gone);
    return Object.fromEntries(
      readers.map(({ name, tensor: { dtype, shape }, reader }) => {
        const bytes = reader.getMappedRange().slice(0);
        reader.unmap();
        return [name, unpacked(dtype, bytes, sizeOf(shape))];
      }),
    );
  }

  /** Runs use the same buffers, so they wait for one another. */
  let last = Promise.resolve();
  return {
    device,
    async run(inputs = {}) {
      if (gone) throw new Error(gone);
      checkNames(inputs, plan.inputs, "input");
      for (const [name, tensor] of Object.entries(plan.inputs)) checkNumbers(name, tensor, inputs[name], "input");
      const mine = last.then(() => once(inputs));
      last = mine.catch(() => undefined);
      return mine;
    },
    destroy,
  };
}

function encode(encoder, dispatches) {
  const pass = encoder.beginComputePass();
  for (const { pipeline, group, workgroups } of dispatches) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...workgroups);
  }
  pass.end();
}
