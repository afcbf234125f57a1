// Keys. They reach the canvas that was touched last, and none while somebody types or a dialog is open.

const TYPING = "input, textarea, select, [contenteditable=true], [contenteditable='']";
const PRESSABLE = "button, a[href], [role=button], [role=slider], [role=tab], [role=option], [role=menuitem]";
// Dialogs and menus, but not those that are just being closed.
const OPEN = ".q-dialog__inner:not([class*=-leave-]), .q-menu:not([class*=-leave-])";
const PLAIN = {
  h: "hand", s: "select", b: "brush", m: "rectangle", k: "bucket", i: "picker",
  g: "grid", f: "fit", 0: "fit", "+": "larger", "=": "larger", "-": "smaller",
  "[": "thinner", "]": "thicker", l: "lock", u: "unlock", p: "play", ",": "back", ".": "forward",
  Enter: "regenerate", Escape: "escape", PageUp: "up", PageDown: "down",
};
const WITH_CONTROL = { z: "undo", y: "redo", a: "all" };
const WITH_CONTROL_AND_SHIFT = { z: "redo" };

const canvases = new Set();
let touched = null;

export const join = (canvas) => canvases.add(canvas);
export const touch = (canvas) => (touched = canvas);
export function leave(canvas) {
  canvases.delete(canvas);
  if (touched === canvas) touched = null;
}

// Whether keys are meant for this canvas now.
export function isMeant(canvas) {
  const seen = [...canvases].filter((one) => one.$el.offsetParent !== null);
  return seen.includes(canvas) && (seen.length === 1 || (seen.includes(touched) ? touched : seen[0]) === canvas);
}

export function isTyping(event) {
  const focused = document.activeElement;
  if (focused?.matches(TYPING) || document.querySelector(OPEN)) return true;
  return ["Enter", " ", "PageUp", "PageDown"].includes(event.key) && Boolean(focused?.matches(PRESSABLE));
}

// What a key press asks for: a word, "tile N", or nothing.
export function asked(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) return (event.shiftKey ? WITH_CONTROL_AND_SHIFT : WITH_CONTROL)[key];
  if (event.altKey) return undefined;
  if (event.shiftKey && event.code === "Digit0") return "actual";
  if (!event.shiftKey && /^[1-9]$/.test(key)) return `tile ${key}`;
  return PLAIN[key];
}
