/** @file The door to terms in sentences: words of the glossary that explain themselves where they are read. */
export { Explained, meaningOf, TermWord } from "./Explained";
