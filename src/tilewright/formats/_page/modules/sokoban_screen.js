// The screen of the box-pushing puzzle: crates, targets and the player; moves, pushes and undo.

import { button, element } from "./dom.js";
import { drawFigure, drawPlayer } from "./figures.js";
import { positionOf, stepsFrom } from "./steps.js";
import { Things } from "./things.js";
import { WalkScreen } from "./walk_screen.js";

const GOAL = "Push a crate onto every target";

export class SokobanScreen extends WalkScreen {
  constructor(play, game, board) {
    super(play, game, board);
    const isNear = stepsFrom(board.size, board.isOpen, board.start).map((steps) => Number(steps >= 0));
    this.things = new Things(play.scene, { moving: ["player", "crate"], taken: ["target"], isNear });
    this.moves = element("b", { "data-testid": "game-moves" });
    this.pushes = element("b", { "data-testid": "game-pushes" });
    this.fewest = element("span", { class: "tw-play-faint", "data-testid": "game-fewest" });
    this.undo = button("Undo (Z)", { text: "↶", test: "game-undo", press: () => this.takeBack() });
    this.controls = [element("span", { class: "tw-play-facts" }, this.moves, this.pushes, this.fewest), this.undo];
    this.restart();
  }

  restart() {
    this.earlier = [];
    this.pushed = null;
    super.restart();
  }

  onKeyDown(event) {
    const isUndo = event.code === "KeyZ" || event.code === "Backspace";
    if (isUndo) this.takeBack();
    return isUndo || super.onKeyDown(event);
  }

  // Walks to a free cell without a push, or pushes a crate next to the player.
  onTap(place) {
    if (place < 0) return;
    const free = this.board.isOpen.slice();
    for (const crate of this.state.crates) free[crate] = 0;
    const [x, y] = positionOf(this.board.size, this.state.at);
    const [toX, toY] = positionOf(this.board.size, place);
    if (Math.abs(toX - x) + Math.abs(toY - y) === 1) free[place] = 1;
    this.walkTo(place, free);
  }

  step(direction) {
    if (this.state.isWon) return;
    const before = this.state;
    super.step(direction);
    if (this.state !== before) this.earlier.push(before);
    this.undo.disabled = !this.earlier.length;
  }

  setState(state, now) {
    const number = state.crates.findIndex((place, one) => place !== this.state?.crates[one]);
    this.pushed = number < 0 || !this.state ? null : { number, from: this.state.crates[number] };
    super.setState(state, now);
  }

  takeBack() {
    if (!this.earlier.length) return;
    Object.assign(this, { held: [], path: [], from: this.state.at });
    this.setState(this.earlier.pop(), performance.now());
    this.show();
  }

  show() {
    const { state, board, play, earlier } = this;
    const [x, y] = positionOf(board.size, state.at);
    const placed = state.crates.filter((place) => board.targets.has(place)).length;
    Object.assign(play.root.dataset, { x, y, moves: state.moves, pushes: state.pushes, placed });
    this.moves.textContent = count(state.moves, "move");
    this.pushes.textContent = count(state.pushes, "push", "pushes");
    this.fewest.textContent = board.fewest === null ? "" : `fewest ${board.fewest}`;
    this.note.textContent = state.isWon ? "" : state.moves ? `${placed} of ${board.targets.size} on targets` : GOAL;
    this.undo.disabled = !earlier.length;
    const best = board.fewest === null ? "" : `, fewest ${board.fewest}`;
    if (state.isWon) play.showResult("Solved", `${this.moves.textContent}, ${this.pushes.textContent}${best}`);
    else play.showResult(null);
    play.redraw();
  }

  draw(pen, view, now) {
    const { state, board } = this;
    this.things.draw(pen, view);
    state.crates.forEach((place, number) => {
      const from = this.pushed?.number === number ? this.pushed.from : place;
      drawFigure(pen, view, board.targets.has(place) ? "crate_on_target" : "crate", this.glide(from, place, now));
    });
    drawPlayer(pen, view, this.positionAt(now), this.facing);
  }
}

const count = (number, word, several = `${word}s`) => `${number} ${number === 1 ? word : several}`;
