// Keyboard shortcuts. They go to the canvas that was clicked last; none are active in input fields and dialogs.

const TYPING = "input, textarea, select, [contenteditable=true], [contenteditable='']";
const PRESSABLE = "button, a[href], [role=button], [role=slider], [role=tab], [role=option], [role=menuitem]";
const SELECTABLE = "[role=slider], [role=tab], [role=option], [role=menuitem], [role=radio]"; // these use arrow keys
// Sheets, dialogs and menus, except closing ones.
const OPEN = ":popover-open, .q-dialog__inner:not([class*=-leave-]), .q-menu:not([class*=-leave-])";
const PLAIN = {
  h: "hand", s: "select", b: "brush", m: "rectangle", k: "bucket", i: "picker", e: "marker", o: "room",
  g: "grid", f: "fit", 0: "fit", "+": "larger", "=": "larger", "-": "smaller",
  "[": "thinner", "]": "thicker", l: "lock", u: "unlock", p: "play", y: "game", ",": "back", ".": "forward",
  Enter: "regenerate", Escape: "escape", Delete: "delete", Backspace: "delete", PageUp: "up", PageDown: "down",
};
const ARROWS = { ArrowLeft: "-1 0", ArrowRight: "1 0", ArrowUp: "0 -1", ArrowDown: "0 1" };
const WITH_CONTROL = { z: "undo", y: "redo", a: "all" };
const WITH_CONTROL_AND_SHIFT = { z: "redo" };

const canvases = new Set();
let focusedCanvas = null;

export const register = (canvas) => canvases.add(canvas);
export const focus = (canvas) => (focusedCanvas = canvas);
export function unregister(canvas) {
  canvases.delete(canvas);
  if (focusedCanvas === canvas) focusedCanvas = null;
}

// Returns whether this canvas receives keys.
export function hasFocus(canvas) {
  const visible = [...canvases].filter((one) => one.$el.offsetParent !== null);
  return canvas === (visible.includes(focusedCanvas) ? focusedCanvas : visible[0]);
}

export function isTyping(event) {
  const focused = document.activeElement;
  if (focused?.matches(TYPING) || document.querySelector(OPEN)) return true;
  if (event.key in ARROWS) return Boolean(focused?.matches(SELECTABLE));
  return ["Enter", " ", "PageUp", "PageDown"].includes(event.key) && Boolean(focused?.matches(PRESSABLE));
}

// Returns the command of a key event: a name, "tile N", "move X Y" or "resize X Y" with steps, or undefined.
export function commandOf(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) return (event.shiftKey ? WITH_CONTROL_AND_SHIFT : WITH_CONTROL)[key];
  if (event.altKey) return undefined;
  if (key in ARROWS) return `${event.shiftKey ? "resize" : "move"} ${ARROWS[key]}`;
  if (event.shiftKey && event.code === "Digit0") return "actual";
  if (!event.shiftKey && /^[1-9]$/.test(key)) return `tile ${key}`;
  return PLAIN[key];
}
