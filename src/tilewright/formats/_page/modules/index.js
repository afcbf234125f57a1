// Modules that the studio shares with exported pages.

export * from "./arrays.js";
export * from "./marks.js";
export * from "./picture.js";
export { View } from "./view.js";
