// Drawings of rooms, and of the selection of markers and rooms. Every line is light with a dark edge.

const LIGHT = "#fff4d6";
const CHOSEN = "#f2a541";
const DARK = "#1b1822";
const MIN_RING = 9; // pixels
const CORNER = 5; // half the edge length of a corner's square, in pixels

function stroke(pen, view, path, color) {
  pen.lineWidth = 4 * view.ratio;
  pen.strokeStyle = "rgba(27, 24, 34, 0.7)";
  pen.stroke(path);
  pen.lineWidth = 2 * view.ratio;
  pen.strokeStyle = color;
  pen.stroke(path);
}

// Draws the outlines of rooms with their numbers and names.
export function drawRooms(pen, view, rooms, chosen) {
  rooms.forEach((room, number) => {
    const [x, y, right, bottom] = edges(view, room);
    const path = new Path2D();
    path.rect(x, y, right - x, bottom - y);
    pen.fillStyle = number === chosen ? "rgba(242, 165, 65, 0.22)" : "rgba(255, 244, 214, 0.1)";
    pen.fill(path);
    stroke(pen, view, path, number === chosen ? CHOSEN : LIGHT);
    drawLabel(pen, view, [number, ...room.slice(4)].join(" "), x, y);
  });
}

function drawLabel(pen, view, text, x, y) {
  pen.font = `600 ${11 * view.ratio}px system-ui, sans-serif`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  const [wide, high] = [pen.measureText(text).width + 8 * view.ratio, 16 * view.ratio];
  pen.beginPath();
  pen.roundRect(x + 2 * view.ratio, y + 2 * view.ratio, wide, high, 3 * view.ratio);
  pen.fillStyle = "rgba(27, 24, 34, 0.86)";
  pen.fill();
  pen.fillStyle = LIGHT;
  pen.fillText(text, x + 6 * view.ratio, y + 2.5 * view.ratio + high / 2);
}

// Draws the corners by which the selected room is resized.
export function drawCorners(pen, view, room, corners) {
  const [left, top, right, bottom] = edges(view, room);
  const half = CORNER * view.ratio;
  for (const [isRight, isBottom] of corners) {
    const path = new Path2D();
    path.rect((isRight ? right : left) - half, (isBottom ? bottom : top) - half, 2 * half, 2 * half);
    pen.fillStyle = LIGHT;
    pen.fill(path);
    pen.lineWidth = 1.5 * view.ratio;
    pen.strokeStyle = DARK;
    pen.stroke(path);
  }
}

// Draws a ring around each marker.
export function drawRings(pen, view, markers, isChosen) {
  const radius = Math.max(MIN_RING * view.ratio, 0.8 * view.cell);
  for (const [, column, row] of markers) {
    const path = new Path2D();
    path.arc((view.x(column) + view.x(column + 1)) / 2, (view.y(row) + view.y(row + 1)) / 2, radius, 0, 2 * Math.PI);
    stroke(pen, view, path, isChosen ? CHOSEN : LIGHT);
  }
}

function edges(view, [x, y, wide, high]) {
  return [view.x(x), view.y(y), view.x(x + wide), view.y(y + high)];
}
