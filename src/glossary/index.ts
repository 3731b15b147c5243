/** @file The door to the glossary. */
export { terms, type Term } from "./terms";
