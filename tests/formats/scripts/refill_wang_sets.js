var map = tiled.mapFormat("tmx").read(PATH), total = 0, changed = 0;
for (var i = 0; i < map.layerCount; ++i) {
  var layer = map.layerAt(i);
  if (!layer.isTileLayer) continue;
  for (var tileset of map.tilesets) for (var set of tileset.wangSets) {
    var before = [], edit = layer.wangEdit(set);
    for (var y = 0; y < layer.height; ++y) for (var x = 0; x < layer.width; ++x) {
      var tile = layer.tileAt(x, y), id = tile && tile.tileset === tileset ? set.wangId(tile) : [];
      before.push(tile);
      for (var k = 0; k < id.length; ++k) if (id[k] > 0) edit.setWangIndex(x, y, k, id[k]);
      if (id.some(function (color) { return color > 0; })) ++total;
    }
    edit.apply();
    before.forEach(function (tile, at) {
      if (layer.tileAt(at % layer.width, Math.floor(at / layer.width)) !== tile) ++changed;
    });
  }
}
tiled.log("filled " + total + ", changed " + changed);
