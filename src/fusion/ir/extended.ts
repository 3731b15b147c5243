/** @file Objects with further fields, for those that there are thousands of. */

/**
 * `object` and the fields of `more`. In V8 each `{ ...object, field }` gets a hidden class of its own: 200 bytes, and slow to read
 * for all code that meets many of them.
 */
export const extended = <A extends object, B extends object>(object: A, more: B): A & B =>
  Object.assign({}, object, more);
