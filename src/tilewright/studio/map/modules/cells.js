// The cells of strokes, rectangles and fills.

// Calls `visit` for every cell on the line between two cells, including both (Bresenham's algorithm).
export function visitLine([column, row], [toColumn, toRow], visit) {
  const [wide, high] = [Math.abs(toColumn - column), Math.abs(toRow - row)];
  const [right, down] = [Math.sign(toColumn - column), Math.sign(toRow - row)];
  let off = wide - high;
  for (;;) {
    visit(column, row);
    if (column === toColumn && row === toRow) return;
    const twice = 2 * off;
    if (twice > -high) (off -= high), (column += right);
    if (twice < wide) (off += wide), (row += down);
  }
}

// Returns the square of a brush around a cell, clipped to the map; right and bottom are exclusive.
export function brushBox(column, row, size, { width, height }) {
  const [left, top] = [column - ((size - 1) >> 1), row - ((size - 1) >> 1)];
  return {
    left: Math.max(0, left),
    top: Math.max(0, top),
    right: Math.min(width, left + size),
    bottom: Math.min(height, top + size),
  };
}

// Returns the rectangle between two cells, clipped to the map; right and bottom are exclusive.
export function spanBox([column, row], [toColumn, toRow], { width, height }) {
  return {
    left: Math.max(0, Math.min(column, toColumn)),
    top: Math.max(0, Math.min(row, toRow)),
    right: Math.min(width, Math.max(column, toColumn) + 1),
    bottom: Math.min(height, Math.max(row, toRow) + 1),
  };
}

// Yields the flat indices of a rectangle's cells on a level.
export function* cellsIn(box, level, { width, height }) {
  for (let row = box.top; row < box.bottom; row++)
    for (let column = box.left; column < box.right; column++) yield (level * height + row) * width + column;
}

// Returns the flat indices of the 4-connected cells with the same tile as a given cell.
export function floodFill(cells, [column, row], level, { width, height }) {
  const first = level * width * height;
  const start = first + row * width + column;
  const tile = cells[start];
  const found = new Uint8Array(width * height);
  const places = [start];
  found[start - first] = 1;
  for (let next = 0; next < places.length; next++) {
    const place = places[next];
    const inside = place - first;
    const at = inside % width;
    if (at > 0) visit(inside - 1);
    if (at < width - 1) visit(inside + 1);
    if (inside >= width) visit(inside - width);
    if (inside < width * (height - 1)) visit(inside + width);
  }
  return places;

  function visit(inside) {
    if (found[inside] || cells[first + inside] !== tile) return;
    found[inside] = 1;
    places.push(first + inside);
  }
}
