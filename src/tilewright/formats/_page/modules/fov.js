// Field of view: symmetric shadowcasting with integers, as in analysis/fov.py.

// Returns a mask of the cells of one level that are visible from a cell, including that cell.
//
// `clear` is 1 for transparent cells. Cells with dx² + dy² <= radius * (radius + 1) are visible.
export function castView(clear, { width, height }, column, row, radius) {
  const seen = new Uint8Array(width * height);
  const reach = radius * (radius + 1);
  const here = row * width + column;
  seen[here] = 1;
  for (let quarter = 0; quarter < 4; quarter++) {
    const isUpright = quarter < 2;
    const isBackward = quarter % 2 === 0;
    const [before, after] = isUpright ? [row, height - 1 - row] : [column, width - 1 - column];
    const [first, size] = isUpright ? [column, width] : [row, height];
    const deeper = (isUpright ? width : 1) * (isBackward ? -1 : 1);
    const aside = isUpright ? 1 : width;
    castQuarter(clear, seen, {
      here, deeper, aside, reach,
      deepest: isBackward ? before : after,
      least: -first,
      most: size - 1 - first,
    });
  }
  return seen;
}

// Marks the visible cells of a quarter, line by line away from the viewer.
//
// The visible part of a line is the interval between two slopes, low / lowParts and high / highParts, which walls split.
// A clear cell is visible if its center is in the interval, a wall if any part of it is.
function castQuarter(clear, seen, { here, deeper, aside, reach, deepest, least, most }) {
  const lines = [{ depth: 1, low: -1, lowParts: 1, high: 1, highParts: 1 }];
  while (lines.length) {
    let { depth, low, lowParts, high, highParts } = lines.pop();
    for (let isOpen = true; isOpen && depth <= deepest && depth * depth <= reach; depth++) {
      const lowFloor = Math.floor((depth * low) / lowParts);
      const lowRest = depth * low - lowFloor * lowParts;
      const highFloor = Math.floor((depth * high) / highParts);
      const highRest = depth * high - highFloor * highParts;
      const limit = Math.floor(Math.sqrt(reach - depth * depth));
      // Rounded to the nearest cell, halves inward.
      let across = Math.max(lowFloor + Number(2 * lowRest >= lowParts), least);
      const last = Math.min(highFloor + Number(2 * highRest > highParts), most);
      let from = Math.max(lowFloor + Number(lowRest > 0), -limit);
      const to = Math.min(highFloor, limit);
      const line = here + depth * deeper;
      const isClear = (at) => clear[line + at * aside] !== 0;
      isOpen = false;
      while (across <= last) {
        if (!isClear(across)) {
          if (Math.abs(across) <= limit) seen[line + across * aside] = 1;
          across++;
          if (across <= last && isClear(across)) {
            [low, lowParts] = [2 * across - 1, 2 * depth];
            from = Math.max(across, -limit);
          }
          continue;
        }
        for (; across <= last && isClear(across); across++)
          if (from <= across && across <= to) seen[line + across * aside] = 1;
        isOpen = across > last;
        if (!isOpen) lines.push({ depth: depth + 1, low, lowParts, high: 2 * across - 1, highParts: 2 * depth });
      }
    }
  }
}
