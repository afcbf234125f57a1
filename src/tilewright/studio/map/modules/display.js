// Methods of the canvas: methods that Python calls, and drawing.

import { markRaw } from "vue";
import { Sheet, decodeArray, decodeCells, drawEnlarged, openImage, showsSprites, surface } from "tilewright-page";
import { tilePixels } from "tilewright-page";
import { drawGrid, drawHover, drawLines, drawLinks, drawLocks, drawSelection, drawSpan } from "tilewright-page";
import { brushBox, spanBox } from "./cells.js";
import { decodeFrame } from "./timeline.js";

const MAX_CACHED = 16; // tilesets and sheets; Python relies only on the last one
const PROGRESS_OPACITY = 0.7;
const NO_TILES = { tiles: markRaw([]), pixels: new Uint32Array(0) };

export const display = {
  // -- from Python --------------------------------------------------------------------------------------------

  async show(payload) {
    const request = ++this.mapRequest;
    this.storeAssets(payload);
    const [cells, sprites, locked, image] = await Promise.all([
      decodeCells(payload.cells, payload.bits),
      this.decodeSprites(payload),
      payload.locked ? decodeArray(payload.locked) : null,
      payload.icons ? openImage(payload.icons.url) : null,
    ]);
    if (request !== this.mapRequest) return; // a newer map was sent
    const icons = payload.icons && { ...payload.icons, image };
    this.setScene({ ...payload, ...this.tilesets.get(payload.tileset), cells, ...sprites, locked, icons });
  },

  // Receives the sprites of a map that was sent without them.
  async dress(payload) {
    this.storeAssets(payload);
    this.dressing = { key: payload.key, sprites: await this.decodeSprites(payload) };
    if (this.scene?.key !== payload.key || !this.scene.lacksSprites) return;
    Object.assign(this.scene, this.dressing.sprites);
    for (const stroke of this.strokes) this.repaint(stroke);
    this.updateLayer();
    if (this.wantsGame) this.startGame();
  },

  async decodeSprites({ key, looks, sheet, lacks_sprites: lacksSprites = false }) {
    const [found, pictures] = await Promise.all([
      looks ? decodeCells(looks, 16) : null,
      sheet ? this.sheets.get(sheet.digest) : null,
    ]);
    // They may have arrived while the map was decoded.
    if (lacksSprites && this.dressing?.key === key) return this.dressing.sprites;
    return { looks: found, sheet: pictures, lacksSprites };
  },

  async progress(payload) {
    const [mapRequest, progressRequest] = [this.mapRequest, ++this.progressRequest];
    if (payload) this.storeAssets(payload);
    const layer = payload && this.withTiles(await decodeFrame(payload));
    // A map or another frame was sent since.
    if (mapRequest !== this.mapRequest || progressRequest !== this.progressRequest) return;
    this.progressLayer = layer;
    this.done = layer?.done ?? null;
    this.progressNote = layer ? [layer.stage, layer.note].filter(Boolean).join(": ") || "working" : "";
    if (layer) this.cancelGesture();
    this.updateLayer();
  },

  async overlay(payload) {
    const request = ++this.overlayRequest;
    const tint = payload && (await decodeArray(payload.tint));
    if (request !== this.overlayRequest) return;
    this.overlayLayer = payload && { ...payload, levels: buildTintCanvases(payload, tint) };
    this.legend = payload?.legend ?? "";
    this.redraw();
  },

  set(settings) {
    const { overlay, ...others } = settings;
    if (overlay !== undefined) this.overlayName = overlay;
    for (const [name, value] of Object.entries(others)) if (name in this.$data) this[name] = value;
    this.redraw();
  },

  // Receives the fewest moves of the map's game, which are measured after the map was sent.
  setFewest(measured) {
    this.measured = measured;
    this.addFewest();
  },

  addFewest() {
    const { scene, measured } = this;
    if (!scene?.game || measured?.key !== scene.key) return;
    scene.game.fewest = measured.fewest;
    this.game?.setFewest(measured.fewest);
  },

  // Returns the position of a cell's center in the window.
  place(column, row) {
    const { left, top } = this.$refs.canvas.getBoundingClientRect();
    const { view } = this;
    return [left + view.left + (column + 0.5) * view.zoom, top + view.top + (row + 0.5) * view.zoom];
  },

  // Stores tiles and sheets, which are sent only once and later referred to by their digests.
  storeAssets({ tileset, tiles, sheet }) {
    if (tiles) store(this.tilesets, tileset, { tiles: markRaw(tiles), pixels: tilePixels(tiles) });
    if (!sheet?.pages.length) return;
    const known = this.sheets.get(sheet.digest);
    store(this.sheets, sheet.digest, known ? known.then((one) => one.add(sheet.pages)) : Sheet.of(sheet));
  },

  // Returns a frame with its tiles, and with its sprite sheet or that of the map if it has the same tileset.
  withTiles(frame) {
    const sheet = frame.sheet ?? (frame.tileset === this.scene?.tileset ? this.scene.sheet : null);
    return { ...frame, ...(this.tilesets.get(frame.tileset) ?? NO_TILES), sheet };
  },

  // -- layers -------------------------------------------------------------------------------------------------

  setScene(scene) {
    this.stopGame();
    this.wantsGame = false;
    const before = this.scene;
    const isSameSize = ["width", "height", "depth"].every((side) => before?.[side] === scene[side]);
    this.scene = scene;
    this.addFewest();
    this.progressLayer = null;
    this.progressNote = "";
    if (!isSameSize) {
      this.gesture = null;
      this.strokes = [];
      this.selection = null;
      this.level = 0;
      this.views.clear();
    } else this.keepEdits(scene, before);
    // Strokes that Python had not received when it sent the map are painted over it.
    this.strokes = this.strokes.filter(({ number }) => number > scene.stroke);
    for (const stroke of this.strokes) this.repaint(stroke);
    const chosen = this.tiles[this.tile]?.name;
    if (this.tiles !== scene.tiles) {
      this.tiles = scene.tiles;
      this.tile = Math.max(0, this.tiles.findIndex(({ name }) => name === chosen));
    }
    if (this.sheet?.digest !== scene.sheet?.digest) this.sheet = scene.sheet && markRaw(scene.sheet);
    const { width, height, depth, painted, note, key } = scene;
    Object.assign(this, { width, height, depth, painted, note, mapKey: key });
    if (!this.isLast) this.goTo(this.frames - 1);
    this.count();
    this.updateLandmarks();
    this.updateLayer();
  },

  // Reports to Python whether the map is shown with sprites. Python sends those that depend on neighbors only then.
  reportSprites() {
    const needsSprites = this.sprites && !this.simple && (showsSprites(this.view) || this.wantsGame);
    if (needsSprites === this.needsSprites) return;
    this.needsSprites = needsSprites;
    this.$emit("sprites", { needed: needsSprites });
  },

  // Returns the layer to show: progress, a frame of the timeline, or the map.
  layer() {
    return this.progressLayer ?? this.timelineLayer ?? this.scene;
  },

  // Shows another layer.
  updateLayer() {
    const layer = this.layer();
    if (!layer) return this.redraw();
    const { view } = this;
    const size = (columns, rows) => `${columns}x${rows}`;
    if (view.columns !== layer.width || view.rows !== layer.height) {
      this.views.set(size(view.columns, view.rows), view.save());
      view.setMapSize(layer.width, layer.height);
      Object.assign(view, this.views.get(size(layer.width, layer.height)));
      this.zoom = view.zoom;
    }
    this.picture.setLayer(layer, Math.min(this.level, layer.depth - 1));
    this.updateHover();
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
    this.reportSprites();
    pen.globalAlpha = this.progressLayer ? PROGRESS_OPACITY : 1;
    this.picture.draw(pen, view, this.sprites);
    pen.globalAlpha = 1;
    const level = this.picture.level;
    const isMap = layer === scene;
    const fits = this.overlayLayer?.width === layer.width && this.overlayLayer.height === layer.height;
    const overlay = isMap && fits ? this.overlayLayer : null;
    if (overlay) drawEnlarged(pen, view, overlay.levels[Math.min(level, overlay.levels.length - 1)]);
    if (this.grid) drawGrid(pen, view);
    pen.lineWidth = 1;
    pen.strokeStyle = this.frameColor;
    const [left, top] = [view.x(0), view.y(0)];
    pen.strokeRect(left - 0.5, top - 0.5, view.x(view.columns) - left + 1, view.y(view.rows) - top + 1);
    if (overlay?.lines.length) drawLinks(pen, view, overlay.lines);
    if (layer.lines?.length) drawLines(pen, view, layer.lines);
    if (!isMap) return;
    if (scene.locked) drawLocks(pen, view, scene.locked, level);
    this.drawLandmarks(pen, level);
    if (this.selection) drawSelection(pen, view, this.selection, level);
    this.drawPointer(pen);
  },

  drawPointer(pen) {
    const { view, gesture, hovered, scene } = this;
    const isSpan = gesture?.kind === "select" || gesture?.kind === "rectangle";
    if (isSpan) {
      const color = gesture.kind === "rectangle" ? this.tiles[this.tile].color : null;
      drawSpan(pen, view, spanBox(gesture.from, gesture.to, scene), color);
    } else if (hovered && view.has(...hovered)) {
      const size = this.tool === "brush" && this.canEdit ? this.size : 1;
      drawHover(pen, view, brushBox(...hovered, size, scene));
    }
  },

  // Reads the color of the map's frame from the page.
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

function store(cache, key, value) {
  cache.delete(key);
  cache.set(key, value);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value);
}

// Returns a canvas for every level of an overlay's tint.
function buildTintCanvases({ width, height, depth }, tint) {
  return Array.from({ length: depth }, (_, level) => {
    const canvas = surface(width, height);
    const bytes = new Uint8ClampedArray(tint.buffer, 4 * level * width * height, 4 * width * height);
    canvas.getContext("2d").putImageData(new ImageData(bytes, width, height), 0, 0);
    return canvas;
  });
}
