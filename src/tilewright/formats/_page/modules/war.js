// The rules of the war game: the cells that a unit reaches in one turn, as in analysis/movement.py.
//
// A state is {unit, points, at, costs}. Moves choose the unit, its movement points or its cell.

import { neighborOf, visitNeighbors } from "./steps.js";

// Movement points in Advance Wars By Web: infantry, mech, tank, recon, fighter, battleship, lander and piperunner.
const POINTS = { foot: 3, boot: 2, tread: 6, tyre: 8, air: 9, sea: 5, lander: 6, pipe: 9 };
const OTHER_POINTS = 5;
export const MAX_POINTS = 20;

export const war = {
  name: "war",

  // Whether the tileset defines movement costs.
  fits: ({ tiles }) => tiles.some(({ costs }) => Object.keys(costs).length > 0),

  open({ width, height, depth, cells, tiles }) {
    const names = new Set(tiles.flatMap(({ costs }) => Object.keys(costs)));
    const known = Object.keys(POINTS).filter((name) => names.has(name));
    const units = [...known, ...[...names].filter((name) => !known.includes(name)).sort()];
    const costs = new Map(units.map((unit) => [unit, Float64Array.from(tiles, (tile) => costOf(tile, unit))]));
    return { size: { width, height, depth }, cells, units, costs };
  },

  begin: ({ units }) => ({ unit: units[0], points: pointsOf(units[0]), at: -1, costs: null }),

  // Returns the state after a move {unit}, {points}, {at} or {direction}. Invalid moves change nothing.
  move(board, state, { unit, points, at, direction }) {
    if (unit !== undefined && board.units.includes(unit)) return update(board, { ...state, unit, points: pointsOf(unit) });
    if (points !== undefined) return update(board, { ...state, points: Math.max(1, Math.min(MAX_POINTS, points)) });
    const to = direction && state.at >= 0 ? neighborOf(board.size, state.at, direction) : at;
    return to >= 0 && to < board.cells.length && to !== state.at ? update(board, { ...state, at: to }) : state;
  },
};

const pointsOf = (unit) => POINTS[unit] ?? OTHER_POINTS;

// Returns the cost of entering a tile. A unit cannot enter tiles that have costs for other units only.
function costOf({ costs, passable }, unit) {
  if (Object.keys(costs).length) return Object.hasOwn(costs, unit) ? costs[unit] : Infinity;
  return passable ? 1 : Infinity;
}

const update = (board, state) => ({ ...state, costs: state.at < 0 ? null : reach(board, state) });

// Returns the movement points that a unit needs to each cell; infinity for cells that it cannot reach.
function reach({ size, cells, costs }, { unit, points, at }) {
  const needed = new Float64Array(cells.length).fill(Infinity);
  const entering = costs.get(unit);
  if (entering[cells[at]] === Infinity) return needed;
  const queue = [at];
  needed[at] = 0;
  for (let next = 0; next < queue.length; next++) {
    const place = queue[next];
    visitNeighbors(size, place, (other) => {
      const cost = needed[place] + entering[cells[other]];
      if (cost > points || cost >= needed[other]) return;
      needed[other] = cost;
      queue.push(other);
    });
  }
  return needed;
}
