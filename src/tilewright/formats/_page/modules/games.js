// The games that maps can be played with. The first one that fits a map is played.
//
// A game is {name, fits, open, begin, move}, all pure functions: `fits(map)` says whether it suits a map, `open(map)`
// returns its board, `begin(board)` the first state, and `move(board, state, move)` the next state.

import { dungeon } from "./dungeon.js";
import { war } from "./war.js";

export const games = { war, dungeon };

export const chooseGame = (map) => Object.values(games).find((game) => game.fits(map));
