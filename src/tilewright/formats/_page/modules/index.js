// Modules that the studio shares with exported pages.

export * from "./arrays.js";
export * from "./fov.js";
export * from "./games.js";
export * from "./marks.js";
export * from "./picture.js";
export { Play } from "./play.js";
export { View } from "./view.js";
