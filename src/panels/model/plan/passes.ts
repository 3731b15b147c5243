/** @file How the page calls a pass. */
import { passCatalogue } from "../../../fusion";
import { titleFromName } from "./step-words";

const titles = new Map(passCatalogue.map(({ name, title }) => [name, title]));

/** The pass's own title; made from its name when nobody registered it. */
export const passTitle = (name: string): string => titles.get(name) ?? titleFromName(name);
