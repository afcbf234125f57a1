// Elements of the page. Text is always set as text, never as HTML.

// Returns an element. `on` has listeners by event; other properties are attributes, and null ones are left out.
export function element(tag, { text = "", on = {}, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  for (const [name, listener] of Object.entries(on)) made.addEventListener(name, listener);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

export function button(label, { text, test = null, press, ...attributes }) {
  const properties = { type: "button", text, title: label, "aria-label": label, "data-testid": test, ...attributes };
  return element("button", { ...properties, on: { click: press } });
}
