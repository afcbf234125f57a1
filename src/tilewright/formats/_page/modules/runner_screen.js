// The screen of the ladder-and-gold game: gold, holes and the player, who falls where nothing carries it.

import { element } from "./dom.js";
import { drawPlayer } from "./figures.js";
import { clearCells } from "./roles.js";
import { positionOf } from "./steps.js";
import { Things } from "./things.js";
import { WalkScreen, buildHeldButton } from "./walk_screen.js";

const LOST_TIME = 900; // milliseconds before the level restarts
const DIG_KEYS = { KeyQ: "dig left", KeyE: "dig right", Comma: "dig left", Period: "dig right" };
const DIG_PADS = { "dig left": ["dig-left", "⤶"], "dig right": ["dig-right", "⤷"] };
const GOLD = ["gold", "coin", "treasure"];

export class RunnerScreen extends WalkScreen {
  constructor(play, game, board) {
    super(play, game, board);
    this.isScrolled = true;
    const isTouch = matchMedia("(pointer: coarse)").matches;
    const dig = board.canDig && !isTouch ? "; Q and E dig" : "";
    this.goal = `Collect all gold${board.exits.size ? " and reach the exit" : ""}${dig}`;
    this.isNear = new Uint8Array(board.walls.length).fill(1);
    this.things = new Things(play.scene, { moving: ["player"], taken: GOLD, isNear: this.isNear });
    this.drawnCells = { cells: play.scene.cells.slice(), looks: play.scene.looks?.slice() ?? null };
    this.moves = element("b", { "data-testid": "game-moves" });
    this.fewest = element("span", { class: "tw-play-faint", "data-testid": "game-fewest" });
    this.found = element("span", { "data-testid": "game-gold" });
    this.controls = [element("span", { class: "tw-play-facts" }, this.moves, this.fewest, this.found)];
    for (const [move, [name, text]] of board.canDig ? Object.entries(DIG_PADS) : []) {
      const side = move.slice("dig ".length);
      const press = () => this.step(move);
      this.pad.append(buildHeldButton({ name, label: `Dig on the ${side}`, text, press, release: () => {} }));
    }
    this.restart();
  }

  restart() {
    const { scene, picture } = this.play;
    for (const [name, drawn] of Object.entries(this.drawnCells)) scene[name]?.set(drawn);
    if (picture.layer) picture.update();
    this.lostAt = null;
    super.restart();
  }

  onKeyDown(event) {
    const move = DIG_KEYS[event.code];
    if (move && !event.repeat) this.step(move);
    return Boolean(move) || super.onKeyDown(event);
  }

  onTap() {}

  // While the player falls, it does nothing else.
  step(move) {
    if (this.state.isWon || this.lostAt !== null) return;
    if (!this.game.isCarried(this.board, this.state) && move !== "down") return;
    super.step(move);
    if (!this.state.isLost) return;
    this.lostAt = performance.now();
    this.show();
  }

  setState(state, now) {
    const hole = state.holes[this.state?.holes.length ?? 0];
    super.setState(state, now);
    if (hole === undefined) return;
    const [x, y] = positionOf(this.board.size, hole);
    clearCells(this.play.scene, [hole], this.isNear);
    this.play.picture.updateBox({ left: x, top: y, right: x + 1, bottom: y + 1 });
  }

  animate(now) {
    if (this.lostAt !== null && now - this.lostAt >= LOST_TIME) this.play.restart();
    const isFalling = !this.state.isWon && this.lostAt === null && !this.game.isCarried(this.board, this.state);
    if (isFalling && now >= this.nextAt) this.step("down");
    return super.animate(now) || isFalling || this.lostAt !== null;
  }

  show() {
    const { state, board, play } = this;
    const [x, y] = positionOf(board.size, state.at);
    const found = `gold ${state.gold.length} of ${board.gold.length}`;
    Object.assign(play.root.dataset, { x, y, moves: state.moves, gold: state.gold.length, holes: state.holes.length });
    this.moves.textContent = `${state.moves} ${state.moves === 1 ? "move" : "moves"}`;
    this.fewest.textContent = board.fewest === null ? "" : `solver ${board.fewest}`;
    this.found.textContent = found;
    this.note.textContent = state.isLost ? "You were hurt" : state.moves ? "" : this.goal;
    const parts = [this.moves.textContent, this.fewest.textContent, found];
    if (state.isWon) play.showResult("You have all gold", parts.filter(Boolean).join(", "));
    else play.showResult(null);
    play.redraw();
  }

  draw(pen, view, now) {
    const { gold } = this.state;
    this.things.draw(pen, view, (role, place) => GOLD.includes(role) && gold.includes(place));
    drawPlayer(pen, view, this.positionAt(now), this.facing);
  }
}
