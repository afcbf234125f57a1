// The screen of the war game: the movement range of a unit at the cell under the pointer.

import { button, element } from "./dom.js";
import { drawPlayer } from "./figures.js";
import { drawEnlarged, surface } from "./picture.js";
import { positionOf } from "./steps.js";

const KEYS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };
const REACHED = 0x8cff8c3a; // colors as ABGR
const OTHERS = 0x66120e0d;
const MIN_NUMBER_CELL = 15; // minimum screen pixels per cell for numbers
const UNITS = {
  foot: "infantry", boot: "mech", tread: "tank", tyre: "recon", air: "fighter", sea: "battleship", lander: "lander",
  pipe: "piperunner",
};

export class WarScreen {
  constructor(play, game, board) {
    Object.assign(this, { play, game, board, level: 0 });
    this.tint = surface(board.size.width, board.size.height);
    this.pixels = new ImageData(board.size.width, board.size.height);
    this.note = element("div", { class: "tw-play-note", role: "status", "data-testid": "game-note" });
    this.units = element("span", { class: "tw-play-group", role: "group", "aria-label": "Unit" });
    for (const unit of board.units) {
      const press = () => this.move({ unit });
      const label = UNITS[unit] ? `${unit}: ${UNITS[unit]}` : unit;
      this.units.append(button(label, { text: unit, test: `unit-${unit}`, press, "data-unit": unit }));
    }
    this.points = element("output", { "data-testid": "game-points" });
    const change = (by) => () => this.move({ points: this.state.points + by });
    this.controls = [
      this.units,
      element(
        "span",
        { class: "tw-play-group", role: "group", "aria-label": "Movement points" },
        button("Fewer movement points", { text: "−", test: "fewer-points", press: change(-1) }),
        this.points,
        button("More movement points", { text: "+", test: "more-points", press: change(1) }),
      ),
    ];
    play.root.append(this.note);
    this.restart();
  }

  restart() {
    this.state = this.game.begin(this.board);
    this.isPinned = false;
  }

  // -- moves ----------------------------------------------------------------------------------------------------

  onKeyDown(event) {
    const direction = KEYS[event.key];
    const { width, height } = this.board.size;
    if (direction && this.state.at < 0) this.move({ at: Math.floor(height / 2) * width + Math.floor(width / 2) });
    else if (direction) this.move({ direction });
    this.isPinned ||= Boolean(direction);
    return Boolean(direction);
  }

  // A tap keeps the range of a cell; the next tap on it follows the pointer again.
  onTap(place) {
    if (place < 0) return;
    this.isPinned = !(this.isPinned && place === this.state.at);
    this.move({ at: place });
  }

  onHover(place) {
    if (place >= 0 && !this.isPinned) this.move({ at: place });
  }

  move(move) {
    this.state = this.game.move(this.board, this.state, move);
    this.show();
  }

  // -- drawing --------------------------------------------------------------------------------------------------

  show() {
    const { state, play, board } = this;
    for (const one of this.units.children) one.setAttribute("aria-pressed", one.dataset.unit === state.unit);
    this.points.textContent = `${state.points} points`;
    this.note.textContent = this.describe();
    const [x, y] = state.at < 0 ? ["", ""] : positionOf(board.size, state.at);
    Object.assign(play.root.dataset, { x, y, unit: state.unit, reached: this.count() });
    this.fillTint();
    play.redraw();
  }

  count() {
    return this.state.costs?.reduce((sum, cost) => sum + Number(cost < Infinity), 0) ?? 0;
  }

  describe() {
    if (this.state.at < 0) return "Point at a cell, or tap it, to see how far a unit moves";
    const [count, name] = [this.count(), UNITS[this.state.unit] ?? this.state.unit];
    return count ? `${count} cells in range of ${name}` : `${name} cannot be here`;
  }

  fillTint() {
    const { costs } = this.state;
    const target = new Uint32Array(this.pixels.data.buffer);
    if (costs) for (let place = 0; place < target.length; place++) target[place] = costs[place] < Infinity ? REACHED : OTHERS;
    else target.fill(0);
    this.tint.getContext("2d").putImageData(this.pixels, 0, 0);
  }

  follow() {}

  animate() {
    return false;
  }

  draw(pen, view) {
    drawEnlarged(pen, view, this.tint);
    const { at, costs } = this.state;
    if (at < 0) return;
    const [column, row] = positionOf(this.board.size, at);
    drawPlayer(pen, view, [column, row], [0, 0]);
    if (view.cell < MIN_NUMBER_CELL * view.ratio) return;
    const { left, top, right, bottom } = view.visible;
    pen.font = `600 ${Math.round(view.cell * 0.42)}px system-ui, sans-serif`;
    Object.assign(pen, { textAlign: "center", textBaseline: "middle", lineJoin: "round" });
    pen.lineWidth = Math.max(2, view.cell * 0.12);
    for (let y = top; y < bottom; y++)
      for (let x = left; x < right; x++) {
        const cost = costs[y * view.columns + x];
        if (cost === Infinity || cost === 0) continue;
        const [middleX, middleY] = [view.x(x) + view.cell / 2, view.y(y) + view.cell / 2];
        pen.strokeStyle = "rgba(13, 18, 34, 0.85)";
        pen.strokeText(String(cost), middleX, middleY);
        pen.fillStyle = "#fff";
        pen.fillText(String(cost), middleX, middleY);
      }
  }
}
