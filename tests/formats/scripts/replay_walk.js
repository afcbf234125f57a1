([map, places]) => {
  const { dungeon } = modules.games;
  const board = dungeon.open(map);
  const { width, height } = map;
  const names = { [-1]: "left", 1: "right", [-width]: "up", [width]: "down" };
  Object.assign(names, { [width * height]: "ascend", [-width * height]: "descend" });
  let state = dungeon.begin(board);
  const states = [state];
  places.slice(1).forEach((place, number) => {
    const before = state;
    Object.freeze(before);
    state = dungeon.move(board, state, names[place - places[number]]);
    states.push(state);
  });
  const plain = ({ at, steps, keys, opened, wonAt }) => ({ at, steps, keys, opened, wonAt });
  return { states: states.map(plain), shortest: board.shortest };
}
