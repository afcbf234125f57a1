// The exported page: shows its map, and plays it. The data is in two blocks of the document.

import { decodeCells } from "./arrays.js";
import { Gestures } from "./gestures.js";
import { drawMarkers } from "./marks.js";
import { Picture, Sheet, openImage, tilePixels } from "./picture.js";
import { Play } from "./play.js";
import { View } from "./view.js";

const PHONE = "(max-width: 700px), (max-height: 500px)"; // on phones, the game fills the window

const find = (test) => document.querySelector(`[data-testid=${test}]`);
const readBlock = (id) => JSON.parse(document.getElementById(id).textContent);

// Returns what `Picture` and games show.
async function readScene() {
  const scene = readBlock("tilewright-scene");
  const [cells, looks, sheet, image] = await Promise.all([
    decodeCells(readBlock("tilewright-map").cells, scene.bits),
    scene.looks ? decodeCells(scene.looks, 16) : null,
    scene.sheet ? Sheet.of(scene.sheet) : null,
    scene.icons ? openImage(scene.icons.url) : null,
  ]);
  const icons = scene.icons && { ...scene.icons, image };
  return { ...scene, pixels: tilePixels(scene.tiles), cells, looks, sheet, icons };
}

class Viewer {
  constructor(scene) {
    this.scene = scene;
    this.field = find("field");
    this.canvas = this.field.querySelector("canvas");
    this.view = new View();
    this.picture = new Picture();
    this.setLevel(0);
    this.view.setMapSize(scene.width, scene.height);
    this.gestures = new Gestures(this.canvas, {
      tap: () => {},
      drag: (x, y) => (this.view.pan(x, y), this.redraw()),
      zoom: (factor, x, y) => (this.view.zoomTo(this.view.zoom * factor, x, y), this.redraw()),
    });
    const press = (test, action) => find(test)?.addEventListener("click", action);
    press("play", () => this.play());
    press("zoom-in", () => (this.view.step(1), this.redraw()));
    press("zoom-out", () => (this.view.step(-1), this.redraw()));
    press("fit", () => (this.view.fit(), this.redraw()));
    press("level-up", () => this.setLevel(this.level + 1));
    press("level-down", () => this.setLevel(this.level - 1));
    new ResizeObserver(() => this.measure()).observe(this.field);
  }

  setLevel(level) {
    if (level < 0 || level >= this.scene.depth) return;
    this.level = level;
    if (this.scene.depth > 1) find("level").textContent = `level ${level}`;
    this.picture.setLayer(this.scene, level);
    this.redraw();
  }

  measure() {
    const { clientWidth: width, clientHeight: height } = this.field;
    const ratio = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    this.view.resize(width, height, ratio);
    this.draw();
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = null;
    const pen = this.canvas.getContext("2d");
    pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
    this.picture.draw(pen, this.view, true);
    if (this.scene.markers.length) drawMarkers(pen, this.view, this.scene, this.level);
    this.field.dataset.zoom = this.view.zoom.toFixed(3);
  }

  play() {
    if (this.game) return;
    const fills = matchMedia(PHONE).matches;
    const onStop = () => ((this.game = null), find("play").focus());
    this.game = new Play(fills ? document.body : this.field, this.scene, { fills, onStop });
  }
}

readScene().then((scene) => {
  new Viewer(scene);
  document.body.dataset.ready = "true";
});
