import { order } from "../orders";

export const placesInOrder = order({
  name: "places_in_order",
  doc: {
    formula: "places of x in order, the first k",
    teaches: "Each key carries its place along: values and places come from one sort.",
  },
  places: true,
});
