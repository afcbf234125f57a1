const { JSDOM } = require("jsdom");
const window = new JSDOM("<canvas></canvas>").window;
window.HTMLCanvasElement.prototype.getContext = () => null;
window.AudioContext = class { createGain() { return { connect() {}, gain: {} }; } };
Object.assign(globalThis, { window, self: window, document: window.document, AudioContext: window.AudioContext });
for (const name of ["HTMLElement", "HTMLImageElement", "HTMLCanvasElement", "Image", "Element", "Node", "Event"]) {
  globalThis[name] = window[name];
}
const { LdtkProjectMetadata } = require("@excaliburjs/plugin-ldtk");
const project = JSON.parse(require("fs").readFileSync(process.argv[2]));
console.log(JSON.stringify(LdtkProjectMetadata.safeParse(project).success));
