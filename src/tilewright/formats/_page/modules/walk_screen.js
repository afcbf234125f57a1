// Walking in a game: held keys, swipes, taps and direction buttons make steps, and the player glides between cells.

import { element } from "./dom.js";
import { DIRECTIONS, findPath, positionOf } from "./steps.js";

const STEP_TIME = 110; // milliseconds of a step, and between the steps of a held key
const HOLD_TIME = 190; // milliseconds before a held key repeats
const KEYS = {
  ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down",
  KeyA: "left", KeyD: "right", KeyW: "up", KeyS: "down", PageUp: "ascend", PageDown: "descend",
};
export const PADS = { up: "▲", left: "◀", right: "▶", down: "▼", ascend: "⤒", descend: "⤓" };

// A screen of a game whose states have the player's cell `at`. Subclasses define `show` and `draw`, and may extend
// `restart` and `setState`.
export class WalkScreen {
  constructor(play, game, board) {
    Object.assign(this, { play, game, board });
    this.isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.note = element("div", { class: "tw-play-note", role: "status", "data-testid": "game-note" });
    const isFlat = board.size.depth === 1;
    const shown = Object.keys(PADS).filter((name) => !isFlat || (name !== "ascend" && name !== "descend"));
    this.pad = element("div", { class: "tw-pad" }, ...shown.map((name) => this.buildPad(name)));
    play.root.append(this.note, this.pad);
  }

  restart() {
    this.setState(this.game.begin(this.board), 0);
    Object.assign(this, { held: [], path: [], facing: [0, 1], from: this.state.at });
  }

  buildPad(direction) {
    const names = { ascend: "Go up a level", descend: "Go down a level" };
    return buildHeldButton({
      name: direction,
      label: names[direction] ?? `Walk ${direction}`,
      text: PADS[direction],
      press: () => this.hold(direction),
      release: () => this.release(direction),
    });
  }

  get level() {
    return this.state.at < 0 ? 0 : positionOf(this.board.size, this.state.at)[2];
  }

  onKeyDown(event) {
    const direction = KEYS[event.code] ?? KEYS[event.key];
    if (direction && !event.repeat) this.hold(direction);
    return Boolean(direction);
  }

  onKeyUp(event) {
    if (event.type === "blur") this.held = [];
    else this.release(KEYS[event.code] ?? KEYS[event.key]);
  }

  onSwipe(direction) {
    this.held = [];
    if (direction) this.hold(direction);
  }

  // Walks to a cell over the cells of a mask.
  walkTo(place, isOpen) {
    this.held = [];
    this.path = findPath(this.board.size, isOpen, this.state.at, place) ?? [];
    if (this.path.length) this.step(this.path.shift());
  }

  // Makes a step, and repeats it while the key is held.
  hold(direction) {
    this.held = [direction, ...this.held.filter((one) => one !== direction)];
    this.path = [];
    this.step(direction);
    this.nextAt = performance.now() + HOLD_TIME;
  }

  release(direction) {
    this.held = this.held.filter((one) => one !== direction);
  }

  // Makes a move. Its last word is its direction.
  step(move) {
    const before = this.state;
    const after = this.game.move(this.board, before, move);
    this.facing = DIRECTIONS[move.split(" ").at(-1)];
    this.from = before.at;
    this.nextAt = performance.now() + STEP_TIME;
    this.setState(after, performance.now());
    if (after.at === before.at) this.path = [];
    this.show();
  }

  setState(state, now) {
    this.state = state;
    this.movedAt = now;
  }

  // Returns which part of the current step is done.
  stepPart(now) {
    return this.isStill ? 1 : Math.min(1, (now - this.movedAt) / STEP_TIME);
  }

  // Returns the position of the player in cells, between the last two cells during a step.
  positionAt(now) {
    return this.glide(Math.max(0, this.from), Math.max(0, this.state.at), now);
  }

  glide(from, to, now) {
    const [x, y, level] = positionOf(this.board.size, to);
    const [fromX, fromY, fromLevel] = positionOf(this.board.size, from);
    const part = level === fromLevel ? this.stepPart(now) : 1;
    return [fromX + (x - fromX) * part, fromY + (y - fromY) * part];
  }

  follow(now = performance.now()) {
    const [x, y] = this.positionAt(now);
    this.play.center(x + 0.5, y + 0.5);
  }

  // Continues held keys and paths; returns whether the next frame differs.
  animate(now) {
    const isWalking = this.held.length > 0 || this.path.length > 0;
    if (isWalking && now >= this.nextAt) this.step(this.path.shift() ?? this.held[0]);
    const isGliding = this.stepPart(now) < 1;
    if (isGliding || isWalking || !this.isFollowed) this.follow(now);
    this.isFollowed = !isGliding;
    return isGliding || isWalking;
  }
}

// Returns a button of a touch screen that acts as long as it is pressed.
export function buildHeldButton({ name, label, text, press, release }) {
  const on = {
    pointerdown: (event) => (event.preventDefault(), press()),
    pointerup: release,
    pointercancel: release,
    pointerleave: release,
  };
  return element("button", {
    type: "button", class: `tw-pad-${name}`, text, "aria-label": label, "data-testid": `game-${name}`, on,
  });
}
