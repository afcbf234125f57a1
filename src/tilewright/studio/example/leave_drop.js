(event) => {
  if (!event.relatedTarget || !event.currentTarget.contains(event.relatedTarget))
    document.body.classList.remove('tw-dropping');
}
