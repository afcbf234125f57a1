(event) => {
  const handle = event.target.closest('[data-handle]');
  if (!handle || event.button) return;
  event.preventDefault();
  const strip = event.currentTarget, number = +handle.dataset.handle;
  const bounds = strip.getBoundingClientRect();
  let sent = 0, fraction = null;
  strip.setPointerCapture(event.pointerId);
  const move = (now) => {
    fraction = Math.min(1, Math.max(0, (now.clientX - bounds.left) / bounds.width));
    if (now.timeStamp - sent > 50) { sent = now.timeStamp; emit(number, fraction); }
  };
  strip.addEventListener('pointermove', move);
  strip.addEventListener('pointerup', () => {
    strip.removeEventListener('pointermove', move);
    if (fraction !== null) emit(number, fraction);
  }, {once: true});
}
