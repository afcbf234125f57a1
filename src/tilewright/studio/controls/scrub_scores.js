(event) => {
  const cell = event.target.closest('[data-v]');
  if (!cell || event.button) return;
  event.preventDefault();
  const board = event.currentTarget;
  const place = [...board.querySelectorAll('[data-v]')].indexOf(cell);
  const from = +cell.dataset.v, top = event.clientY, low = Math.min(0, from), high = Math.max(1, from);
  let value = from, sent = 0, moved = false;
  board.setPointerCapture(event.pointerId);
  const move = (now) => {
    if (!moved && Math.abs(now.clientY - top) < 3) return;
    moved = true;
    value = Math.round(Math.min(high, Math.max(low, from + (top - now.clientY) / 120)) * 100) / 100;
    cell.dataset.v = value;
    cell.style.setProperty('--v', (value - low) / (high - low));
    if (cell.textContent) cell.textContent = value;
    if (now.timeStamp - sent > 50) { sent = now.timeStamp; emit('edit', place, value); }
  };
  const end = () => {
    board.removeEventListener('pointermove', move);
    emit(moved ? 'done' : 'select', place, value);
  };
  board.addEventListener('pointermove', move);
  board.addEventListener('pointerup', end, {once: true});
}
