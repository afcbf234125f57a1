(event) => {
  event.preventDefault();
  const chip = event.target.closest('[data-place]');
  if (chip && window.twLifted !== undefined) emit('move', +window.twLifted, +chip.dataset.place);
  window.twLifted = undefined;
}
