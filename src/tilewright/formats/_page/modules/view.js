// Zoom and position of the map on the screen.

const MAX_ZOOM = 128; // pixels per cell
const STEPS = [0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, MAX_ZOOM];
const MARGIN = 12; // pixels around a fitted map
const MIN_VISIBLE = 48; // pixels of the map that stay visible

export class View {
  constructor() {
    this.zoom = 8; // pixels per cell
    this.left = this.top = 0; // position of the first cell, in pixels of the canvas
    this.columns = this.rows = 0; // of the map
    this.width = this.height = 0; // of the canvas
    this.ratio = 1; // screen pixels per CSS pixel
    this.isFitted = true;
  }

  // Sets the size of the canvas; a fitted map is fitted again, else the center stays.
  resize(width, height, ratio) {
    const moved = [(width - this.width) / 2, (height - this.height) / 2];
    const first = !this.width;
    Object.assign(this, { width, height, ratio });
    if (this.isFitted || first) this.fit();
    else this.pan(...moved);
  }

  // Sets the size of the map; a map of another size is fitted.
  setMapSize(columns, rows) {
    if (columns === this.columns && rows === this.rows) return;
    Object.assign(this, { columns, rows });
    this.fit();
  }

  fit() {
    if (!this.columns || !this.width) return;
    const zooms = [(this.width - 2 * MARGIN) / this.columns, (this.height - 2 * MARGIN) / this.rows];
    const zoom = Math.max(0.02, Math.min(MAX_ZOOM, ...zooms));
    const integral = Math.floor(zoom * this.ratio) / this.ratio; // all cells have the same number of pixels
    this.zoom = integral > 0.88 * zoom ? integral : zoom;
    this.center();
    this.isFitted = true;
  }

  center() {
    this.left = (this.width - this.columns * this.zoom) / 2;
    this.top = (this.height - this.rows * this.zoom) / 2;
  }

  // Sets the pixels per cell; the cell under a point stays there.
  zoomTo(zoom, x = this.width / 2, y = this.height / 2) {
    const fitting = Math.min(this.width / this.columns, this.height / this.rows);
    const bounded = Math.max(Math.min(1, fitting / 2), Math.min(MAX_ZOOM, zoom));
    const change = bounded / this.zoom;
    this.left = x - (x - this.left) * change;
    this.top = y - (y - this.top) * change;
    this.zoom = bounded;
    this.isFitted = false;
    this.clampPosition();
  }

  // Zooms one step in (1) or out (-1).
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
    this.clampPosition();
  }

  clampPosition() {
    const [wide, high] = [this.columns * this.zoom, this.rows * this.zoom];
    const [x, y] = [Math.min(MIN_VISIBLE, wide), Math.min(MIN_VISIBLE, high)];
    this.left = Math.max(x - wide, Math.min(this.width - x, this.left));
    this.top = Math.max(y - high, Math.min(this.height - y, this.top));
  }

  // Returns the column and row under a point of the canvas, which may be outside the map.
  cellAt(x, y) {
    return [Math.floor((x - this.left) / this.zoom), Math.floor((y - this.top) / this.zoom)];
  }

  has(column, row) {
    return column >= 0 && row >= 0 && column < this.columns && row < this.rows;
  }

  // Return the first screen pixel of a column and of a row. Rounded, so that there are no gaps between cells.
  x(column) {
    return Math.round((this.left + column * this.zoom) * this.ratio);
  }

  y(row) {
    return Math.round((this.top + row * this.zoom) * this.ratio);
  }

  // Screen pixels per cell.
  get cell() {
    return this.zoom * this.ratio;
  }

  // Visible columns and rows; right and bottom are exclusive.
  get visible() {
    const [left, top] = this.cellAt(0, 0);
    const [right, bottom] = this.cellAt(this.width, this.height);
    return {
      left: Math.max(0, left),
      top: Math.max(0, top),
      right: Math.min(this.columns, right + 1),
      bottom: Math.min(this.rows, bottom + 1),
    };
  }

  save() {
    const { zoom, left, top, isFitted } = this;
    return { zoom, left, top, isFitted };
  }
}
