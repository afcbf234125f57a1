// The rules of the box-pushing puzzle: push crates onto all targets, as in play/games/sokoban.py.

import { readRoles } from "./roles.js";
import { neighborOf } from "./steps.js";

export const sokoban = {
  name: "sokoban",

  fits: ({ game }) => game?.name === "sokoban",

  open(map) {
    const { width, height, depth } = map;
    const { mask, list } = readRoles(map);
    return {
      size: { width, height, depth },
      start: list("player", "player_on_target")[0],
      targets: new Set(list("target", "crate_on_target", "player_on_target")),
      crates: list("crate", "crate_on_target"),
      isOpen: mask("wall", "brick").map((isBlocked) => 1 - isBlocked),
      fewest: map.game.fewest ?? null, // pushes
    };
  },

  begin(board) {
    return { at: board.start, crates: board.crates, moves: 0, pushes: 0, isWon: isSolved(board, board.crates) };
  },

  // Returns the state after a step in a direction. A step into a wall, or a push that is blocked, changes nothing.
  move(board, state, direction) {
    const to = openNeighbor(board, state.at, direction);
    if (to < 0) return state;
    const moved = { ...state, at: to, moves: state.moves + 1 };
    const crate = state.crates.indexOf(to);
    if (crate < 0) return moved;
    const beyond = openNeighbor(board, to, direction);
    if (beyond < 0 || state.crates.includes(beyond)) return state;
    const crates = state.crates.map((place, number) => (number === crate ? beyond : place));
    return { ...moved, crates, pushes: state.pushes + 1, isWon: isSolved(board, crates) };
  },
};

const isSolved = ({ targets }, crates) => crates.filter((place) => targets.has(place)).length === targets.size;

function openNeighbor({ size, isOpen }, place, direction) {
  const to = neighborOf(size, place, direction);
  return to >= 0 && isOpen[to] ? to : -1;
}
