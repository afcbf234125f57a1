// A game on a map: an element over the map with its own canvas, until the player stops.

import { button, element } from "./dom.js";
import { DungeonScreen } from "./dungeon_screen.js";
import { chooseGame } from "./games.js";
import { Gestures } from "./gestures.js";
import { Picture } from "./picture.js";
import { PlatformerScreen } from "./platformer_screen.js";
import { RunnerScreen } from "./runner_screen.js";
import { SokobanScreen } from "./sokoban_screen.js";
import { View } from "./view.js";
import { WarScreen } from "./war_screen.js";

const SCREENS = {
  sokoban: SokobanScreen, platformer: PlatformerScreen, runner: RunnerScreen, dungeon: DungeonScreen, war: WarScreen,
};
const MIN_ZOOM = 20; // pixels per cell below which the map is enlarged and followed
const PLAY_ZOOM = 30;
const MAX_SCROLL_ZOOM = 48; // of games that show the whole height of a map, and at least this number of columns
const MIN_SCROLL_COLUMNS = 13;
const MARGIN = 8; // pixels between the bar and the map
const TYPING = "input, textarea, select, [contenteditable=true], [contenteditable='']";

export class Play {
  // Plays a scene in an element. Options: sprites, whether it fills the window, the name of the button that stops,
  // `onStop`, and `isTyping(event)`, whether a key is for another part of the page.
  constructor(host, scene, { sprites = true, fills = false, back = "Back to the map", onStop, isTyping }) {
    // A copy, because games change cells.
    this.scene = { ...scene, cells: scene.cells.slice(), looks: scene.looks?.slice() ?? null };
    Object.assign(this, { sprites, onStop, isTyping });
    this.view = new View();
    this.picture = new Picture();
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.bar = element("div", { class: "tw-play-bar" });
    this.message = element("div", { class: "tw-play-message", role: "alert", hidden: "" });
    this.root = element(
      "div",
      { class: fills ? "tw-play tw-full" : "tw-play", tabindex: "0", role: "application", "data-testid": "game" },
      this.canvas,
      this.bar,
      this.message,
    );
    const game = chooseGame(scene);
    this.root.setAttribute("aria-label", `Play: ${game.name}`);
    this.screen = new SCREENS[game.name](this, game, game.open(scene));
    const restart = button("Start again (R)", { text: "↻", test: "game-restart", press: () => this.restart() });
    const stop = button(`${back} (Esc)`, { text: "✕", test: "game-stop", press: () => this.stop() });
    this.bar.append(
      element("div", { class: "tw-play-state" }, ...this.screen.controls),
      element("div", { class: "tw-play-group" }, restart, stop),
    );
    host.append(this.root);
    this.keyDown = (event) => this.onKeyDown(event);
    this.keyUp = (event) => this.screen.onKeyUp?.(event);
    window.addEventListener("keydown", this.keyDown, true);
    window.addEventListener("keyup", this.keyUp, true);
    window.addEventListener("blur", this.keyUp);
    this.gestures = new Gestures(this.canvas, {
      tap: (x, y) => this.screen.onTap(this.placeAt(x, y)),
      hover: (x, y) => this.screen.onHover?.(this.placeAt(x, y)),
      swipe: this.screen.onSwipe ? (direction) => this.screen.onSwipe(direction) : null,
      drag: (x, y) => (this.view.pan(x, y), this.redraw()),
      zoom: (factor, x, y) => (this.view.zoomTo(this.view.zoom * factor, x, y), this.screen.follow(), this.redraw()),
    });
    this.setLevel(this.screen.level);
    this.sizes = new ResizeObserver(() => this.measure());
    this.sizes.observe(this.root);
    this.measure();
    this.screen.show();
    this.root.focus({ preventScroll: true });
  }

  stop() {
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
    this.isStopped = true;
    window.removeEventListener("keydown", this.keyDown, true);
    window.removeEventListener("keyup", this.keyUp, true);
    window.removeEventListener("blur", this.keyUp);
    this.root.remove();
    this.onStop();
  }

  restart() {
    this.root.focus({ preventScroll: true });
    this.screen.restart();
    this.setLevel(this.screen.level);
    this.screen.follow();
    this.screen.show();
  }

  // Shows the fewest moves of the game, if they are found only after its start.
  setFewest(fewest) {
    const { board } = this.screen;
    if (board?.fewest === undefined) return; // a game that shows none
    board.fewest = fewest;
    this.screen.show();
  }

