// The rules of the ladder-and-gold game: collect all gold, as in play/games/runner.py.

import { readRoles } from "./roles.js";

const SIDES = { left: -1, right: 1, "dig left": -1, "dig right": 1 };

export const runner = {
  name: "runner",

  fits: ({ game }) => game?.name === "runner",

  open(map) {
    const { width, height, depth } = map;
    const { mask, list } = readRoles(map);
    const { dig, enemies, enter_ladders: entersLadders } = map.game.params;
    return {
      size: { width, height, depth },
      canDig: dig,
      entersLadders,
      start: list("player", "player_on_target")[0],
      gold: list("gold", "coin", "treasure"),
      exits: new Set(list("exit")),
      bricks: mask("brick"),
      walls: mask("wall"),
      ladders: mask("ladder"),
      ropes: mask("rope"),
      enemies: enemies ? mask("enemy", "boss", "spike") : mask("spike"),
      fewest: map.game.fewest ?? null, // moves
    };
  },

  begin(board) {
    const state = { moves: 0, gold: [], holes: [], isLost: false };
    return collect(board, state, board.start);
  },

  // Returns the state after a move. An impossible move returns the same state; `isLost` is set by a move that kills. A
  // player that nothing carries can only fall, by the move down.
  move(board, state, move) {
    const { ladders, ropes, entersLadders, size } = board;
    const { at } = state;
    const column = at % size.width;
    const row = (at - column) / size.width;
    if (!runner.isCarried(board, state)) return move === "down" ? enter(board, state, row + 1, column) : state;
    if (move.startsWith("dig")) return dig(board, state, row + 1, column + SIDES[move]);
    if (move === "left" || move === "right") return enter(board, state, row, column + SIDES[move]);
    if (move === "up") return ladders[at] ? enter(board, state, row - 1, column) : state;
    const stepsOnto = entersLadders && row + 1 < size.height && ladders[at + size.width];
    return ladders[at] || ropes[at] || stepsOnto ? enter(board, state, row + 1, column) : state;
  },

  // Whether the player does not fall.
  isCarried(board, { at, holes }) {
    const { size, ladders, ropes } = board;
    const below = at + size.width;
    if (ladders[at] || ropes[at] || below >= size.width * size.height) return true;
    return Boolean(isSolid(board, holes, below) || ladders[below]);
  },
};

const isSolid = ({ walls, bricks }, holes, place) => walls[place] || (bricks[place] && !holes.includes(place));

const isInside = ({ size }, row, column) => row >= 0 && column >= 0 && row < size.height && column < size.width;

function enter(board, state, row, column) {
  const place = row * board.size.width + column;
  if (!isInside(board, row, column) || isSolid(board, state.holes, place)) return state;
  const moved = { ...state, moves: state.moves + 1 };
  return board.enemies[place] ? { ...moved, at: place, isLost: true } : collect(board, moved, place);
}

// Returns the state with the brick of a cell dug away, if it can be reached.
function dig(board, state, row, column) {
  const place = row * board.size.width + column;
  if (!board.canDig || !isInside(board, row, column)) return state;
  const above = place - board.size.width;
  const isBrick = board.bricks[place] && !state.holes.includes(place);
  if (!isBrick || isSolid(board, state.holes, above) || board.ladders[above]) return state;
  return { ...state, moves: state.moves + 1, holes: [...state.holes, place] };
}

// Returns the state after the player has entered a cell and taken what is there.
function collect(board, state, place) {
  const isNew = board.gold.includes(place) && !state.gold.includes(place);
  const gold = isNew ? [...state.gold, place] : state.gold;
  const isThere = !board.exits.size || board.exits.has(place);
  return { ...state, at: place, gold, isWon: isThere && gold.length === board.gold.length };
}
