// Methods of the canvas: pointer, tools, selection and locks. A stroke is shown at once and sent to Python when it
// ends; the map that Python returns replaces it.

import { encodeArray, packBits } from "tilewright-page";
import { brushBox, cellsIn, floodFill, spanBox, visitLine } from "./cells.js";
import { focus } from "./keys.js";

const MAX_BRUSH_SIZE = 9;
const PAINTING = ["brush", "rectangle", "bucket"];

export const painting = {
  // -- pointer ------------------------------------------------------------------------------------------------

  down(event) {
    focus(this);
    document.activeElement?.blur?.(); // so that keys go to the canvas
    this.$refs.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.pointOf(event));
    if (this.pointers.size > 1) return this.beginPinch();
    this.hoverAt(event);
    const cell = this.view.cellAt(...this.pointOf(event));
    const isPan = event.button === 1 || this.isSpaceDown || this.tool === "hand";
    if (!this.scene || isPan || (!this.canEdit && event.button === 0)) this.gesture = { kind: "pan" };
    else if (event.button === 2 || event.altKey || this.tool === "picker") this.pick(cell);
    else if (event.button === 0 && this.isLandmarkTool) this.grabLandmark(event);
    else if (event.button === 0) this.begin(cell, event.shiftKey);
    this.redraw();
  },

  begin(cell, adds) {
    if (this.tool === "select" || this.tool === "rectangle") {
      this.gesture = { kind: this.tool, from: cell, to: cell, adds };
      return;
    }
    const isInside = this.view.has(...cell);
    if (this.tool === "bucket" && !isInside) return;
    this.gesture = { kind: this.tool, last: cell, stroke: this.beginStroke() };
    if (this.tool === "bucket") this.paintCells(floodFill(this.scene.cells, cell, this.level, this.scene));
    else this.brush(cell);
  },

  move(event) {
    const [x, y] = this.pointOf(event);
    const before = this.pointers.get(event.pointerId);
    const isAtRest = this.isAtRest(event);
    if (!before) return isAtRest ? undefined : this.hoverAt(event);
    this.pointers.set(event.pointerId, [x, y]);
    const { gesture, view } = this;
    if (gesture?.kind === "pinch") return this.pinch();
    if (gesture?.kind === "pan") {
      view.pan(x - before[0], y - before[1]);
    } else if (gesture?.kind === "brush") {
      for (const one of event.getCoalescedEvents?.() ?? []) this.brushTo(view.cellAt(...this.pointOf(one)));
      this.brushTo(view.cellAt(x, y));
    } else if (gesture?.to) {
      gesture.to = view.cellAt(x, y);
    }
    this.hoverAt(event);
    this.redraw();
  },

  // Returns whether the pointer is where it was. Browsers send moves also if only the page below the pointer has moved;
  // they must not replace the cell that was chosen with the keyboard.
  isAtRest({ clientX, clientY }) {
    const before = this.pointedAt;
    this.pointedAt = [clientX, clientY];
    return before?.[0] === clientX && before?.[1] === clientY;
  },

  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    const { gesture } = this;
    if (gesture?.kind === "pinch" && this.pointers.size) return;
    this.gesture = null;
    if (gesture?.kind === "rectangle") this.fillRectangle(gesture);
    if (gesture?.kind === "select") this.select(gesture);
    if (gesture?.kind === "landmark") this.dropLandmark(gesture);
    if (gesture?.stroke) this.endStroke(gesture.stroke);
    if (event.pointerType === "touch") this.hovered = null;
    this.redraw();
  },

  cancel(event) {
    this.pointers.delete(event.pointerId);
    this.cancelGesture();
  },

  leave() {
    if (this.pointers.size) return;
    this.hovered = this.pointedAt = null;
    this.updateHover();
    this.redraw();
  },

  // Cancels the current gesture and undoes its stroke.
  cancelGesture() {
    const stroke = this.gesture?.stroke;
    this.gesture = null;
    if (!stroke) return;
    Object.assign(this.scene, stroke.before);
    this.strokes = this.strokes.filter((one) => one !== stroke);
    this.updateLayer();
  },

  pointOf(event) {
    const { left, top } = this.$refs.canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  },

  hoverAt(event) {
    const cell = this.view.cellAt(...this.pointOf(event));
    if (this.hovered && cell[0] === this.hovered[0] && cell[1] === this.hovered[1]) return;
    this.hovered = cell;
    this.updateHover();
    this.redraw();
  },

  updateHover() {
    const layer = this.layer();
    const [x, y] = this.hovered ?? [-1, -1];
    const isInside = layer && this.view.has(x, y);
    const place = isInside ? this.picture.first + y * layer.width + x : 0;
    const tile = isInside ? layer.tiles?.[layer.cells?.[place]] : null;
    if (!tile) return Object.assign(this.pointer, { tile: "" });
    const { rooms = [], markers = [], locked } = layer;
    const level = this.picture.level;
    const isIn = ([left, top, wide, high]) => x >= left && y >= top && x < left + wide && y < top + high;
    const room = rooms.findIndex(isIn);
    const named = markers.filter((one) => one[1] === x && one[2] === y && one[3] === level).map(([name]) => name);
    const label = room < 0 ? null : [room, ...rooms[room].slice(4)].join(" ");
    const facts = { room: label, markers: named.join(", "), isLocked: Boolean(locked?.[place]) };
    Object.assign(this.pointer, { x, y, level, tile: tile.name, color: tile.color, ...facts });
  },

  // -- zoom and pan -------------------------------------------------------------------------------------------

  beginPinch() {
    this.cancelGesture();
    this.gesture = { kind: "pinch", ...this.measurePinch() };
  },

  // Returns the midpoint and distance of two fingers.
  measurePinch() {
    const [[x, y], [toX, toY]] = [...this.pointers.values()];
    return { middle: [(x + toX) / 2, (y + toY) / 2], wide: Math.max(1, Math.hypot(toX - x, toY - y)) };
  },

  pinch() {
    if (this.pointers.size < 2) return;
    const { middle, wide } = this.measurePinch();
    const { gesture, view } = this;
    view.pan(middle[0] - gesture.middle[0], middle[1] - gesture.middle[1]);
    view.zoomTo((view.zoom * wide) / gesture.wide, ...middle);
    Object.assign(gesture, { middle, wide });
    this.onZoom();
  },

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1; // some browsers report lines
    const [right, down] = [event.deltaX * lines, event.deltaY * lines];
    if (!event.ctrlKey && (right || event.shiftKey)) this.view.pan(-(right || down), right ? -down : 0);
    else this.view.zoomTo(this.view.zoom * Math.exp(-down * (event.ctrlKey ? 0.01 : 0.002)), ...this.pointOf(event));
    this.onZoom();
    this.hoverAt(event);
  },

  onZoom() {
    this.zoom = this.view.zoom;
    this.redraw();
  },

  stepZoom(direction) {
    this.view.step(direction);
    this.onZoom();
  },

  fit() {
    this.view.fit();
    this.onZoom();
  },

  actualSize() {
    this.view.zoomTo(this.sheet?.side ?? 16);
    this.onZoom();
  },

  // -- painting -----------------------------------------------------------------------------------------------

  choose(tile) {
    this.tile = tile;
    if (!PAINTING.includes(this.tool)) this.tool = "brush";
  },

  pick(cell) {
    if (!this.view.has(...cell)) return;
    const { width, height, cells } = this.scene;
    this.tile = cells[(this.level * height + cell[1]) * width + cell[0]];
    if (this.tool === "picker") this.tool = this.lastPainting;
  },

  resizeBrush(change) {
    this.size = Math.max(1, Math.min(MAX_BRUSH_SIZE, this.size + change));
    this.redraw();
  },

  beginStroke() {
    const { cells, looks, locked } = this.scene;
    const stroke = {
      number: ++this.strokeCount,
      tile: this.tile,
      lock: !this.simple && this.locking,
      mask: new Uint8Array(cells.length),
      before: { cells: cells.slice(), looks: looks?.slice() ?? null, locked: locked?.slice() ?? null },
      hasChanges: false,
    };
    this.strokes.push(stroke);
    return stroke;
  },

  brush(cell) {
    const box = brushBox(...cell, this.size, this.scene);
    if (box.right > box.left && box.bottom > box.top) this.paintCells(cellsIn(box, this.level, this.scene), box);
  },

  brushTo(cell) {
    const { gesture } = this;
    if (cell[0] === gesture.last[0] && cell[1] === gesture.last[1]) return;
    visitLine(gesture.last, cell, (column, row) => this.brush([column, row]));
    gesture.last = cell;
  },

  // Sets cells to the stroke's tile; `box` contains all of them.
  paintCells(places, box = { left: 0, top: 0, right: this.scene.width, bottom: this.scene.height }) {
    const { stroke } = this.gesture;
    for (const place of places) {
      stroke.mask[place] = 1;
      this.paintTile(place, stroke);
    }
    this.picture.updateBox(box);
  },

  paintTile(place, stroke) {
    const { scene } = this;
    const wasLocked = !stroke.lock || scene.locked?.[place] > 0;
    if (scene.cells[place] !== stroke.tile || !wasLocked) stroke.hasChanges = true;
    scene.cells[place] = stroke.tile;
    if (scene.looks) scene.looks[place] = stroke.tile;
    if (!wasLocked) (scene.locked ??= new Uint8Array(scene.cells.length))[place] = 1;
  },

  // Paints a stroke that Python has not received yet over a newer map.
  repaint(stroke) {
    const { cells, looks, locked } = this.scene;
    stroke.before = { cells: cells.slice(), looks: looks?.slice() ?? null, locked: locked?.slice() ?? null };
    for (let place = 0; place < stroke.mask.length; place++) if (stroke.mask[place]) this.paintTile(place, stroke);
  },

  fillRectangle({ from, to }) {
    const box = spanBox(from, to, this.scene);
    if (box.right <= box.left || box.bottom <= box.top) return;
    this.gesture = { kind: "rectangle", stroke: this.beginStroke() };
    this.paintCells(cellsIn(box, this.level, this.scene), box);
    const { stroke } = this.gesture;
    this.gesture = null;
    this.endStroke(stroke);
  },

  endStroke(stroke) {
    stroke.before = null;
    if (!stroke.hasChanges) {
      this.strokes = this.strokes.filter((one) => one !== stroke);
      return;
    }
    this.count();
    this.updateHover();
    const { tile, lock, number } = stroke;
    this.send("paint", stroke.mask, { tile, lock, stroke: number });
  },

  // Sends cells to Python.
  send(event, mask, more = {}) {
    this.$emit(event, { cells: encodeArray(packBits(mask)), ...more });
  },

  // -- selection and locks ------------------------------------------------------------------------------------

  select({ from, to, adds }) {
    const box = spanBox(from, to, this.scene);
    const isEmpty = box.right <= box.left || box.bottom <= box.top;
    if (!adds || !this.selection) this.selection = isEmpty ? null : new Uint8Array(this.scene.cells.length);
    for (const place of isEmpty ? [] : cellsIn(box, this.level, this.scene)) this.selection[place] = 1;
    this.count();
  },

  selectAll() {
    if (!this.canEdit) return;
    this.selection = new Uint8Array(this.scene.cells.length).fill(1);
    this.count();
    this.redraw();
  },

  lockSelection() {
    this.setLocks("lock", 1);
  },

  unlockSelection() {
    if (this.lockedCount) this.setLocks("unlock", 0);
  },

  setLocks(event, value) {
    if (!this.selectedCount || !this.canEdit || this.simple) return;
    const locked = (this.scene.locked ??= new Uint8Array(this.scene.cells.length));
    for (let place = 0; place < locked.length; place++) if (this.selection[place]) locked[place] = value;
    this.send(event, this.selection);
    this.count();
    this.redraw();
  },

  unlockAll() {
    if (!this.lockedCount) return;
    this.scene.locked = null;
    this.$emit("unlock", { cells: null });
    this.count();
    this.redraw();
  },

  escape() {
    if (this.gesture) return this.cancelGesture(), this.redraw();
    this.selection = null;
    if (this.scene) this.count();
    this.redraw();
  },
};
