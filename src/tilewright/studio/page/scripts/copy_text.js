() => {
  const text = %s;
  const told = () => Quasar.Notify.create(
    {message: %s, timeout: 2000, position: 'bottom', color: 'positive', badgeStyle: 'display: none'});
  const copied = () => {  // where the clipboard is closed to pages, as it is without https on another machine
    const area = Object.assign(document.createElement('textarea'), {value: text});
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    told();
  };
  navigator.clipboard ? navigator.clipboard.writeText(text).then(told, copied) : copied();
}
