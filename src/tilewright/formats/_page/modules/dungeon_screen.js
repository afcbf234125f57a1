// The screen of the dungeon game: fog, markers and the player; steps, keys, messages and the direction buttons.

import { element } from "./dom.js";
import { nameKey } from "./dungeon.js";
import { drawGoal, drawPlayer } from "./figures.js";
import { drawMarkers } from "./marks.js";
import { drawEnlarged, surface } from "./picture.js";
import { neighborOf, positionOf, visitNeighbors } from "./steps.js";
import { PADS, WalkScreen } from "./walk_screen.js";

// Fog as ABGR: over cells that were not seen, and over cells that were seen before. It has the color of the page.
const UNSEEN = 0xff160e10;
const REMEMBERED = 0x9c160e10;
const KEY_SIZE = 24; // pixels of a key's picture

export class DungeonScreen extends WalkScreen {
  constructor(play, game, board) {
    super(play, game, board);
    this.hasFog = true;
    const { width, height } = board.size;
    this.fog = surface(width, height);
    this.pixels = new ImageData(width, height);
    this.steps = element("b", { "data-testid": "game-steps" });
    this.goal = element("span", { class: "tw-play-faint", "data-testid": "game-shortest" });
    this.levels = element("span", { class: "tw-play-faint", "data-testid": "game-level" });
    this.keys = element("span", { class: "tw-play-keys", role: "list", "aria-label": "Keys", "data-testid": "game-keys" });
    this.controls = [element("span", { class: "tw-play-facts" }, this.steps, this.goal, this.levels), this.keys];
    this.drawnCells = { cells: play.scene.cells.slice(), looks: play.scene.looks?.slice() ?? null };
    this.restart();
  }

  restart() {
    const { scene, picture } = this.play;
    for (const [name, drawn] of Object.entries(this.drawnCells)) scene[name]?.set(drawn);
    if (picture.layer) picture.update();
    super.restart();
  }

  // -- moves ----------------------------------------------------------------------------------------------------

  onTap(place) {
    const known = this.game.knownCells(this.board, this.state);
    if (place < 0 || !this.state.seen[place]) return;
    known[place] = 1; // so that the player walks up to a lock
    this.walkTo(place, known);
  }

  setState(state, now) {
    if (state.keys.length !== this.state?.keys.length) this.removeKey(state.at);
    super.setState(state, now);
    this.markers = this.findMarkers();
  }

  // Draws the ground in place of a tile that shows a key.
  removeKey(place) {
    const { scene, picture } = this.play;
    const { cells, looks, tiles } = scene;
    if (place < 0 || !/\bkey$/.test(tiles[cells[place]].name)) return;
    let ground = -1;
    visitNeighbors(this.board.size, place, (other) => {
      if (ground < 0 && this.board.passable[other] && !this.board.locks.has(other)) ground = other;
    });
    if (ground < 0) return;
    cells[place] = cells[ground];
    if (looks) looks[place] = looks[ground];
    const [x, y] = positionOf(this.board.size, place);
    if (picture.layer) picture.updateBox({ left: x, top: y, right: x + 1, bottom: y + 1 });
  }

  // Returns the markers in cells that were seen, without taken keys and opened locks, with their icons.
  findMarkers() {
    const { markers, icons, width, height } = this.play.scene;
    const { seen, keys, opened } = this.state;
    const isShown = ([name, x, y, level]) => {
      const place = (level * height + y) * width + x;
      const [word, ...color] = name.split(" ");
      if (word === "key" && keys.includes(color.join(" "))) return false;
      return seen[place] && !(word === "lock" && opened.includes(place));
    };
    const shown = markers.map((marker, number) => number).filter((number) => isShown(markers[number]));
    const numbers = icons && shown.map((number) => icons.numbers[number]);
    return { markers: shown.map((number) => markers[number]), icons: icons && { ...icons, numbers }, hasNames: false };
  }

  // -- drawing --------------------------------------------------------------------------------------------------

  // Shows the state: text, keys and fog.
  show() {
    const { state, board, play } = this;
    const [x, y, level] = state.at < 0 ? [0, 0, 0] : positionOf(board.size, state.at);
    play.setLevel(level);
    Object.assign(play.root.dataset, { x, y, level, steps: state.steps, keys: state.keys.join(",") });
    this.steps.textContent = `${state.steps} ${state.steps === 1 ? "step" : "steps"}`;
    this.goal.textContent = this.describeShortest();
    this.note.textContent = state.note;
    this.keys.hidden = !state.keys.length;
    if (this.keys.children.length !== state.keys.length)
      this.keys.replaceChildren(...state.keys.map((color) => this.drawKey(color)));
    if (board.size.depth > 1) this.showLevel(level);
    this.fillFog(level);
    this.showMessage();
    play.redraw();
  }

  // Shows the level, and whether there are cells above and below.
  showLevel(level) {
    const words = [`level ${level}`];
    for (const [direction, key] of [["ascend", "PageUp"], ["descend", "PageDown"]]) {
      const other = neighborOf(this.board.size, this.state.at, direction);
      const isOpen = other >= 0 && this.board.passable[other] > 0;
      this.pad.querySelector(`.tw-pad-${direction}`).disabled = !isOpen;
      if (isOpen) words.push(`${PADS[direction]} ${key}`);
    }
    this.levels.textContent = words.join(", ");
  }

  describeShortest() {
    const { shortest, isMarked } = this.board;
    const goal = isMarked ? "exit" : "far end";
    if (this.state.at < 0) return "";
    if (!shortest) return `no path to the ${goal}`;
    return shortest.isExact ? `shortest ${shortest.steps}` : `nearest keys first: ${shortest.steps}`;
  }

  // Shows a message while the player is at the exit.
  showMessage() {
    const { state, board, play } = this;
    if (state.wonAt === null || !board.exits.has(state.at)) return play.showResult(null);
    const goal = board.isMarked ? "You reached the exit" : "You reached the far end";
    play.showResult(goal, `${this.steps.textContent}, ${this.describeShortest()}`);
  }

  drawKey(color) {
    const canvas = surface(KEY_SIZE, KEY_SIZE);
    const { markers, icons } = this.play.scene;
    const number = markers.findIndex(([name]) => name === (color ? `key ${color}` : "key"));
    const icon = icons.numbers[number];
    const pen = canvas.getContext("2d");
    pen.imageSmoothingEnabled = false;
    pen.drawImage(icons.image, icon * icons.side, 0, icons.side, icons.side, 0, 0, KEY_SIZE, KEY_SIZE);
    return element("span", { role: "listitem", title: nameKey(color), "aria-label": nameKey(color) }, canvas);
  }

  fillFog(level) {
    const { seen, visible } = this.state;
    const target = new Uint32Array(this.pixels.data.buffer);
    const first = level * target.length;
    for (let place = 0; place < target.length; place++)
      target[place] = visible[first + place] ? 0 : seen[first + place] ? REMEMBERED : UNSEEN;
    this.fog.getContext("2d").putImageData(this.pixels, 0, 0);
  }

  draw(pen, view, now) {
    if (this.markers.markers.length) drawMarkers(pen, view, this.markers, this.level);
    const goals = this.board.isMarked ? [] : [...this.board.exits];
    for (const place of goals) {
      const [x, y, level] = positionOf(this.board.size, place);
      if (this.state.seen[place] && level === this.level) drawGoal(pen, view, [x, y]);
    }
    drawEnlarged(pen, view, this.fog);
    if (this.state.at >= 0) drawPlayer(pen, view, this.positionAt(now), this.facing);
  }
}
