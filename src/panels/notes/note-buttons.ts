/** @file The notes come in a chunk of their own: no count and no picture waits for what there is to read. */
import { lateModule } from "../../state";

export const useNoteButtons = lateModule(() => import("./NoteButtons"));
