window.addEventListener('keydown', (event) => {
  const typing = event.target.closest && event.target.closest('input, textarea, select, [contenteditable=true]');
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'r' || event.key === 'R') emitEvent('reroll');
  if (event.key === '?') emitEvent('shortcuts');
});
