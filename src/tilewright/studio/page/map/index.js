export * from "tilewright-page";
export * from "./cells.js";
export { display } from "./display.js";
export * as keys from "./keys.js";
export { painting } from "./painting.js";
export { playback } from "./playback.js";
export { template } from "./template.js";
export * from "./timeline.js";
export * from "./widgets.js";
