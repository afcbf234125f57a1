// The shortest walk from the start of a dungeon to an exit, with the keys that it needs on the way.

import { findPath, neighborOf, stepsFrom, visitNeighbors } from "./steps.js";

const MAX_STATES = 1 << 22; // pairs of a cell and a set of keys that are searched

// Returns {steps, isExact}, or null if no exit can be reached.
//
// The search is exact while there are few keys. Otherwise the walk takes the nearest key first, as in analysis/keys.py.
export function shortestWalk(board) {
  const locked = new Set([...board.locks.values()].flat());
  const colors = [...new Set([...board.keys.values()].flat())].filter((color) => locked.has(color));
  const isSmall = colors.length < 22 && board.passable.length * 2 ** colors.length <= MAX_STATES;
  const steps = isSmall ? searchStates(board, colors) : walkGreedily(board);
  return steps === null ? null : { steps, isExact: isSmall };
}

// Searches the pairs of a cell and a set of keys, breadth first.
function searchStates({ size, passable, keys, locks, exits, start }, colors) {
  const bitsOf = (found) => found.reduce((bits, color) => bits | (1 << colors.indexOf(color)), 0);
  const count = passable.length;
  const gives = new Int32Array(count);
  const needs = new Int32Array(count);
  for (const [place, found] of keys) gives[place] = bitsOf(found.filter((color) => colors.includes(color)));
  // A lock without a key is never opened.
  for (const [place, found] of locks) needs[place] = found.every((color) => colors.includes(color)) ? bitsOf(found) : -1;
  const visited = new Uint8Array(count << colors.length);
  let line = [start + gives[start] * count];
  visited[line[0]] = 1;
  for (let steps = 0; line.length; steps++) {
    const next = [];
    for (const state of line) {
      const place = state % count;
      const bits = Math.floor(state / count);
      if (exits.has(place)) return steps;
      visitNeighbors(size, place, (other) => {
        if (!passable[other] || needs[other] === -1 || (needs[other] & ~bits) !== 0) return;
        const reached = other + (bits | gives[other]) * count;
        if (visited[reached]) return;
        visited[reached] = 1;
        next.push(reached);
      });
    }
    line = next;
  }
  return null;
}

// Takes the nearest key until no more can be reached, then goes to the nearest exit.
function walkGreedily({ size, passable, keys, locks, exits, start }) {
  const taken = new Set();
  const take = (place) => keys.get(place)?.forEach((color) => taken.add(color));
  take(start);
  for (let [at, walked] = [start, 0]; ; ) {
    const isOpen = passable.slice();
    for (const [place, colors] of locks) if (!colors.every((color) => taken.has(color))) isOpen[place] = 0;
    const steps = stepsFrom(size, isOpen, at);
    const nearest = (places) => places.filter((place) => steps[place] >= 0).sort((a, b) => steps[a] - steps[b])[0];
    const key = nearest([...keys.keys()].filter((place) => !keys.get(place).every((color) => taken.has(color))));
    const goal = key ?? nearest([...exits]);
    if (goal === undefined) return null;
    walked += steps[goal];
    if (key === undefined) return walked;
    for (const direction of findPath(size, isOpen, at, key)) take((at = neighborOf(size, at, direction)));
  }
}
