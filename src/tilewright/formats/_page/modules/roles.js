// Roles: what tiles and markers do in a game, as in play/board.py.

// Returns functions of roles on a map: `mask(...roles)` has 1 in the cells with any of these roles, and
// `list(...roles)` returns these cells in the order of rows.
export function readRoles({ width, height, cells, tiles, markers, game }) {
  const placed = markers.map(([name, x, y, level]) => [game.markers[name], (level * height + y) * width + x]);
  const mask = (...roles) => {
    const isWanted = tiles.map(({ role }) => Number(roles.includes(role)));
    const found = Uint8Array.from(cells, (tile) => isWanted[tile]);
    for (const [role, place] of placed) if (roles.includes(role)) found[place] = 1;
    return found;
  };
  const list = (...roles) => [...mask(...roles).entries()].filter(([, isIn]) => isIn).map(([place]) => place);
  return { mask, list };
}

// Draws the ground in place of tiles that a game draws as figures: the most frequent floor among the cells of a mask.
export function clearCells({ cells, looks, tiles }, places, isNear) {
  const counts = new Map();
  let ground = -1;
  for (let place = 0; place < cells.length; place++) {
    if (!isNear[place] || tiles[cells[place]].role !== "floor") continue;
    const look = (looks ?? cells)[place];
    counts.set(look, (counts.get(look) ?? 0) + 1);
    if (ground < 0 || counts.get(look) > counts.get((looks ?? cells)[ground])) ground = place;
  }
  if (ground < 0) return;
  for (const place of places) {
    cells[place] = cells[ground];
    if (looks) looks[place] = looks[ground];
  }
}
