(plays) => JSON.stringify(plays.map(({ map, moves }) => {
  const game = modules.chooseGame(map);
  const board = game.open(map);
  let state = game.begin(board);
  const plain = ({ at, air, direction, isWon, ...lists }) => {
    const sorted = ["crates", "keys", "gold", "holes"].map((name) => [name, lists[name]?.toSorted((a, b) => a - b)]);
    return { at, air, direction, isWon, ...Object.fromEntries(sorted) };
  };
  const found = [{ ...plain(state), end: "" }];
  for (const move of moves) {
    Object.freeze(state);
    const after = game.move(board, state, move);
    const end = after === state ? "impossible" : after.isLost ? "lost" : "";
    if (!end) state = after;
    found.push({ ...plain(state), end });
  }
  return found;
}))
