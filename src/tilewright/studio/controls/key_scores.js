(event) => {
  const cells = [...event.currentTarget.querySelectorAll('[data-v]')], place = cells.indexOf(event.target);
  if (place < 0) return;
  const side = Math.sqrt(cells.length);
  const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -side, ArrowDown: side}[event.key];
  if (step) cells[place + step]?.focus();
  else if (event.key === 'Enter') emit('select', place, +event.target.dataset.v);
  else return;
  event.preventDefault();
}
