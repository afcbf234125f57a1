// Methods of the canvas: what Python shows it, and how that is drawn.

import { markRaw } from "vue";
import { brushed, spanned } from "./cells.js";
import { unpackedFrame } from "./film.js";
import { drawGrid, drawHover, drawLines, drawLinks, drawLocks, drawMarkers, drawSelection, drawSpan } from "./marks.js";
import { unpacked, unpackedCells } from "./packing.js";
import { Picture, Sheet, enlarged, pixelsOf, surface } from "./picture.js";

const MOST_KEPT = 16; // tilesets and sheets; Python counts only on the last one
const DIMMED = 0.7; // how much of work in progress is seen
const NO_TILES = { tiles: markRaw([]), pixels: new Uint32Array(0) };

export const showing = {
  // -- from Python --------------------------------------------------------------------------------------------

  async show(told) {
    const turn = ++this.turn;
    this.learn(told);
    const [cells, looks, locked, sheet] = await Promise.all([
      unpackedCells(told.cells, told.bits),
      told.looks ? unpackedCells(told.looks, 16) : null,
      told.locked ? unpacked(told.locked) : null,
      told.sheet ? this.sheets.get(told.sheet.digest) : null,
    ]);
    if (turn !== this.turn) return; // something newer is on its way
    this.take({ ...told, ...this.tilesets.get(told.tileset), cells, looks, locked, sheet });
  },

  async progress(told) {
    const [turn, glance] = [this.turn, ++this.glance];
    if (told) this.learn(told);
    const layer = told && this.dressed(await unpackedFrame(told));
    if (turn !== this.turn || glance !== this.glance) return; // a map or another look at the work came since
    this.work = layer;
    this.done = layer?.done ?? null;
    this.progressNote = layer ? [layer.stage, layer.note].filter(Boolean).join(": ") || "working" : "";
    if (layer) this.dropGesture();
    this.stage();
  },

  async overlay(told) {
    const turn = ++this.overlayTurn;
    const tint = told && (await unpacked(told.tint));
    if (turn !== this.overlayTurn) return;
    this.over = told && { ...told, levels: tinted(told, tint) };
    this.legend = told?.legend ?? "";
    this.redraw();
  },

  set(settings) {
    const { overlay, ...others } = settings;
    if (overlay !== undefined) this.overlayName = overlay;
    for (const [name, value] of Object.entries(others)) if (name in this.$data) this[name] = value;
    this.redraw();
  },

  // Where the middle of a cell is in the window.
  place(column, row) {
    const { left, top } = this.$refs.canvas.getBoundingClientRect();
    const { view } = this;
    return [left + view.left + (column + 0.5) * view.zoom, top + view.top + (row + 0.5) * view.zoom];
  },

  // Tiles and sheets come once; what names them later finds them here.
  learn({ tileset, tiles, sheet }) {
    if (tiles) keep(this.tilesets, tileset, { tiles: markRaw(tiles), pixels: pixelsOf(tiles) });
    if (sheet?.url) keep(this.sheets, sheet.digest, Sheet.of(sheet));
  },

  // A frame with its tiles, and with the map's sprites if they are of the same tileset.
  dressed(frame) {
    const sheet = frame.tileset === this.scene?.tileset ? this.scene.sheet : null;
    return { ...frame, ...(this.tilesets.get(frame.tileset) ?? NO_TILES), sheet };
  },

  // -- what is on the stage -----------------------------------------------------------------------------------

  take(scene) {
    const before = this.scene;
    const isAlike = ["width", "height", "depth"].every((side) => before?.[side] === scene[side]);
    this.scene = scene;
    this.work = null;
    this.progressNote = "";
    if (!isAlike) {
      this.gesture = null;
      this.strokes = [];
      this.selection = null;
      this.level = 0;
      this.views.clear();
    }
    // What was painted while this was on its way lies over it.
    this.strokes = this.strokes.filter(({ number }) => number > scene.stroke);
    for (const stroke of this.strokes) this.putAgain(stroke);
    const chosen = this.tiles[this.tile]?.name;
    if (this.tiles !== scene.tiles) {
      this.tiles = scene.tiles;
      this.tile = Math.max(0, this.tiles.findIndex(({ name }) => name === chosen));
    }
    if (this.sheet?.url !== scene.sheet?.url) this.sheet = scene.sheet && markRaw(scene.sheet);
    const { width, height, depth, painted, note, key } = scene;
    Object.assign(this, { width, height, depth, painted, note, mapKey: key });
    if (!this.isLast) this.goTo(this.frames - 1);
    this.count();
    this.stage();
  },

  // The layer to look at: work in progress, a frame, or the map.
  layer() {
    return this.work ?? this.still ?? this.scene;
  },

  // Something else is to be looked at.
  stage() {
    const layer = this.layer();
    if (!layer) return this.redraw();
    const { view } = this;
    const size = (columns, rows) => `${columns}x${rows}`;
    if (view.columns !== layer.width || view.rows !== layer.height) {
      this.views.set(size(view.columns, view.rows), view.saved());
      view.hold(layer.width, layer.height);
      Object.assign(view, this.views.get(size(layer.width, layer.height)));
      this.zoom = view.zoom;
    }
    this.picture.use(layer, Math.min(this.level, layer.depth - 1));
    this.tellHover();
    this.redraw();
  },

  count() {
    const { locked } = this.scene;
    this.lockedCount = locked ? locked.reduce((sum, one) => sum + (one > 0), 0) : 0;
    this.selectedCount = this.selection ? this.selection.reduce((sum, one) => sum + one, 0) : 0;
  },

  // -- drawing ------------------------------------------------------------------------------------------------

  redraw() {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = null;
      this.draw();
    });
  },

  draw() {
    const { view, scene } = this;
    const pen = this.$refs.canvas?.getContext("2d");
    const layer = this.layer();
    if (!pen) return;
    pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
    if (!layer || !view.width) return;
    pen.globalAlpha = this.work ? DIMMED : 1;
    this.picture.draw(pen, view, this.sprites);
    pen.globalAlpha = 1;
    const level = this.picture.level;
    const isMap = layer === scene;
    const over = isMap && this.over?.width === layer.width && this.over.height === layer.height ? this.over : null;
    if (over) enlarged(pen, view, over.levels[Math.min(level, over.levels.length - 1)]);
    if (this.grid) drawGrid(pen, view);
    pen.lineWidth = 1;
    pen.strokeStyle = this.frameColor;
    const [left, top] = [view.x(0), view.y(0)];
    pen.strokeRect(left - 0.5, top - 0.5, view.x(view.columns) - left + 1, view.y(view.rows) - top + 1);
    if (over?.lines.length) drawLinks(pen, view, over.lines);
    if (layer.lines?.length) drawLines(pen, view, layer.lines);
    if (!isMap) return;
    if (scene.locked) drawLocks(pen, view, scene.locked, level);
    if (scene.markers.length) drawMarkers(pen, view, scene.markers, level);
    if (this.selection) drawSelection(pen, view, this.selection, level);
    this.drawPointer(pen);
  },

  drawPointer(pen) {
    const { view, gesture, hovered, scene } = this;
    const isSpan = gesture?.kind === "select" || gesture?.kind === "rectangle";
    if (isSpan) {
      const color = gesture.kind === "rectangle" ? this.tiles[this.tile].color : null;
      drawSpan(pen, view, spanned(gesture.from, gesture.to, scene), color);
    } else if (hovered && view.has(...hovered)) {
      const size = this.tool === "brush" && this.canEdit ? this.size : 1;
      drawHover(pen, view, brushed(...hovered, size, scene));
    }
  },

  // The colour of the page's lines, and the size of the canvas.
  readTheme() {
    this.frameColor = getComputedStyle(this.$el).getPropertyValue("--tw-line").trim() || "#34313f";
    this.redraw();
  },

  measure() {
    const { field, canvas } = this.$refs;
    if (!field || !field.clientWidth) return;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [field.clientWidth, field.clientHeight];
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    this.view.resize(width, height, ratio);
    this.zoom = this.view.zoom;
    this.draw();
  },
};

function keep(known, name, value) {
  known.delete(name);
  known.set(name, value);
  if (known.size > MOST_KEPT) known.delete(known.keys().next().value);
}

// A canvas for every level of an overlay's tint.
function tinted({ width, height, depth }, tint) {
  return Array.from({ length: depth }, (_, level) => {
    const canvas = surface(width, height);
    const bytes = new Uint8ClampedArray(tint.buffer, 4 * level * width * height, 4 * width * height);
    canvas.getContext("2d").putImageData(new ImageData(bytes, width, height), 0, 0);
    return canvas;
  });
}
