(map) => {
  const { platformer } = modules.games;
  const board = platformer.open(map);
  let state = platformer.begin(board);
  return ["right", "left", "right", "right", "right", "right"].map((move) => {
    state = platformer.move(board, state, move);
    return [state.coins.length, state.ticks, state.isWon];
  });
}
