/** @file Names that ops had: programs, links and drafts that use them still open. The only table of its kind. */

/** Former name → the op's name now. */
export const FORMER_NAMES: Readonly<Record<string, string>> = {
  in_order: "sort_values",
  sum_ranges: "fold_ranges",
  places_in_order: "sort_indices",
};
