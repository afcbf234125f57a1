// Where the map stands on the screen: how large a cell is, and where the first one begins. Numbers only.

const LARGEST = 128; // pixels along a cell
const STEPS = [0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, LARGEST];
const MARGIN = 12; // pixels around a map that is fitted
const KEPT = 48; // pixels of the map that cannot be pushed out of sight

export class View {
  constructor() {
    this.zoom = 8; // pixels along a cell
    this.left = this.top = 0; // of the first cell, in pixels of the canvas
    this.columns = this.rows = 0; // of the map
    this.width = this.height = 0; // of the canvas
    this.ratio = 1; // of the screen's own pixels to the page's
    this.isFitted = true;
  }

  // The canvas has another size: what is fitted stays so, else the middle stays in the middle.
  resize(width, height, ratio) {
    const moved = [(width - this.width) / 2, (height - this.height) / 2];
    const first = !this.width;
    Object.assign(this, { width, height, ratio });
    if (this.isFitted || first) this.fit();
    else this.pan(...moved);
  }

  // A map of another size is fitted, one of the same size stays where it is.
  hold(columns, rows) {
    if (columns === this.columns && rows === this.rows) return;
    Object.assign(this, { columns, rows });
    this.fit();
  }

  fit() {
    if (!this.columns || !this.width) return;
    const room = [(this.width - 2 * MARGIN) / this.columns, (this.height - 2 * MARGIN) / this.rows];
    const zoom = Math.max(0.02, Math.min(LARGEST, ...room));
    const whole = Math.floor(zoom * this.ratio) / this.ratio; // all cells alike
    this.zoom = whole > 0.88 * zoom ? whole : zoom;
    this.center();
    this.isFitted = true;
  }

  center() {
    this.left = (this.width - this.columns * this.zoom) / 2;
    this.top = (this.height - this.rows * this.zoom) / 2;
  }

  // Cells of this many pixels; what is under the point stays there.
  zoomTo(zoom, x = this.width / 2, y = this.height / 2) {
    const fitting = Math.min(this.width / this.columns, this.height / this.rows);
    const bounded = Math.max(Math.min(1, fitting / 2), Math.min(LARGEST, zoom));
    const change = bounded / this.zoom;
    this.left = x - (x - this.left) * change;
    this.top = y - (y - this.top) * change;
    this.zoom = bounded;
    this.isFitted = false;
    this.keepInSight();
  }

  // One step in (1) or out (-1).
  step(direction) {
    const near = 1.01;
    const next =
      direction > 0
        ? STEPS.find((zoom) => zoom > this.zoom * near)
        : STEPS.findLast((zoom) => zoom < this.zoom / near);
    this.zoomTo(next ?? this.zoom);
  }

  pan(x, y) {
    this.left += x;
    this.top += y;
    this.isFitted = false;
    this.keepInSight();
  }

  keepInSight() {
    const [wide, high] = [this.columns * this.zoom, this.rows * this.zoom];
    this.left = Math.max(Math.min(KEPT, wide) - wide, Math.min(this.width - Math.min(KEPT, wide), this.left));
    this.top = Math.max(Math.min(KEPT, high) - high, Math.min(this.height - Math.min(KEPT, high), this.top));
  }

  // Column and row under a point of the canvas; they may lie outside the map.
  cellAt(x, y) {
    return [Math.floor((x - this.left) / this.zoom), Math.floor((y - this.top) / this.zoom)];
  }

  has(column, row) {
    return column >= 0 && row >= 0 && column < this.columns && row < this.rows;
  }

  // The first pixel of the screen of a column, of a row. Whole numbers, so that neighbours touch.
  x(column) {
    return Math.round((this.left + column * this.zoom) * this.ratio);
  }

  y(row) {
    return Math.round((this.top + row * this.zoom) * this.ratio);
  }

  // The screen's pixels along a cell.
  get cell() {
    return this.zoom * this.ratio;
  }

  // First and last-but-one columns and rows that can be seen.
  get seen() {
    const [left, top] = this.cellAt(0, 0);
    const [right, bottom] = this.cellAt(this.width, this.height);
    return {
      left: Math.max(0, left),
      top: Math.max(0, top),
      right: Math.min(this.columns, right + 1),
      bottom: Math.min(this.rows, bottom + 1),
    };
  }

  saved() {
    const { zoom, left, top, isFitted } = this;
    return { zoom, left, top, isFitted };
  }
}
