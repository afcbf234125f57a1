// The screen of the platformer: the clock of the rules, held keys, coins, and a camera that follows the player.

import { element } from "./dom.js";
import { drawPlayer } from "./figures.js";
import { positionOf } from "./steps.js";
import { Things } from "./things.js";
import { buildHeldButton } from "./walk_screen.js";

const TICK = 110; // milliseconds of a tick of the rules
const JUMP_TIME = 2 * TICK; // milliseconds in which a jump waits for the player to land
const LOST_TIME = 900; // milliseconds before the level restarts
const KEYS = {
  ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down",
  KeyA: "left", KeyD: "right", KeyW: "up", KeyS: "down", Space: "jump",
};
const PADS = {
  left: ["◀", "Run left"], right: ["▶", "Run right"], down: ["▼", "Climb or drop down"], up: ["⤒", "Jump or climb up"],
};
const COINS = ["coin", "gold", "treasure"];

export class PlatformerScreen {
  constructor(play, game, board) {
    Object.assign(this, { play, game, board, level: 0, isScrolled: true });
    this.isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const isTouch = matchMedia("(pointer: coarse)").matches;
    this.goal = isTouch ? "Reach the exit" : "Reach the exit: arrow keys run and climb, Space jumps";
    const isNear = new Uint8Array(board.walls.length).fill(1);
    this.things = new Things(play.scene, { moving: ["player"], taken: ["key", ...COINS], isNear });
    this.ticks = element("b", { "data-testid": "game-ticks" });
    this.fewest = element("span", { class: "tw-play-faint", "data-testid": "game-fewest" });
    this.found = element("span", { "data-testid": "game-coins" });
    this.controls = [element("span", { class: "tw-play-facts" }, this.ticks, this.fewest, this.found)];
    this.note = element("div", { class: "tw-play-note", role: "status", "data-testid": "game-note" });
    this.pad = element("div", { class: "tw-pad tw-pad-run" }, ...Object.keys(PADS).map((name) => this.buildPad(name)));
    play.root.append(this.note, this.pad);
    this.falls = 0;
    this.restart();
  }

  restart() {
    this.state = this.game.begin(this.board);
    Object.assign(this, { held: new Set(), tapped: new Set(), jumpUntil: 0, tickedAt: -TICK, lostAt: null, facing: [1, 0] });
    this.from = this.state.at;
    this.noteText = this.goal;
  }

  buildPad(name) {
    const [text, label] = PADS[name];
    return buildHeldButton({ name, label, text, press: () => this.hold(name), release: () => this.held.delete(name) });
  }

  // -- keys -----------------------------------------------------------------------------------------------------

  onKeyDown(event) {
    const name = KEYS[event.code] ?? KEYS[event.key];
    if (name && !event.repeat) this.hold(name);
    return Boolean(name);
  }

  onKeyUp(event) {
    if (event.type === "blur") this.held.clear();
    else this.held.delete(KEYS[event.code] ?? KEYS[event.key]);
  }

  onTap() {}

  // A key acts in at least one tick, even if it is released before.
  hold(name) {
    this.held.add(name);
    this.tapped.add(name);
    if (name === "jump" || name === "up") this.jumpUntil = performance.now() + JUMP_TIME;
    this.play.redraw();
  }

  // Returns the moves that the keys ask for; the first possible one is made.
  listMoves(now) {
    const isOn = (name) => this.held.has(name) || this.tapped.has(name);
    const side = isOn("left") === isOn("right") ? "" : isOn("left") ? "left" : "right";
    const moves = [];
    if (isOn("up")) moves.push("up");
    if (now < this.jumpUntil) moves.push(...(side ? [`jump ${side}`] : []), "jump");
    if (isOn("down")) moves.push("down");
    return [...moves, side || "wait"];
  }

  // -- ticks ----------------------------------------------------------------------------------------------------

