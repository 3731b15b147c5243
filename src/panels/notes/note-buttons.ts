/** @file The notes come in a chunk of their own: no count and no picture waits for what there is to read. */
import { lazyModule } from "../../state";

export const useNoteButtons = lazyModule(() => import("./NoteButtons"));
