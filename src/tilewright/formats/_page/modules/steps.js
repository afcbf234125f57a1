// Steps on a map: directions, distances and paths along the axes, on all levels. Cells are flat indices.

export const DIRECTIONS = {
  left: [-1, 0, 0], right: [1, 0, 0], up: [0, -1, 0], down: [0, 1, 0], ascend: [0, 0, 1], descend: [0, 0, -1],
};

// Returns the column, row and level of a cell.
export function positionOf({ width, height }, place) {
  return [place % width, Math.floor(place / width) % height, Math.floor(place / (width * height))];
}

// Returns the cell one step away, or -1 if it is outside the map.
export function neighborOf({ width, height, depth }, place, direction) {
  const [right, down, up] = DIRECTIONS[direction];
  const [x, y, level] = positionOf({ width, height }, place);
  const isInside =
    x + right >= 0 && x + right < width && y + down >= 0 && y + down < height && level + up >= 0 && level + up < depth;
  return isInside ? place + right + down * width + up * width * height : -1;
}

// Calls `visit` with each neighbor of a cell and the name of the direction.
export function visitNeighbors({ width, height, depth }, place, visit) {
  const x = place % width;
  const area = width * height;
  const inside = place % area;
  if (x > 0) visit(place - 1, "left");
  if (x < width - 1) visit(place + 1, "right");
  if (inside >= width) visit(place - width, "up");
  if (inside < area - width) visit(place + width, "down");
  if (depth === 1) return;
  if (place < area * (depth - 1)) visit(place + area, "ascend");
  if (place >= area) visit(place - area, "descend");
}

// Returns the steps from a cell to all others; -1 for cells that cannot be reached. `isOpen` is a mask or an array.
export function stepsFrom(size, isOpen, start) {
  const steps = new Int32Array(isOpen.length).fill(-1);
  if (start < 0 || !isOpen[start]) return steps;
  const queue = new Int32Array(isOpen.length);
  let count = 1;
  queue[0] = start;
  steps[start] = 0;
  for (let next = 0; next < count; next++) {
    const place = queue[next];
    visitNeighbors(size, place, (other) => {
      if (steps[other] >= 0 || !isOpen[other]) return;
      steps[other] = steps[place] + 1;
      queue[count++] = other;
    });
  }
  return steps;
}

// Returns the directions of a shortest path between two cells, or null.
export function findPath(size, isOpen, start, goal) {
  const steps = stepsFrom(size, isOpen, goal);
  if (start === goal || steps[start] < 0) return start === goal ? [] : null;
  const path = [];
  for (let place = start; place !== goal; ) {
    let best = null;
    visitNeighbors(size, place, (other, direction) => {
      if (!best && steps[other] === steps[place] - 1) best = { other, direction };
    });
    path.push(best.direction);
    place = best.other;
  }
  return path;
}

// Returns the first cell with the most steps.
export function farthest(steps) {
  let best = 0;
  for (let place = 1; place < steps.length; place++) if (steps[place] > steps[best]) best = place;
  return best;
}

// Returns a cell of the largest region of a mask, the first of the region; -1 if the mask is empty.
export function largestRegion(size, isOpen) {
  const left = Uint8Array.from(isOpen);
  let [best, most] = [-1, 0];
  for (let start = 0; start < left.length; start++) {
    if (!left[start]) continue;
    const queue = [start];
    left[start] = 0;
    for (let next = 0; next < queue.length; next++)
      visitNeighbors(size, queue[next], (other) => {
        if (left[other]) (left[other] = 0), queue.push(other);
      });
    if (queue.length > most) [best, most] = [start, queue.length];
  }
  return best;
}
