// The rules of the dungeon game: walk from the start to an exit, see what is in view, take keys and open locks.
//
// A marker `lock red` closes its cell until a marker `key red` is found, as in analysis/keys.py. A key opens all locks
// of its color. The rules are pure functions: `open` returns what never changes of a map, `begin` the first state, and
// `move` the state after a move.

import { castView } from "./fov.js";
import { shortestWalk } from "./solver.js";
import { farthest, largestRegion, neighborOf, positionOf, stepsFrom } from "./steps.js";

const RADIUS = 12; // of the field of view, in cells

export const dungeon = {
  name: "dungeon",

  // Whether the game can be played on a map.
  fits: () => true,

  // Returns the board of a map {width, height, depth, cells, tiles, markers}.
  open(map) {
    const { width, height, depth, cells, tiles, markers } = map;
    const passable = Uint8Array.from(cells, (tile) => Number(tiles[tile].passable));
    const placed = markers.map(([name, x, y, level]) => [name, (level * height + y) * width + x]);
    const board = {
      size: { width, height, depth },
      passable,
      clear: Uint8Array.from(cells, (tile) => Number(!tiles[tile].opaque)),
      keys: groupColors(placed, "key"),
      locks: groupColors(placed, "lock"),
    };
    const find = (name) => placed.filter((one) => one[0] === name).map(([, place]) => place);
    const exits = find("exit");
    const isFree = (place) => passable[place] && !board.locks.has(place);
    // Without a start, the walk begins far from an exit; without an exit, the goal is the cell farthest from the start.
    const start = find("start").find(isFree) ?? farEnd(board, exits.find(isFree) ?? -1);
    board.start = start;
    board.isMarked = exits.length > 0;
    board.exits = new Set(board.isMarked ? exits : start < 0 ? [] : [farEnd(board, start)]);
    board.shortest = start < 0 ? null : shortestWalk(board);
    return board;
  },

  begin(board) {
    const empty = new Uint8Array(board.passable.length);
    const state = { at: board.start, steps: 0, keys: [], opened: [], seen: empty, visible: empty, wonAt: null, note: "" };
    return board.start < 0 ? { ...state, note: "There is no cell to walk on" } : enter(board, state, board.start);
  },

  // Returns the state after a step in a direction. A step into a wall changes nothing.
  move(board, state, direction) {
    const to = state.at < 0 ? -1 : neighborOf(board.size, state.at, direction);
    if (to < 0 || !board.passable[to]) return state;
    const missing = missingKeys(board, state, to);
    if (missing.length) return { ...state, note: `Locked: needs the ${missing.map(nameKey).join(" and the ")}` };
    return enter(board, { ...state, steps: state.steps + 1 }, to);
  },

  // Returns a mask of the cells to walk on without a search: seen, and not locked.
  knownCells(board, state) {
    const known = Uint8Array.from(board.passable, (isPassable, place) => isPassable & state.seen[place]);
    for (const place of board.locks.keys()) if (missingKeys(board, state, place).length) known[place] = 0;
    return known;
  },
};

export const nameKey = (color) => (color ? `${color} key` : "key");

// Returns the colors of the keys or locks in each cell.
function groupColors(placed, kind) {
  const found = new Map();
  for (const [name, place] of placed) {
    const [word, ...rest] = name.split(" ");
    if (word !== kind) continue;
    const colors = found.get(place) ?? [];
    const color = rest.join(" ");
    if (!colors.includes(color)) found.set(place, [...colors, color]);
  }
  return found;
}

// Returns the cell farthest from a start; without a start, an end of a long path in the largest region.
function farEnd({ size, passable }, start) {
  const from = start < 0 ? largestRegion(size, passable) : start;
  return from < 0 ? -1 : farthest(stepsFrom(size, passable, from));
}

function missingKeys(board, state, place) {
  return (board.locks.get(place) ?? []).filter((color) => !state.keys.includes(color));
}

// Returns the state after the player has entered a cell.
function enter(board, state, place) {
  const found = (board.keys.get(place) ?? []).filter((color) => !state.keys.includes(color));
  const opens = board.locks.has(place) && !state.opened.includes(place);
  const notes = [...found.map((color) => `You found the ${nameKey(color)}`), ...(opens ? ["You opened the lock"] : [])];
  const entered = {
    ...state,
    at: place,
    keys: [...state.keys, ...found],
    opened: opens ? [...state.opened, place] : state.opened,
    wonAt: state.wonAt ?? (board.exits.has(place) ? state.steps : null),
    note: notes.join(". "),
  };
  return look(board, entered);
}

// Returns the state with the cells that the player sees from its cell. Closed locks block the view.
function look(board, state) {
  const { width, height } = board.size;
  const [column, row, level] = positionOf(board.size, state.at);
  const first = level * width * height;
  const clear = board.clear.slice(first, first + width * height);
  for (const place of board.locks.keys())
    if (place >= first && place < first + clear.length && !state.opened.includes(place)) clear[place - first] = 0;
  const view = castView(clear, board.size, column, row, RADIUS);
  const visible = new Uint8Array(board.passable.length);
  visible.set(view, first);
  const seen = state.seen.slice();
  for (let place = 0; place < view.length; place++) if (view[place]) seen[first + place] = 1;
  return { ...state, visible, seen };
}
