/** @file Written indices that a call is given lie inside their axis, in every library's way of counting. */
import { describe, expect, test } from "vitest";
import { outputValues } from "../../../../test/output-values";
import { allComposites, allOps } from "../../ops";
import { parseProgram } from "..";
import { problems } from "../testing";

const X = "x: f32[4, 3] = arange()\n";

describe("indices that stand in the text", () => {
  test.each([
    ["F.embedding(torch.tensor([1, 4]), x)", "There is no index 4 on axis 0: its size is 4."],
    ["torch.gather(x, 1, torch.tensor([[0, 3]]))", "There is no index 3 on axis 1: its size is 3."],
    ["x.index_select(1, torch.tensor([-1]))", "PyTorch counts none from the end here: write 2."],
    ["x.scatter(1, torch.tensor([[3], [0], [0], [0]]), 1.0)", "There is no index 3 on axis 1: its size is 3."],
    ["x.index_add(0, torch.tensor([4]), torch.ones(1, 3))", "There is no index 4 on axis 0: its size is 4."],
    ["torch.index_put(x, (torch.tensor([4]),), torch.tensor(1.0))", "There is no index 4 on axis 0: its size is 4."],
    ["np.take_along_axis(x, np.array([[0], [3], [0], [0]]), axis=1)", "There is no index 3 on axis 1: its size is 3."],
    ["nn.Embedding(5, 3)(torch.arange(6))", "There is no index 5 on axis 0: its size is 5."],
    ["F.one_hot(torch.tensor([3, 5]), 4)", "There is no class 5: there are 4, numbered from 0."],
    ["F.cross_entropy(x, torch.tensor([0, 1, 2, 3]))", "There is no class 3: there are 3, numbered from 0."],
  ])("%s is refused", (call, message) => {
    expect(problems(`${X}return ${call}\n`).join("\n")).toContain(message);
  });

  test("an assignment that writes outside is refused, too", () => {
    const text = `${X}y = x.clone()\ny[torch.tensor([0, 7])] = 1.0\nreturn y\n`;
    expect(problems(text).join("\n")).toContain("There is no index 7 on axis 0: its size is 4.");
  });

  test.each([
    ["np.take_along_axis(x, np.array([[-1], [0], [-3], [1]]), axis=1)", [2, 3, 6, 10]],
    ["x.at[jnp.array([9, 0])].set(50.0, mode='drop')[0]", [50, 50, 50]],
    ["jnp.take(x, jnp.array([7]), axis=0, mode='clip')", [9, 10, 11]],
    ["jnp.take(x, jnp.array([[0, -12], [-13, 12]]))", [0, 0, NaN, NaN]],
    ["jnp.take(x[:, 0], [3, 4], fill_value=-1.0)", [9, -1]],
    ["jnp.take_along_axis(x, jnp.array([[-1], [3], [-3], [-4]]), axis=1)", [2, NaN, 6, NaN]],
    ["jnp.take_along_axis(x, jnp.array([[-1], [0], [-3], [1]]), axis=1)", [2, 3, 6, 10]],
    ["jnp.take_along_axis(x, jnp.array([[-1], [3], [0], [1]]), axis=1, mode='clip')", [0, 5, 6, 10]],
    ["jax.ops.segment_sum(x[:, 0], jnp.array([-1, 0, 2, 1]), num_segments=2)", [3, 9]],
    ["jax.nn.one_hot(jnp.array([-1, 1]), 2)", [0, 0, 0, 1]],
    ["torch.index_fill(x, 0, torch.tensor([-1]), 5.0)[3]", [5, 5, 5]],
    ["F.nll_loss(x, torch.tensor([0, -100, 0, 0]), reduction='sum')", [-15]],
  ])("%s counts as the library does", (call, values) => {
    expect(outputValues(`${X}return ${call}\n`)[0]!.data).toEqual(values);
  });

  test.each([
    ["x.at[jnp.array([9, 0])].add(50.0)[0]", "JAX drops this update.", [50, 51, 52]],
    ["x.at[jnp.array([9, 0])].set(50.0)[3]", "JAX drops this update.", [9, 10, 11]],
    ["x.at[jnp.asarray([9, 0])].set(50.0)[0]", "JAX drops this update.", [50, 50, 50]],
    ["x.at[[9, 0]].multiply(2.0)[1] + jnp.zeros(3)", "JAX drops this update.", [3, 4, 5]],
    ["x.at[9].set(50.0)[0] + jnp.zeros(3)", "JAX drops this update.", [0, 1, 2]],
    ["x.at[9].add(50.0)[3] + jnp.zeros(3)", "JAX drops this update.", [9, 10, 11]],
    ["x[9] + jnp.zeros(3)", "JAX takes the nearest one.", [9, 10, 11]],
    ["x.at[jnp.array([9])].get()[0]", "JAX takes the nearest one.", [9, 10, 11]],
    ["x[jnp.array([9])][0]", "JAX takes the nearest one.", [9, 10, 11]],
  ])("%s is JAX's, and told", (call, remark, values) => {
    const text = `${X}return ${call}\n`;
    expect(outputValues(text)[0]!.data).toEqual(values);
    const told = parseProgram(text).diagnostics.filter(({ severity }) => severity === "warning");
    expect(told.map((each) => each.text)).toEqual([`There is no index 9 on axis 0: its size is 4. ${remark}`]);
  });

  test("an op that is given one index for each element says what of", () => {
    const silent = [...allOps, ...allComposites].filter(({ params, chosen }) => {
      const index = params.find(({ names, kind }) => kind === "tensor" && names.includes("index"));
      return index !== undefined && !chosen && !/[Tt]uples/.test(index.doc);
    });
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

describe("updates of elements", () => {
  test.each([
    ["x.at[x > 9].add(100.0)[3]", [9, 110, 111]],
    ["x.at[[0, 1]].add(1.0)[:2]", [1, 2, 3, 4, 5, 6]],
    ["x.at[[1, 1]].add(1.0)[1]", [5, 6, 7]],
    ["x.at[:, [0, 2]].max(5.0)[0]", [5, 1, 5]],
    ["x.at[jnp.array([True, False, False, True])].multiply(2.0)[3]", [18, 20, 22]],
  ])("%s joins them with what is there", (call, values) => {
    expect(outputValues(`${X}return ${call}\n`)[0]!.data).toEqual(values);
  });

  test("np.add.at counts every update, whatever the indices are written as", () => {
    const text = `${X}z = x.copy()\nnp.add.at(z, [1, 0], 1.0)\nnp.add.at(z, [-1, -1], 1.0)\nreturn z[:, 0]\n`;
    expect(outputValues(text)[0]!.data).toEqual([1, 4, 6, 11]);
  });
});
