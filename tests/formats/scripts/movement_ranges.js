([map, units, places]) => {
  const { war } = modules.games;
  const board = war.open(map);
  return units.map((unit) => {
    const chosen = war.move(board, war.begin(board), { unit });
    const plain = (cost) => (cost < Infinity ? cost : -1);
    return [chosen.points, places.map((at) => [...war.move(board, chosen, { at }).costs].map(plain))];
  });
}
