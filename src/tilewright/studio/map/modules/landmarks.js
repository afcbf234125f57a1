// Methods of the canvas: markers and rooms are added, moved, renamed and removed by hand. An edit is shown at once and
// sent to Python; the map that Python returns replaces it.

import { markRaw } from "vue";
import { drawHover, drawMarkers, drawSpan } from "tilewright-page";
import { spanBox } from "./cells.js";
import { drawCorners, drawRings, drawRooms } from "./landmark_drawing.js";

const [MOUSE_REACH, TOUCH_REACH] = [10, 22]; // pixels around a corner of a room that belong to it
const MARKER_REACH = 12; // pixels around a marker that belong to it for a finger; more would leave no free floor
const NEW_ROOM = 3; // edge length of a room that is added with the keyboard
const NARROW = 600; // pixels
const FADED = 0.3; // opacity of markers that are not highlighted

export const LANDMARK_TOOLS = [
  { name: "marker", icon: "place", label: "Markers: click to add, drag to move", hint: "E" },
  { name: "room", icon: "meeting_room", label: "Rooms: drag to add, move or resize", hint: "O" },
];

// Reactive state. A marker is [name, x, y, level, properties], a room [x, y, width, height, name], as in Python.
export const landmarkState = () => ({
  chosen: null, // {kind, number, item}: the selected marker or room; the number is -1 while the map does not have it
  markerName: "start", // name of the next marker
  markerKinds: [], // rows of the legend
  hiddenMarkers: [], // names
  highlighted: "", // name
});

export const landmarkComputed = {
  isLandmarkTool() {
    return LANDMARK_TOOLS.some(({ name }) => name === this.tool);
  },
  chosenHere() {
    const { chosen } = this;
    return chosen && chosen.kind === this.tool && chosen.number >= 0 && this.canEdit ? chosen : null;
  },
  cardProps() {
    return { chosen: this.chosenHere, icons: this.scene?.icons, names: this.markerKinds.map(({ name }) => name) };
  },
};

