// Marks over the cells: grid, locks, selection, lines, markers and the cell under the pointer.

const MIN_GRID_CELL = 4; // minimum screen pixels per cell, as the next three
const MIN_DOT_CELL = 4;
const MIN_ICON_CELL = 8;
const MIN_NAME_CELL = 14;
const MAX_ICONS = 4; // in one cell
const MAX_NAMES = 60;
const FRAME_LINE = "#f2545b";
const LOCK = "#f2a541";
const LIGHT = "#fff4d6";
const DARK = "#1b1822";

export function drawGrid(pen, view) {
  if (view.cell < MIN_GRID_CELL) return;
  const { left, top, right, bottom } = view.visible;
  const [x, y, toX, toY] = [view.x(left), view.y(top), view.x(right), view.y(bottom)];
  pen.beginPath();
  for (let column = left; column <= right; column++) {
    const at = view.x(column) + 0.5;
    pen.moveTo(at, y), pen.lineTo(at, toY);
  }
  for (let row = top; row <= bottom; row++) {
    const at = view.y(row) + 0.5;
    pen.moveTo(x, at), pen.lineTo(toX, at);
  }
  pen.strokeStyle = `rgba(128, 124, 140, ${view.cell < 10 ? 0.3 : 0.45})`;
  pen.lineWidth = 1;
  pen.stroke();
}

// Returns the border of a mask's visible cells as a path, with one line per run of edges.
function borderPath(view, mask, level) {
  const { left, top, right, bottom } = view.visible;
  const [wide, high] = [view.columns, view.rows];
  const first = level * wide * high;
  const path = new Path2D();
  const at = (column, row) => view.has(column, row) && mask[first + row * wide + column] > 0;
  for (let row = top; row <= bottom; row++) {
    for (let column = left, start = -1; column <= right; column++) {
      const isEdge = column < right && at(column, row - 1) !== at(column, row);
      if (isEdge && start < 0) start = column;
      if (!isEdge && start >= 0) {
        path.moveTo(view.x(start), view.y(row)), path.lineTo(view.x(column), view.y(row));
        start = -1;
      }
    }
  }
  for (let column = left; column <= right; column++) {
    for (let row = top, start = -1; row <= bottom; row++) {
      const isEdge = row < bottom && at(column - 1, row) !== at(column, row);
      if (isEdge && start < 0) start = row;
      if (!isEdge && start >= 0) {
        path.moveTo(view.x(column), view.y(start)), path.lineTo(view.x(column), view.y(row));
        start = -1;
      }
    }
  }
  return path;
}

// Returns a mask's visible cells as a path, with one rectangle per run.
function areaPath(view, mask, level) {
  const { left, top, right, bottom } = view.visible;
  const path = new Path2D();
  for (let row = top; row < bottom; row++) {
    const line = (level * view.rows + row) * view.columns;
    for (let column = left, start = -1; column <= right; column++) {
      const isIn = column < right && mask[line + column] > 0;
      if (isIn && start < 0) start = column;
      if (!isIn && start >= 0) {
        path.rect(view.x(start), view.y(row), view.x(column) - view.x(start), view.y(row + 1) - view.y(row));
        start = -1;
      }
    }
  }
  return path;
}

// Draws locked cells: hatching with an outline.
export function drawLocks(pen, view, mask, level) {
  const area = areaPath(view, mask, level);
  pen.fillStyle = view.cell >= 3 ? hatchPattern(pen, view.ratio) : `${LOCK}80`;
  pen.fill(area);
  if (view.cell < 3) return;
  const border = borderPath(view, mask, level);
  const thin = Math.max(1, Math.round(view.ratio * (view.cell < 8 ? 1 : 1.5)));
  pen.lineCap = "square";
  pen.strokeStyle = "rgba(16, 14, 22, 0.55)";
  pen.lineWidth = thin + 2 * view.ratio;
  pen.stroke(border);
  pen.strokeStyle = LOCK;
  pen.lineWidth = thin;
  pen.stroke(border);
  pen.lineCap = "butt";
}

let pattern = null;

