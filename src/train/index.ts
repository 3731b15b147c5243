/** @file The view of a training, in a chunk of its own. */
import { late } from "../panels";

export const TrainPanel = late(async () => (await import("./TrainPanel")).TrainPanel);
