(event) => {
  event.preventDefault();
  document.body.classList.remove('tw-dropping');
  const files = [...event.dataTransfer.files], text = event.dataTransfer.getData('text/plain');
  if (!files.length && text) files.push(new File([text], 'dropped.txt'));
  if (files.length) getElement(%d).$refs.qRef.addFiles(files.slice(0, 1));
}