export const landmarks = {
  // -- pointer ------------------------------------------------------------------------------------------------

  grabLandmark(event) {
    const point = this.pointOf(event);
    const cell = this.view.cellAt(...point);
    const isTouch = event.pointerType === "touch";
    const corner = this.cornerAt(point, isTouch ? TOUCH_REACH : MOUSE_REACH);
    const number = corner ? this.chosenHere.number : event.shiftKey ? -1 : this.landmarkAt(point, isTouch);
    const item = this.items()[number];
    this.chooseLandmark(item ? number : -1);
    this.gesture = { kind: "landmark", from: cell, to: cell, number: item ? number : -1, item, corner };
  },

  dropLandmark(gesture) {
    const { from, to, number } = gesture;
    if (number >= 0) {
      const after = this.draggedItem(gesture);
      if (String(after) !== String(gesture.item)) this.changeLandmark(number, after);
    } else if (this.tool === "marker") {
      if (this.view.has(...to)) this.addMarker(to);
    } else if (String(from) !== String(to)) {
      const room = roomOf(spanBox(from, to, this.scene));
      if (room[2] > 0 && room[3] > 0) this.changeLandmark(-1, room);
    }
  },

  // Returns the marker or room of a gesture where it is being dragged.
  draggedItem({ from, to, item, corner }) {
    const moved = [to[0] - from[0], to[1] - from[1]];
    return corner ? this.resized(item, corner, moved) : this.moved(item, moved);
  },

  // Returns a marker or room moved by some cells, inside the map.
  moved(item, [right, down]) {
    const { width, height } = this.scene;
    const clamp = (value, most) => Math.max(0, Math.min(most, value));
    if (this.tool === "room") {
      const [x, y, wide, high, ...more] = item;
      return [clamp(x + right, width - wide), clamp(y + down, height - high), wide, high, ...more];
    }
    const [name, x, y, ...more] = item;
    return [name, clamp(x + right, width - 1), clamp(y + down, height - 1), ...more];
  },

  // Returns a room whose corner ([0 or 1, 0 or 1]; 1 is right or bottom) was moved by some cells.
  resized([x, y, wide, high, ...more], [isRight, isBottom], [right, down]) {
    const { width, height } = this.scene;
    const resize = (start, length, isEnd, by, most) => {
      const end = start + length;
      if (isEnd) return [start, Math.max(1, Math.min(most, end + by) - start)];
      const begin = Math.max(0, Math.min(end - 1, start + by));
      return [begin, end - begin];
    };
    const [left, newWidth] = resize(x, wide, isRight, right, width);
    const [top, newHeight] = resize(y, high, isBottom, down, height);
    return [left, top, newWidth, newHeight, ...more];
  },

  // Returns the number of the marker or room at a point of the canvas, or -1.
  landmarkAt([x, y], isTouch) {
    const { view } = this;
    const [column, row] = view.cellAt(x, y);
    if (this.tool === "room") {
      const isIn = ([left, top, wide, high]) =>
        column >= left && row >= top && column < left + wide && row < top + high;
      const hits = this.items().flatMap((room, number) => (isIn(room) ? [number] : []));
      const area = (number) => this.items()[number][2] * this.items()[number][3];
      return hits.reduce((best, one) => (best < 0 || area(one) < area(best) ? one : best), -1);
    }
    let [nearest, number] = [Math.max(MARKER_REACH, view.zoom / 2), -1];
    this.items().forEach(([name, atX, atY, level], one) => {
      if (level !== this.level || this.hiddenMarkers.includes(name)) return;
      const far = Math.max(
        Math.abs(view.left + (atX + 0.5) * view.zoom - x),
        Math.abs(view.top + (atY + 0.5) * view.zoom - y),
      );
      const isSameCell = atX === column && atY === row;
      if (isSameCell || (isTouch && far < nearest)) [nearest, number] = [isSameCell ? 0 : far, one];
    });
    return number;
  },

  // Returns the corner of the selected room at a point, or null.
  cornerAt([x, y], reach) {
    if (this.tool !== "room" || !this.chosenHere) return null;
    const { view } = this;
    const [left, top, wide, high] = this.chosenHere.item;
    let [nearest, found] = [reach, null];
    for (const corner of CORNERS) {
      const atX = view.left + (left + corner[0] * wide) * view.zoom;
      const atY = view.top + (top + corner[1] * high) * view.zoom;
      const far = Math.max(Math.abs(atX - x), Math.abs(atY - y));
      if (far <= nearest) [nearest, found] = [far, corner];
    }
    return found;
  },

  // -- keyboard -----------------------------------------------------------------------------------------------

  // Runs a command of a key; returns false if the tools of markers and rooms do not have it.
  runLandmarkCommand(command) {
    if (!this.isLandmarkTool || !this.canEdit || this.game) return false;
    const [word, ...steps] = command.split(" ");
    const { chosenHere } = this;
    if (word === "move" || word === "resize") this.stepBy(steps.map(Number), word === "resize");
    else if (command === "delete") this.removeChosen();
    else if (command === "regenerate") chosenHere ? this.renameChosen() : this.actAtCursor();
    else if (command === "escape" && chosenHere && !this.gesture) this.chooseLandmark(-1);
    else return false;
    return true;
  },

  // Moves the selected marker or room, or else the cell of the keyboard.
  stepBy(step, isResize) {
    const { chosenHere, view } = this;
    if (chosenHere) {
      const { item, number } = chosenHere;
      const after = isResize && this.tool === "room" ? this.resized(item, [1, 1], step) : this.moved(item, step);
      if (String(after) !== String(item)) this.changeLandmark(number, after, `${this.tool} ${number}`);
      return;
    }
    const { left, top, right, bottom } = view.visible;
    const start = this.hovered && view.has(...this.hovered) ? this.hovered : null;
    const [x, y] = start ?? [(left + right) >> 1, (top + bottom) >> 1];
    const [column, row] = start ? [x + step[0], y + step[1]] : [x, y];
    this.hovered = [Math.max(0, Math.min(this.width - 1, column)), Math.max(0, Math.min(this.height - 1, row))];
    this.updateHover();
    this.redraw();
  },

  // Selects the marker or room at the cell of the keyboard, or adds one.
  actAtCursor() {
    const { hovered, view } = this;
    if (!hovered || !view.has(...hovered)) return this.stepBy([0, 0], false);
    const middle = [view.left + (hovered[0] + 0.5) * view.zoom, view.top + (hovered[1] + 0.5) * view.zoom];
    const number = this.landmarkAt(middle, false);
    if (number >= 0) return this.chooseLandmark(number);
    if (this.tool === "marker") return this.addMarker(hovered);
    const to = [hovered[0] + NEW_ROOM - 1, hovered[1] + NEW_ROOM - 1];
    this.changeLandmark(-1, roomOf(spanBox(hovered, to, this.scene)));
  },

  // Returns whether the card of the selection would cover too much of the map.
  isNarrow() {
    return this.view.width < NARROW;
  },

  // -- edits --------------------------------------------------------------------------------------------------

  items() {
    return this.scene?.[`${this.tool}s`] ?? [];
  },

  // Selects a marker or room by number; -1 selects none.
  chooseLandmark(number) {
    const item = this.items()[number];
    this.chosen = item ? { kind: this.tool, number, item } : null;
    this.redraw();
  },

  addMarker([x, y]) {
    this.changeLandmark(-1, [this.markerName, x, y, this.level]);
  },

  removeChosen() {
    if (this.chosenHere) this.changeLandmark(this.chosenHere.number, null);
  },

  renameChosen() {
    this.$nextTick(() => this.$refs.card?.focusName());
  },

  // Changes, adds (number -1) or removes (no item) a marker or room. Steps with the keyboard share an undo group.
  changeLandmark(number, after, nudged = "") {
    const { tool, scene } = this;
    const items = this.items();
    const before = items[number] ?? null;
    if (before && after) items[number] = after;
    if (before && !after) {
      items.splice(number, 1);
      if (tool === "marker") scene.icons.numbers.splice(number, 1);
    }
    this.chosen = after && { kind: tool, number: before ? number : -1, item: after };
    this.$emit("landmarks", { edits: { [`${tool}s`]: [[before, after]] }, nudged, edit: ++this.editCount });
    this.updateLandmarks();
    this.updateHover();
    this.redraw();
  },

  // Keeps edits that Python had not received when it sent a map.
  keepEdits(scene, { markers, rooms, icons }) {
    if (scene.edit < this.editCount) Object.assign(scene, { markers, rooms, icons });
  },

  // Updates the legend and the selection after the markers or rooms have changed.
  updateLandmarks() {
    const { chosen, scene } = this;
    const kinds = new Map();
    scene.markers.forEach(([name], number) => {
      const icon = scene.icons.numbers[number];
      kinds.set(name, { name, icon: kinds.get(name)?.icon ?? icon, count: (kinds.get(name)?.count ?? 0) + 1 });
    });
    this.markerKinds = markRaw([...kinds.values()].sort((one, other) => one.name.localeCompare(other.name)));
    if (this.highlighted && !kinds.has(this.highlighted)) this.highlighted = "";
    if (!chosen) return;
    const length = 4; // the properties of a marker and the name of a room are not compared
    const isSame = (item) => String(item.slice(0, length)) === String(chosen.item.slice(0, length));
    const number = scene[`${chosen.kind}s`].findIndex(isSame);
    this.chosen = { ...chosen, number, item: number < 0 ? chosen.item : scene[`${chosen.kind}s`][number] };
  },

  toggleHighlight(name) {
    this.highlighted = this.highlighted === name ? "" : name;
    this.hiddenMarkers = this.hiddenMarkers.filter((one) => one !== name);
    this.redraw();
  },

  toggleHidden(name) {
    const isHidden = this.hiddenMarkers.includes(name);
    this.hiddenMarkers = isHidden ? this.hiddenMarkers.filter((one) => one !== name) : [...this.hiddenMarkers, name];
    if (!isHidden && this.highlighted === name) this.highlighted = "";
    this.redraw();
  },

  // -- drawing ------------------------------------------------------------------------------------------------

  drawLandmarks(pen, level) {
    const { view, gesture, scene, highlighted } = this;
    const isDragged = gesture?.kind === "landmark" && gesture.number >= 0;
    const dragged = isDragged ? this.draggedItem(gesture) : null;
    if (this.tool === "room" && !this.simple) {
      const rooms = scene.rooms.map((room, number) => (isDragged && number === gesture.number ? dragged : room));
      drawRooms(pen, view, rooms, this.chosenHere?.number);
      if (this.chosenHere) drawCorners(pen, view, rooms[this.chosenHere.number], CORNERS);
    }
    const shown = [...scene.markers.keys()].filter((number) => !this.hiddenMarkers.includes(scene.markers[number][0]));
    const markerOf = (number) =>
      isDragged && this.tool === "marker" && number === gesture.number ? dragged : scene.markers[number];
    const draw = (numbers) => {
      const icons = { ...scene.icons, numbers: numbers.map((number) => scene.icons.numbers[number]) };
      if (numbers.length) drawMarkers(pen, view, { markers: numbers.map(markerOf), icons }, level);
    };
    const [bright, others] = [[], []];
    for (const number of shown) (scene.markers[number][0] === highlighted ? bright : others).push(number);
    pen.globalAlpha = highlighted ? FADED : 1;
    draw(others);
    pen.globalAlpha = 1;
    draw(bright);
    const isHere = (marker) => marker[3] === level;
    drawRings(pen, view, bright.map(markerOf).filter(isHere), false);
    if (this.chosenHere?.kind === "marker") drawRings(pen, view, [markerOf(this.chosenHere.number)].filter(isHere), true);
    if (gesture?.kind === "landmark" && gesture.number < 0) {
      if (this.tool === "room") drawSpan(pen, view, spanBox(gesture.from, gesture.to, scene), null);
      else drawHover(pen, view, spanBox(gesture.to, gesture.to, scene));
    }
  },
};

const CORNERS = [[0, 0], [1, 0], [0, 1], [1, 1]];

function roomOf({ left, top, right, bottom }) {
  return [left, top, right - left, bottom - top];
}
