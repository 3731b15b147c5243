/** @file Every primitive of JAX that has a meaning here, by its name there. */
import type { Rules } from "../rule";
import { control } from "./control";
import { elementwise } from "./elementwise";
import { folds } from "./folds";
import { indexing } from "./indexing";
import { products } from "./products";
import { shape } from "./shape";
import { special } from "./special";

export const rules: Rules = { ...control, ...elementwise, ...folds, ...indexing, ...products, ...shape, ...special };
