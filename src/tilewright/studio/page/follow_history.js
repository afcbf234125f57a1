// Entries of the browser's history have numbers, so that a state is not written over another entry.
const numberOf = (state) => state?.entry ?? 0;
history.replaceState({ entry: 0 }, '');
window.twWriteState = (from, to, link) => {
  if (numberOf(history.state) !== from) return;  // The user has gone back or forward meanwhile.
  if (to === from) history.replaceState({ entry: to }, '', link);
  else history.pushState({ entry: to }, '', link);
};
// The URL of the event, because the current one may have been replaced since.
window.addEventListener('hashchange', (event) => {
  emitEvent('address', [new URL(event.newURL).hash, numberOf(history.state)]);
});
