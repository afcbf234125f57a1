// The games that maps can be played with.
//
// A game is {name, fits, open, begin, move}, all pure functions: `fits(map)` says whether it suits a map, `open(map)`
// returns its board, `begin(board)` the first state, and `move(board, state, move)` the next state.

import { dungeon } from "./dungeon.js";
import { platformer } from "./platformer.js";
import { runner } from "./runner.js";
import { sokoban } from "./sokoban.js";
import { war } from "./war.js";

export const games = { sokoban, platformer, runner, war, dungeon };

// Returns the game that a map names, or else the first one that fits.
export function chooseGame(map) {
  const all = Object.values(games);
  return all.find(({ name }) => name === map.game?.name) ?? all.find((game) => game.fits(map));
}
