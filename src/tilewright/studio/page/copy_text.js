() => {
  const text = %s;
  const notify = () => Quasar.Notify.create(
    {message: %s, timeout: 2000, position: 'bottom', color: 'positive', badgeStyle: 'display: none'});
  const copyBySelection = () => {  // without https on another host, pages have no clipboard API
    const area = Object.assign(document.createElement('textarea'), {value: text});
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    notify();
  };
  navigator.clipboard ? navigator.clipboard.writeText(text).then(notify, copyBySelection) : copyBySelection();
}