  // Shows that the game is won; null hides the message.
  showResult(title, text) {
    const isShown = title !== null;
    if (isShown === !this.message.hidden) return;
    this.message.hidden = !isShown;
    this.root.dataset.won = isShown;
    if (!isShown) return this.message.replaceChildren();
    this.message.replaceChildren(
      element("b", { text: title }),
      element("span", { text, "data-testid": "game-result" }),
      button("Play again", { text: "Play again", test: "game-again", press: () => this.restart() }),
    );
  }

  // -- keys -----------------------------------------------------------------------------------------------------

  onKeyDown(event) {
    const isHidden = this.root.getClientRects().length === 0; // under another view
    const isOther = isHidden || document.activeElement?.matches(TYPING) || this.isTyping?.(event);
    if (isOther || event.ctrlKey || event.metaKey || event.altKey) return;
    const isButton = document.activeElement?.matches("button") && ["Enter", " "].includes(event.key);
    if (isButton || event.key === "Tab" || event.key === "Shift") return;
    if (event.key === "Escape") this.stop();
    else if (event.key === "r" || event.key === "R") this.restart();
    else if (["+", "=", "-"].includes(event.key)) this.stepZoom(event.key === "-" ? -1 : 1);
    else if (!this.screen.onKeyDown(event) && event.key.length > 1) return;
    // The keys of the page, such as those of tools, rest during a game.
    event.preventDefault();
    event.stopPropagation();
  }

  stepZoom(direction) {
    this.view.step(direction);
    this.screen.follow();
    this.redraw();
  }

  // -- drawing --------------------------------------------------------------------------------------------------

  // Returns the cell under a point of the canvas, or -1.
  placeAt(x, y) {
    const [column, row] = this.view.cellAt(x, y);
    const { width, height } = this.scene;
    return this.view.has(column, row) ? (this.screen.level * height + row) * width + column : -1;
  }

  setLevel(level) {
    if (this.picture.layer && this.picture.level === level) return;
    this.view.setMapSize(this.scene.width, this.scene.height);
    this.picture.setLayer(this.scene, level);
  }

  measure() {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!width || !height) return;
    const isFirst = !this.view.width;
    const ratio = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    this.view.resize(width, height, ratio);
    if (isFirst) this.chooseZoom();
    this.screen.follow();
    this.draw(performance.now());
  }

  // Shows the whole map if its cells are large enough, else enlarges it. Scrolled maps fill the height.
  chooseZoom() {
    const { view } = this;
    const [top, bottom] = this.findFreeRows();
    const high = (bottom - top) / view.rows;
    const whole = Math.min(view.zoom, high);
    const scrolled = Math.max(MIN_ZOOM, Math.min(MAX_SCROLL_ZOOM, high, view.width / MIN_SCROLL_COLUMNS));
    const enlarged = whole < MIN_ZOOM ? PLAY_ZOOM : whole;
    view.zoomTo(Math.floor(this.screen.isScrolled ? Math.max(scrolled, whole) : enlarged));
    this.center(view.columns / 2, view.rows / 2);
  }

  // Returns the first and last pixel of the canvas between the bar and the direction buttons, which are below the map, or
  // over its right end on screens that are wider than high.
  findFreeRows() {
    const { width, height } = this.view;
    const top = this.bar.offsetTop + this.bar.offsetHeight + MARGIN;
    const below = width > height ? 0 : (this.screen.pad?.offsetHeight ?? 0);
    return [top, height - below - MARGIN];
  }

  // Scrolls so that a position in cells is in the middle of the free part of the canvas. A map that fits is not scrolled.
  // Other maps are not scrolled past their ends, except under fog, which hides where they end.
  center(x, y) {
    const { view } = this;
    const scroll = (from, to, cells, at) => {
      const size = cells * view.zoom;
      if (size <= to - from) return (from + to - size) / 2;
      const start = (from + to) / 2 - at * view.zoom;
      return this.screen.hasFog ? start : Math.max(to - size, Math.min(from, start));
    };
    view.left = scroll(0, view.width, view.columns, x);
    view.top = scroll(...this.findFreeRows(), view.rows, y);
  }

  redraw() {
    if (!this.isStopped) this.frame ??= requestAnimationFrame((now) => this.draw(now));
  }

  draw(now) {
    cancelAnimationFrame(this.frame);
    this.frame = null;
    const isMoving = this.screen.animate(now);
    const pen = this.canvas.getContext("2d");
    pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
    this.picture.draw(pen, this.view, this.sprites);
    this.screen.draw(pen, this.view, now);
    if (isMoving) this.redraw();
  }
}
