// Names for the focusable parts of widgets whose libraries do not name them.
const MOVED = ['aria-label', 'aria-valuemin', 'aria-valuemax', 'aria-valuenow', 'aria-orientation', 'aria-disabled'];
// Quasar's sliders have role, name and value at their outer element, but the focus is in an inner one.
const nameSlider = (slider) => {
  const track = slider.querySelector('.q-slider__track-container');
  track.setAttribute('role', 'slider');
  slider.removeAttribute('role');
  for (const name of MOVED) {
    if (!slider.hasAttribute(name)) continue;
    track.setAttribute(name, slider.getAttribute(name));
    slider.removeAttribute(name);
  }
};
const nameEditor = (editor) => editor.setAttribute('aria-label', editor.closest('[data-label]')?.dataset.label ?? 'Text');
const nameAll = () => {
  document.querySelectorAll('.q-slider:is([role], [aria-valuenow], [aria-label])').forEach(nameSlider);
  document.querySelectorAll('.cm-content:not([aria-label])').forEach(nameEditor);
  document.querySelectorAll('.q-loading-bar:not([aria-label])').forEach((bar) => bar.setAttribute('aria-label', 'Loading'));
};
new MutationObserver(nameAll).observe(document.body, {subtree: true, childList: true, attributeFilter: ['role', ...MOVED]});
nameAll();
