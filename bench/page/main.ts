/** @file The page that times our plans beside other libraries on the visitor's GPU. */
import { compile, defaultOptions, generic, type DeviceProfile } from "../../src/fusion";
import { createSession, hostEnv, type DeviceInfo, type Session } from "../../src/gpu";
import { wallTick } from "../../src/gpu/tick";
import { cardOf } from "../../src/state/runs/card";
import { factsOf } from "../../src/state/runs/laptop-check";
import peers from "../package.json";
import { quickData } from "../suite-data";
import "./bench.css";
import { openJax } from "./jax";
import { compete } from "./measure";
import { openOrt } from "./ort";
import { openOurs } from "./ours";
import { pagePrograms, type PageProgram } from "./programs";
import type { Contender, Task } from "./runner";
import type { Row, Setting, Table } from "./table";
import { openTf } from "./tf";
import { addRow, begin, offerCopies, offerDivide, onStart, say } from "./view";

/** A sample is long against the step of a browser's clock, and a row of the table takes some seconds. */
const PACE = { sampleMillis: 50, samples: 9 };
const versions = peers.devDependencies;

/** The program compiled for this device, with its inputs' data. */
function taskOf(program: PageProgram, profile: DeviceProfile): Task {
  const compilation = compile(program.text, { ...defaultOptions, profile });
  const { drawn, naive, diagnostics } = compilation;
  if (!naive) throw new Error(diagnostics.map(({ text }) => text).join(" "));
  const inputs = [...drawn.nodes.values()].filter(({ op }) => op === "input");
  return {
    program,
    compilation,
    inputs: inputs.map((input, seed) => {
      const data = quickData(input, seed + 1);
      if (!(data instanceof Float32Array)) throw new Error(`${input.id} is not f32.`);
      return { name: input.id, shape: input.type.shape, data };
    }),
    outputs: drawn.outputs.map((id) => drawn.nodes.get(id)!.type.shape),
  };
}

/** Our two plans first: every other answer is held against the naive one's. */
async function contendersOf(session: Session, device: DeviceInfo): Promise<Contender[]> {
  const found: Contender[] = [openOurs(session, device, "naive"), openOurs(session, device, "fused")];
  const others = [
    () => openJax(versions["@jax-js/jax"]),
    () => openTf(versions["@tensorflow/tfjs-core"]),
    async () => openOrt(versions["onnxruntime-web"]),
  ];
  for (const open of others) {
    try {
      found.push(await open());
    } catch (error) {
      console.error(error); // one library that does not start leaves the others their columns
    }
  }
  return found;
}

async function settingOf(device: DeviceInfo, divide: number, contenders: readonly Contender[]): Promise<Setting> {
  const { isSecureContext, crossOriginIsolated, origin } = globalThis;
  const { browser, version, system } = await factsOf(navigator, { isSecureContext, crossOriginIsolated, origin });
  return {
    date: new Date().toISOString().slice(0, 10),
    browser: `${browser} ${version ?? ""} on ${system}`,
    adapter: [device.name, device.description].filter((each) => each !== "").join(", "),
    clock: "performance.now()",
    quantumMicros: wallTick(hostEnv()) / 1e3,
    divide,
    contenders: contenders.map(({ name, version: theirs }) => ({ name, version: theirs })),
  };
}

let table: Table | null = null;

async function start(session: Session, device: DeviceInfo, divide: number): Promise<void> {
  say("Measuring this device");
  const roofs = device.software ? null : await session.measureRoofs();
  const profile = roofs?.ok ? cardOf(device, roofs.value) : generic;
  say("Starting the libraries");
  const contenders = await contendersOf(session, device);
  const setting = await settingOf(device, divide, contenders);
  begin(setting);
  const rows: Row[] = [];
  const wanted = new URLSearchParams(location.search).getAll("only");
  for (const program of pagePrograms(divide).filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    say(`Timing ${program.name}`);
    const row = {
      program: program.name,
      text: program.text,
      cells: await compete(taskOf(program, profile), contenders, PACE),
    };
    rows.push(row);
    table = { setting, rows };
    addRow(row);
  }
  say("Done");
}

async function open(): Promise<void> {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
  offerCopies(() => table);
  const session = createSession(navigator.gpu, hostEnv());
  const described = await session.describe();
  if (!described.ok) return say(described.problem.text);
  const device = described.value;
  offerDivide(device.software ? 16 : 1);
  onStart((divide) => start(session, device, divide));
  say(device.software ? `${device.name}: a CPU that pretends to be a GPU; its times say nothing of one.` : device.name);
}

void open();
