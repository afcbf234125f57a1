// Returns the elements that do not fit.
() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight) found.push('the page scrolls');
  for (const panel of document.querySelectorAll('.tw-panel, .tw-right, .tw-header, .tw-bar'))
    if (panel.offsetParent && panel.scrollWidth > panel.clientWidth + 1)
      found.push(`${panel.className} is ${panel.scrollWidth} wide and shows ${panel.clientWidth}`);
  for (const control of document.querySelectorAll('button, input, textarea, .q-slider, [role=tab]')) {
    if (!control.checkVisibility() || control.closest('.q-uploader, .tw-chips')) continue;
    const { left, right, width } = control.getBoundingClientRect();
    if (width && (left < -1 || right > innerWidth + 1))
      found.push(`${control.dataset.testid ?? control.className} from ${left} to ${right}`);
  }
  return found;
}
