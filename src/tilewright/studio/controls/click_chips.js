(event) => {
  if (event.type === 'keydown' && event.target.matches('button')) return;  // it is clicked as well
  const chip = event.target.closest('[data-place]');
  if (event.target.closest('[data-remove]')) emit('remove', +chip.dataset.place);
  else if (chip) emit('open', +chip.dataset.place);
  else if (event.target.closest('[data-add]')) emit('add', 0);
}