function hatchPattern(pen, ratio) {
  if (pattern?.ratio === ratio) return pattern.fill;
  const side = Math.round(8 * ratio);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const ink = canvas.getContext("2d");
  ink.lineWidth = ratio;
  // A dark line next to a bright one is visible on every tile.
  for (const [color, opacity, off] of [["#100e16", 0.3, ratio], [LOCK, 0.5, 0]]) {
    ink.beginPath();
    ink.strokeStyle = color;
    ink.globalAlpha = opacity;
    for (const shift of [-side, 0, side]) ink.moveTo(shift + off - 1, side + 1), ink.lineTo(shift + off + side + 1, -1);
    ink.stroke();
  }
  pattern = { ratio, fill: pen.createPattern(canvas, "repeat") };
  return pattern.fill;
}

export function drawSelection(pen, view, mask, level) {
  pen.fillStyle = "rgba(120, 170, 255, 0.20)";
  pen.fill(areaPath(view, mask, level));
  strokeDashed(pen, view, borderPath(view, mask, level));
}

function strokeDashed(pen, view, path) {
  const long = 4 * view.ratio;
  pen.lineWidth = Math.max(1, Math.round(view.ratio));
  pen.strokeStyle = "rgba(10, 10, 20, 0.9)";
  pen.stroke(path);
  pen.strokeStyle = "#fff";
  pen.setLineDash([long, long]);
  pen.stroke(path);
  pen.setLineDash([]);
}

function boxPath(view, { left, top, right, bottom }) {
  const path = new Path2D();
  path.rect(view.x(left) + 0.5, view.y(top) + 0.5, view.x(right) - view.x(left) - 1, view.y(bottom) - view.y(top) - 1);
  return path;
}

// Draws the rectangle of a gesture: filled with the tile's color, or a selection.
export function drawSpan(pen, view, box, color) {
  if (box.right <= box.left || box.bottom <= box.top) return;
  const path = boxPath(view, box);
  pen.fillStyle = color ?? "rgba(120, 170, 255, 0.20)";
  pen.globalAlpha = color ? 0.75 : 1;
  pen.fill(path);
  pen.globalAlpha = 1;
  strokeDashed(pen, view, path);
}

// Draws the outline of the cell under the pointer, or of the brush.
export function drawHover(pen, view, box) {
  if (box.right <= box.left || box.bottom <= box.top) return;
  const path = boxPath(view, box);
  pen.lineWidth = 3 * view.ratio;
  pen.strokeStyle = "rgba(10, 10, 20, 0.55)";
  pen.stroke(path);
  pen.lineWidth = Math.max(1, Math.round(view.ratio));
  pen.strokeStyle = "#fff";
  pen.stroke(path);
}

function cellCenter(view, [x, y]) {
  return [(view.left + (x + 0.5) * view.zoom) * view.ratio, (view.top + (y + 0.5) * view.zoom) * view.ratio];
}

// Draws the lines of an overlay: light with dark edges, visible on all colors.
export function drawLinks(pen, view, lines) {
  const thick = Math.max(1.5 * view.ratio, Math.min(6 * view.ratio, view.cell / 4));
  const centers = lines.map((line) => line.map((point) => cellCenter(view, point)));
  for (const [color, wider] of [[DARK, 2 * view.ratio], [LIGHT, 0]]) {
    pen.strokeStyle = pen.fillStyle = color;
    pen.lineWidth = thick + wider;
    pen.beginPath();
    for (const [start, end] of centers) pen.moveTo(...start), pen.lineTo(...end);
    pen.stroke();
    pen.beginPath();
    for (const [x, y] of centers.flat()) {
      const radius = 1.25 * thick + wider / 2;
      pen.moveTo(x + radius, y), pen.arc(x, y, radius, 0, 2 * Math.PI);
    }
    pen.fill();
  }
}

// Draws the lines of a frame.
export function drawLines(pen, view, lines) {
  pen.strokeStyle = FRAME_LINE;
  pen.lineWidth = Math.max(view.ratio, Math.min(5 * view.ratio, view.cell / 4));
  pen.beginPath();
  for (const [start, end] of lines) pen.moveTo(...cellCenter(view, start)), pen.lineTo(...cellCenter(view, end));
  pen.stroke();
}

