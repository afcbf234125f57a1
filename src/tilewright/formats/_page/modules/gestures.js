// Pointer gestures on a canvas: taps, drags, swipes, pinches, the wheel, and the position of the mouse.

const MIN_SWIPE = 24; // pixels

// Calls `tap(x, y)`, `drag(dx, dy)`, `swipe(direction or null)`, `zoom(factor, x, y)` and `hover(x, y)`.
//
// A finger swipes: the direction follows the finger until it is lifted, which is reported as null. If `swipe` is
// missing, fingers drag like the mouse.
export class Gestures {
  constructor(canvas, { tap, drag, zoom, swipe = null, hover = null }) {
    Object.assign(this, { canvas, tap, drag, zoom, swipe, hover });
    this.pointers = new Map();
    this.start = this.direction = this.span = null;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event, true));
    canvas.addEventListener("pointercancel", (event) => this.up(event, false));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  pointOf(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  down(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.pointOf(event));
    this.turn(null);
    this.start = this.pointers.size === 1 ? this.pointOf(event) : null; // a pinch is no tap
    this.span = this.pointers.size === 2 ? this.measure() : null;
  }

  move(event) {
    const point = this.pointOf(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) return this.hover?.(...point);
    this.pointers.set(event.pointerId, point);
    if (this.span) return this.pinch();
    if (!this.start) return;
    const [right, down] = [point[0] - this.start[0], point[1] - this.start[1]];
    const isFar = Math.max(Math.abs(right), Math.abs(down)) >= MIN_SWIPE;
    this.isMoved ||= Math.hypot(right, down) > MIN_SWIPE / 4;
    if (event.pointerType === "touch" && this.swipe) {
      if (!isFar) return;
      if (Math.abs(right) > Math.abs(down)) this.turn(right > 0 ? "right" : "left");
      else this.turn(down > 0 ? "down" : "up");
    } else if (this.isMoved) this.drag(point[0] - before[0], point[1] - before[1]);
  }

  up(event, isComplete) {
    if (!this.pointers.delete(event.pointerId)) return;
    if (isComplete && this.start && !this.isMoved) this.tap(...this.start);
    this.turn(null);
    this.start = this.span = null;
    this.isMoved = false;
  }

  turn(direction) {
    if (direction === this.direction) return;
    this.direction = direction;
    this.swipe?.(direction);
  }

  measure() {
    const [[x, y], [toX, toY]] = [...this.pointers.values()];
    return { middle: [(x + toX) / 2, (y + toY) / 2], wide: Math.max(1, Math.hypot(toX - x, toY - y)) };
  }

  pinch() {
    const { middle, wide } = this.measure();
    this.drag(middle[0] - this.span.middle[0], middle[1] - this.span.middle[1]);
    this.zoom(wide / this.span.wide, ...middle);
    this.span = { middle, wide };
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1; // some browsers report lines
    this.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.002)), ...this.pointOf(event));
  }
}
