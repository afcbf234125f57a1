(map) => {
  const { dungeon } = modules.games;
  const board = dungeon.open(map);
  const states = [dungeon.begin(board)];
  for (const direction of ["left", "right", "down", "right"])
    states.push(dungeon.move(board, states.at(-1), direction));
  return [states.map(({ at, steps, keys, note }) => [at, steps, keys, note]), board.shortest];
}
