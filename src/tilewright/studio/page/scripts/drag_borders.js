(event) => {
  const handle = event.target.closest('[data-handle]');
  if (!handle || event.button) return;
  event.preventDefault();
  const strip = event.currentTarget, number = +handle.dataset.handle;
  const room = strip.getBoundingClientRect();
  let sent = 0, share = null;
  strip.setPointerCapture(event.pointerId);
  const move = (now) => {
    share = Math.min(1, Math.max(0, (now.clientX - room.left) / room.width));
    if (now.timeStamp - sent > 50) { sent = now.timeStamp; emit(number, share); }
  };
  strip.addEventListener('pointermove', move);
  strip.addEventListener('pointerup', () => {
    strip.removeEventListener('pointermove', move);
    if (share !== null) emit(number, share);
  }, {once: true});
}
