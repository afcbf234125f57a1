// Returns visible controls that are smaller than 44 pixels.
() => {
  const roles = '[role=button], [role=slider], [role=switch], [role=tab]';
  const targets = `button, a[href], textarea, .q-field__control, ${roles}`;
  const found = [];
  for (const one of document.querySelectorAll(targets)) {
    const isPart = one.parentElement.closest('.q-field__control, .cm-editor') || one.closest('.q-uploader');
    if (isPart || !one.checkVisibility({ visibilityProperty: true })) continue;
    const { width, height } = one.getBoundingClientRect();
    if (width && Math.min(width, height) < 43.5)
      found.push(`${one.dataset.testid ?? one.className}: ${Math.round(width)} x ${Math.round(height)}`);
  }
  return found;
}