  // Makes ticks when they are due; returns whether the next frame differs. Time stops while the player rests.
  animate(now) {
    if (this.lostAt !== null && now - this.lostAt >= LOST_TIME) this.startOver();
    const isOver = this.state.isWon || this.lostAt !== null;
    const isBusy = this.held.size > 0 || this.tapped.size > 0 || !this.game.isResting(this.board, this.state);
    if (!isOver && isBusy && now - this.tickedAt >= TICK) this.tick(now);
    const isGliding = now - this.tickedAt < TICK;
    this.follow(now);
    return isGliding || this.lostAt !== null || (isBusy && !this.state.isWon);
  }

  tick(now) {
    const before = this.state;
    let after = before;
    for (const move of this.listMoves(now)) {
      after = this.game.move(this.board, before, move);
      if (after === before) continue;
      if (move.startsWith("jump")) this.jumpUntil = 0;
      if (move.endsWith("left")) this.facing = [-1, 0];
      if (move.endsWith("right")) this.facing = [1, 0];
      break;
    }
    this.tapped.clear();
    this.from = before.at;
    this.state = after;
    // Late frames do not slow the clock down, unless it was stopped.
    this.tickedAt = now - this.tickedAt < 2 * TICK ? this.tickedAt + TICK : now;
    this.noteText = "";
    if (after.isLost) this.lose(now);
    else if (after.keys.length > before.keys.length) this.noteText = "You found a key";
    this.show();
  }

  lose(now) {
    this.lostAt = now;
    this.falls += 1;
    this.noteText = this.state.at >= this.board.walls.length ? "You fell out of the level" : "You were hurt";
  }

  // Restarts the level after a loss; the message stays until the player moves.
  startOver() {
    const text = this.noteText;
    this.play.restart();
    this.noteText = text;
    this.show();
  }

  // -- drawing --------------------------------------------------------------------------------------------------

  show() {
    const { state, board, play } = this;
    const [x, y] = positionOf({ ...board.size, height: board.size.height + 1 }, state.at);
    Object.assign(play.root.dataset, { x, y, ticks: state.ticks, coins: state.coins.length, falls: this.falls });
    this.ticks.textContent = `${state.ticks} ${state.ticks === 1 ? "tick" : "ticks"}`;
    this.fewest.textContent = board.fewest === null ? "" : `fewest ${board.fewest}`;
    this.found.textContent = this.describeCoins();
    this.note.textContent = this.noteText;
    const parts = [this.ticks.textContent, this.fewest.textContent, this.found.textContent];
    if (state.isWon) play.showResult("You reached the exit", parts.filter(Boolean).join(", "));
    else play.showResult(null);
    play.redraw();
  }

  describeCoins() {
    const { state, board } = this;
    const parts = [];
    if (board.coins.length) parts.push(`coins ${state.coins.length} of ${board.coins.length}`);
    if (board.keys.length) parts.push(`keys ${state.keys.length} of ${board.keys.length}`);
    return parts.join(", ");
  }

  // Returns the position of the player in cells, between the last two cells during a tick.
  positionAt(now) {
    const { width, height } = this.board.size;
    const [x, y] = positionOf({ width, height: height + 1 }, this.state.at);
    const [fromX, fromY] = positionOf({ width, height }, this.from);
    const part = this.isStill ? 1 : Math.max(0, Math.min(1, (now - this.tickedAt) / TICK));
    return [fromX + (x - fromX) * part, fromY + (y - fromY) * part];
  }

  follow(now = performance.now()) {
    const [x, y] = this.positionAt(now);
    this.play.center(x + 0.5, y + 0.5);
  }

  draw(pen, view, now) {
    const { coins, keys } = this.state;
    const isRemoved = (role, place) => {
      if (role === "door" || role === "lock") return keys.length > 0;
      return (COINS.includes(role) && coins.includes(place)) || (role === "key" && keys.includes(place));
    };
    this.things.draw(pen, view, isRemoved);
    const isBlinking = this.lostAt !== null && !this.isStill && Math.floor((now - this.lostAt) / TICK) % 2 === 1;
    if (!isBlinking) drawPlayer(pen, view, this.positionAt(now), this.facing);
  }
}
