const chosen = localStorage.getItem('tilewright-dark');
if (chosen) Quasar.Dark.set(chosen === 'true');
return [location.hash, Boolean(chosen), Quasar.Dark.isActive];
