(event) => {
  const cell = event.target.closest('[data-on]');
  if (!cell || event.button || (event.type === 'click' && event.detail)) return;
  event.preventDefault();
  const board = event.currentTarget, cells = [...board.querySelectorAll('[data-on]')];
  const on = cell.dataset.on === '1' ? 0 : 1, places = new Set();
  const paint = (target) => {
    const place = cells.indexOf(target);
    if (place < 0 || target.dataset.fixed) return;
    target.dataset.on = on;
    places.add(place);
  };
  const move = (now) => paint(document.elementFromPoint(now.clientX, now.clientY)?.closest('[data-on]'));
  paint(cell);
  if (event.type === 'click') return places.size ? emit(on, [...places]) : undefined;
  board.setPointerCapture(event.pointerId);
  board.addEventListener('pointermove', move);
  board.addEventListener('pointerup', () => {
    board.removeEventListener('pointermove', move);
    if (places.size) emit(on, [...places]);
  }, {once: true});
}
