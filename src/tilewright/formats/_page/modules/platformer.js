// The rules of the platformer: run and jump to an exit, as in play/games/platformer.py.

import { readRoles } from "./roles.js";

const SIDES = { wait: 0, left: -1, right: 1, jump: 0, "jump left": -1, "jump right": 1, up: 0, down: 0 };

export const platformer = {
  name: "platformer",

  fits: ({ game }) => game?.name === "platformer",

  open(map) {
    const { width, height, depth } = map;
    const { mask, list } = readRoles(map);
    const { jump_length: length, jump_height: rise, ...params } = map.game.params;
    return {
      size: { width, height, depth },
      rise,
      hangTime: length - 2 * rise,
      springRise: params.spring_height,
      hasAirControl: params.air_control,
      hasRunningJumps: params.running_jumps,
      hasFloor: params.floor,
      start: list("player", "player_on_target")[0],
      exits: new Set(list("exit")),
      keys: list("key"),
      coins: list("coin", "gold", "treasure"),
      walls: mask("wall", "brick", "crate"),
      doors: mask("door", "lock"),
      platforms: mask("platform"),
      ladders: mask("ladder"),
      springs: mask("spring"),
      spikes: mask("spike"),
      enemies: mask("enemy", "boss"),
      fewest: map.game.fewest ?? null, // ticks
    };
  },

  // `air` has the ticks until the player falls, and `direction` is that of a player without air control in the air.
  begin(board) {
    const state = { at: board.start, air: 0, direction: 0, ticks: 0, keys: [], coins: [], isLost: false };
    return collect(board, state);
  },

  // Returns the state after a tick. An impossible move returns the same state; `isLost` is set by a move that kills.
  move(board, state, move) {
    const { width } = board.size;
    let column = state.at % width;
    const row = (state.at - column) / width;
    const isGrounded = state.air === 0 && isCarried(board, state, row, column);
    if (move === "up" || move === "down") return isGrounded ? climb(board, state, row, column, move === "down" ? 1 : -1) : state;
    let { air } = state;
    let side = SIDES[move];
    if (move.startsWith("jump")) {
      if (!isGrounded || isBlocked(board, state, row - 1, column) || (side && !board.hasRunningJumps)) return state;
      air = board.rise + board.hangTime;
    }
    if (!board.hasAirControl && !isGrounded) side = state.direction;
    if (!isBlocked(board, state, row, column + side)) column += side;
    return fall(board, state, { row, column, air, direction: board.hasAirControl ? 0 : side });
  },

  // Whether nothing happens until the player moves.
  isResting(board, { at, air, keys }) {
    const { width } = board.size;
    return air === 0 && isCarried(board, { keys }, Math.floor(at / width), at % width);
  },
};

// Returns the state after climbing a ladder, or dropping through a platform.
function climb(board, state, row, column, down) {
  const { ladders, platforms, size } = board;
  const to = row + down;
  if (isBlocked(board, state, to, column)) return state;
  const place = to * size.width + column;
  const drops = down > 0 && (ladders[place] || platforms[place]);
  if (!ladders[state.at] && !drops) return state;
  return enter(board, state, { row: to, column, air: 0, direction: 0, falls: false });
}

// Returns the state after the vertical part of a tick: rise, hang, or fall.
function fall(board, state, { row, column, air, direction }) {
  let falls = false;
  if (air > board.hangTime) {
    if (isBlocked(board, state, row - 1, column)) air = board.hangTime;
    else [row, air] = [row - 1, air - 1];
  } else if (air > 0) air -= 1;
  else if (!isCarried(board, state, row, column)) [row, falls] = [row + 1, true];
  return enter(board, state, { row, column, air, direction, falls });
}

function enter(board, state, { row, column, air, direction, falls }) {
  const { size, hangTime, springRise, spikes, enemies, springs } = board;
  const at = row * size.width + column;
  const ticks = state.ticks + 1;
  if (row === size.height) return { ...state, at, ticks, isLost: true };
  if (spikes[at] || (enemies[at] && !falls)) return { ...state, at, ticks, isLost: true };
  if (enemies[at]) air = hangTime + 1;
  else if (springs[at] && air <= hangTime) air = hangTime + springRise;
  const entered = collect(board, { ...state, at, air, direction, ticks });
  return air === 0 && isCarried(board, entered, row, column) ? { ...entered, direction: 0 } : entered;
}

// Returns the state with what is in the player's cell.
function collect(board, state) {
  const { at } = state;
  const add = (taken, all) => (all.includes(at) && !taken.includes(at) ? [...taken, at] : taken);
  const [keys, coins] = [add(state.keys, board.keys), add(state.coins, board.coins)];
  return { ...state, keys, coins, isWon: board.exits.has(at) && keys.length === board.keys.length };
}

// Returns whether the player cannot be in a cell: a wall, a closed door, or outside the map.
function isBlocked({ size, walls, doors }, { keys }, row, column) {
  if (row < 0 || column < 0 || row >= size.height || column >= size.width) return true;
  const place = row * size.width + column;
  return Boolean(walls[place] || (doors[place] && !keys.length));
}

// Returns whether a player in a cell does not fall.
function isCarried(board, state, row, column) {
  const { size, ladders, platforms, hasFloor } = board;
  const place = row * size.width + column;
  if (ladders[place]) return true;
  if (row + 1 === size.height) return hasFloor;
  const below = place + size.width;
  return isBlocked(board, state, row + 1, column) || Boolean(platforms[below] || ladders[below]);
}