// Draws the icon of every marker, and its name if cells are large enough. Small cells show dots.
export function drawMarkers(pen, view, { markers, icons, hasNames = true }, level) {
  if (view.cell < MIN_DOT_CELL) return;
  const cells = new Map(); // numbers of the markers in each visible cell
  markers.forEach(([, column, row, at], number) => {
    if (at !== level || !isVisible(view, column, row)) return;
    const place = row * view.columns + column;
    if (!cells.has(place)) cells.set(place, []);
    cells.get(place).push(number);
  });
  for (const [place, here] of cells) {
    const [x, y] = cellCenter(view, [place % view.columns, Math.floor(place / view.columns)]);
    const isAlone = here.length === 1 || view.cell < 2 * MIN_DOT_CELL;
    const room = isAlone ? view.cell : view.cell / 2;
    const shown = here.slice(0, isAlone ? 1 : MAX_ICONS).map((number) => icons.numbers[number]);
    if (!isAlone && here.length > MAX_ICONS) shown[MAX_ICONS - 1] = 0;
    shown.forEach((icon, number) => {
      const right = isAlone ? 0 : ((number % 2) - 0.5) * room;
      const down = isAlone || shown.length === 2 ? 0 : (Math.floor(number / 2) - 0.5) * room;
      drawIcon(pen, icons, icon, x + right, y + down, room);
    });
  }
  if (hasNames) drawNames(pen, view, [...cells.values()].flat().map((number) => markers[number]));
}

function drawIcon(pen, { image, side, colors }, icon, x, y, room) {
  if (room < MIN_ICON_CELL) {
    pen.beginPath();
    pen.arc(x, y, room / 2, 0, 2 * Math.PI);
    pen.fillStyle = DARK;
    pen.fill();
    pen.beginPath();
    pen.arc(x, y, room / 2 - 1, 0, 2 * Math.PI);
    pen.fillStyle = colors[icon];
    pen.fill();
    return;
  }
  const size = Math.round(room < side ? Math.min(side, room + 2) : room);
  pen.imageSmoothingEnabled = size < side;
  pen.imageSmoothingQuality = "high";
  pen.drawImage(image, icon * side, 0, side, side, Math.round(x - size / 2), Math.round(y - size / 2), size, size);
}

function drawNames(pen, view, markers) {
  if (view.cell < MIN_NAME_CELL * view.ratio || markers.length > MAX_NAMES) return;
  pen.font = `600 ${11 * view.ratio}px system-ui, sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const { name, x, y, wide, high } of placeNames(view, markers, (name) => pen.measureText(name).width)) {
    pen.beginPath();
    pen.roundRect(x, y, wide, high, 4 * view.ratio);
    pen.fillStyle = "rgba(27, 24, 34, 0.86)";
    pen.fill();
    pen.fillStyle = LIGHT;
    pen.fillText(name, x + wide / 2, y + (high + view.ratio) / 2);
  }
}

// Returns the boxes of names, in screen pixels: below, above or beside the cells of their markers. They cover no icon and
// no other name; a name without a free place is left out. `measure` returns the width of a string.
export function placeNames(view, markers, measure) {
  const names = new Map(); // by cell
  for (const [name, column, row] of markers) {
    const place = row * view.columns + column;
    names.set(place, names.has(place) ? `${names.get(place)}, ${name}` : name);
  }
  const cellBox = (place) => {
    const [column, row] = [place % view.columns, Math.floor(place / view.columns)];
    return { x: view.x(column), y: view.y(row), wide: view.cell, high: view.cell };
  };
  const taken = [...names.keys()].map(cellBox);
  const placed = [];
  for (const [place, name] of names) {
    const cell = cellBox(place);
    const [wide, high, gap] = [measure(name) + 10 * view.ratio, 16 * view.ratio, 2 * view.ratio];
    const [middleX, middleY] = [cell.x + cell.wide / 2 - wide / 2, cell.y + cell.high / 2 - high / 2];
    const corners = [
      [middleX, cell.y + cell.high + gap],
      [middleX, cell.y - gap - high],
      [cell.x + cell.wide + gap, middleY],
      [cell.x - gap - wide, middleY],
    ];
    const boxes = corners.map(([x, y]) => ({ name, x, y, wide, high }));
    const box = boxes.find((one) => !taken.some((other) => overlap(one, other)));
    if (box) placed.push(box), taken.push(box);
  }
  return placed;
}

function overlap(one, other) {
  const isBeside = one.x >= other.x + other.wide || other.x >= one.x + one.wide;
  return !isBeside && one.y < other.y + other.high && other.y < one.y + one.high;
}

function isVisible(view, column, row) {
  const { left, top, right, bottom } = view.visible;
  return column >= left && row >= top && column < right && row < bottom;
}
