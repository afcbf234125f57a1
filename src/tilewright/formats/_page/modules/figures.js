// Figures of games, drawn in a cell: the player, a goal that no marker shows, and things such as crates and coins.

import { COLORS, DRAWINGS } from "./drawings.js";
import { surface } from "./picture.js";

const DARK = "#1b1822";
const BODY = "#f2a541";
const LIGHT = "#fff4d6";
const GOAL = "#ffc83d";

// Draws the player at a position in cells, with eyes in the direction of the last step.
export function drawPlayer(pen, view, [x, y], [right, down]) {
  const [middleX, middleY] = center(view, x, y);
  const radius = Math.max(3, view.cell * 0.36);
  const disk = (dx, dy, size, color) => {
    pen.beginPath();
    pen.arc(middleX + dx * radius, middleY + dy * radius, size * radius, 0, 2 * Math.PI);
    pen.fillStyle = color;
    pen.fill();
  };
  disk(0, 0, 1.22, DARK);
  disk(0, 0, 1.02, LIGHT);
  disk(0, 0, 0.86, BODY);
  for (const side of [-0.34, 0.34]) {
    const [dx, dy] = [0.3 * right + side * (right ? 0.7 : 1), 0.3 * down - 0.1 + (right ? side * 0.2 : 0)];
    disk(dx, dy, 0.22, LIGHT);
    disk(dx + 0.08 * right, dy + 0.08 * down, 0.13, DARK);
  }
}

// Draws a goal: a flag.
export function drawGoal(pen, view, [x, y]) {
  const [middleX, middleY] = center(view, x, y);
  const unit = view.cell / 16;
  const shape = (points, color) => {
    pen.beginPath();
    points.forEach(([dx, dy]) => pen.lineTo(middleX + dx * unit, middleY + dy * unit));
    pen.fillStyle = color;
    pen.fill();
  };
  shape([[-5, -7], [6, -4], [-2, 1], [-2, 7], [-5, 7]], DARK);
  shape([[-4, -6], [4, -4], [-3, 0], [-3, 6], [-4, 6]], GOAL);
}

export const hasFigure = (name) => Object.hasOwn(DRAWINGS, name);

const pictures = new Map(); // of drawings, by name

// Draws a thing at a position in cells.
export function drawFigure(pen, view, name, [x, y]) {
  if (!pictures.has(name)) pictures.set(name, paintDrawing(DRAWINGS[name]));
  const [left, top] = [(view.left + x * view.zoom) * view.ratio, (view.top + y * view.zoom) * view.ratio];
  const [fromX, fromY] = [Math.round(left), Math.round(top)];
  pen.imageSmoothingEnabled = view.cell < 16;
  pen.drawImage(
    pictures.get(name), fromX, fromY, Math.round(left + view.cell) - fromX, Math.round(top + view.cell) - fromY,
  );
}

function paintDrawing(rows) {
  const picture = surface(rows[0].length, rows.length);
  const pen = picture.getContext("2d");
  rows.forEach((row, y) =>
    [...row].forEach((color, x) => {
      if (color === ".") return;
      pen.fillStyle = COLORS[color];
      pen.fillRect(x, y, 1, 1);
    }),
  );
  return picture;
}

function center(view, x, y) {
  return [(view.left + (x + 0.5) * view.zoom) * view.ratio, (view.top + (y + 0.5) * view.zoom) * view.ratio];
}
