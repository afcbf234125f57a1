// Pixel drawings of the things of games, 16x16 each. A character is a color; a dot is transparent.

export const COLORS = {
  k: "#1b1822", w: "#fff4d6", // dark and light
  a: "#8a5a2b", b: "#b97b3d", c: "#d99a55", // wood
  d: "#2f7a4a", e: "#4cae6b", f: "#86d69a", // green wood: a crate on a target
  g: "#ffc83d", h: "#c98a14", // gold
  r: "#d5504a", s: "#8f2f35", // red
  m: "#c9ccd6", n: "#8b8fa0", o: "#565a6b", // metal
  p: "#7d5bd1", q: "#4f3790", // violet
};

const CRATE = [
  "................", ".kkkkkkkkkkkkkk.", ".kcccccccccccck.", ".kcaaaaaaaaaack.", ".kcaabbbbbbaack.", ".kcababbbbaback.",
  ".kcabbabbabback.", ".kcabbbaabbback.", ".kcabbbaabbback.", ".kcabbabbabback.", ".kcababbbbaback.", ".kcaabbbbbbaack.",
  ".kcaaaaaaaaaack.", ".kbbbbbbbbbbbbk.", ".kkkkkkkkkkkkkk.", "................",
];
const GREEN = { a: "d", b: "e", c: "f" };

export const DRAWINGS = {
  crate: CRATE,
  crate_on_target: CRATE.map((row) => row.replace(/[abc]/g, (color) => GREEN[color])),
  target: [
    "................", "................", "................", "....kkkkkkkk....", "...kkrrrrrrkk...", "...krrssssrrk...",
    "...krskkkksrk...", "...krskggksrk...", "...krskggksrk...", "...krskkkksrk...", "...krrssssrrk...", "...kkrrrrrrkk...",
    "....kkkkkkkk....", "................", "................", "................",
  ],
  spike: [
    "................", "................", "................", "................", "................", "...k.......k....",
    "..kmk.....kmk...", "..kmk.....kmk...", "..kmnk.k..kmnk..", ".kmmnkkmk.kmnk..", ".kmmnkkmkkmmnkk.", ".kmmnkmmnkmmnkmk",
    "kmmmnnmmnkmmnnmk", "kmmmnnmmnnmmnnmk", "kmmmmnmmmnmmmnmk", "kkkkkkkkkkkkkkkk",
  ],
  spring: [
    "................", "................", "................", "................", "................", ".kkkkkkkkkkkkkk.",
    ".krrrrrrrrrrrrk.", ".kssssssssssssk.", "..kkkkkkkkkkkk..", "...kmmk..kmmk...", "....kmmkkmmk....", ".....kmmmmk.....",
    "....kmmkkmmk....", "...kmmk..kmmk...", "..kkkkkkkkkkkk..", ".kooooooooooook.",
  ],
  coin: [
    "................", "................", "................", ".....kkkkkk.....", "....kggggghk....", "...kgwwgggghk...",
    "...kgwghhgghk...", "...kgwghhgghk...", "...kgwghhgghk...", "...kgwghhgghk...", "...kgwghhgghk...", "...kggggggghk...",
    "....kgggghhk....", ".....kkkkkk.....", "................", "................",
  ],
  gold: [
    "................", "................", "................", "................", "................", "................",
    ".....kkkkkk.....", "....kgwwgghk....", "...kgggggghhk...", ".kkkkkkkkkkkkkk.", ".kgwgghkkgwgghk.", "kggggghkkggggghk",
    "kgggghhkkgggghhk", "kkkkkkkkkkkkkkkk", "................", "................",
  ],
  treasure: [
    "................", "................", "................", "...kkkkkkkkkk...", "..kbccccccccbk..", ".kbcbbbbbbbbcbk.",
    ".kbbaaaaaaaabbk.", ".khhhhhkkhhhhhk.", ".kgggggkkgggggk.", ".kbbbbbggbbbbbk.", ".kbaabbkkbbaabk.", ".kbaabbbbbbaabk.",
    ".kaaaaaaaaaaaak.", ".kkkkkkkkkkkkkk.", "................", "................",
  ],
  key: [
    "................", "................", "................", "...kkkk.........", "..kggggk........", ".kggkkggk.......",
    ".kgk..kgkkkkkkk.", ".kgk..kgggggggk.", ".kggkkgghhhghgk.", "..kggggkkkkkgkgk", "...kkkk....kgkgk", "............k.k.",
    "................", "................", "................", "................",
  ],
  exit: [
    "....kkkkkkkk....", "..kkmmmmmmmmkk..", ".kmnkkkkkkkknmk.", ".kmkaabaabaakmk.", ".kmkaabaabaakmk.", ".kmkaabaabaakmk.",
    ".kmkaabaabaakmk.", ".kmkaabaabaakmk.", ".kmkaabaabwakmk.", ".kmkaabaabgakmk.", ".kmkaabaabaakmk.", ".kmkaabaabaakmk.",
    ".kmkaabaabaakmk.", ".kmkaabaabaakmk.", ".knkaabaabaaknk.", ".kkkkkkkkkkkkkk.",
  ],
  door: [
    "kkkkkkkkkkkkkkkk", "kmmmmmmmmmmmmmmk", "kmkkkkkkkkkkkkmk", "kmknokknokknokmk", "kmknokknokknokmk", "kmknokknokknokmk",
    "kmkkkkkggkkkkkmk", "kmknokgkkgknokmk", "kmknokggggknokmk", "kmkkkkgkkgkkkkmk", "kmknokggggknokmk", "kmknokknokknokmk",
    "kmknokknokknokmk", "kmkkkkkkkkkkkkmk", "knnnnnnnnnnnnnnk", "kkkkkkkkkkkkkkkk",
  ],
  enemy: [
    "................", "................", "................", "................", ".....kkkkkk.....", "...kkppppppkk...",
    "..kppppppppppk..", ".kppwwppppwwppk.", ".kpwwkwppwkwwpk.", ".kpwwkwppwkwwpk.", ".kppwwppppwwppk.", ".kppppppppppppk.",
    ".kqqqpppppppqqk.", "..kqqqqqqqqqqk..", "..kkqqkkkkqqkk..", "...kkk....kkk...",
  ],
  ladder: [
    ".kck........kck.", ".kckkkkkkkkkkck.", ".kcccccccccccck.", ".kckbbbbbbbbkck.", ".kck........kck.", ".kckkkkkkkkkkck.",
    ".kcccccccccccck.", ".kckbbbbbbbbkck.", ".kck........kck.", ".kckkkkkkkkkkck.", ".kcccccccccccck.", ".kckbbbbbbbbkck.",
    ".kck........kck.", ".kckkkkkkkkkkck.", ".kcccccccccccck.", ".kckbbbbbbbbkck.",
  ],
  rope: [
    ...Array(4).fill("................"), "kkkkkkkkkkkkkkkk", "cbbccbbccbbccbbc", "kkkkkkkkkkkkkkkk",
    ...Array(9).fill("................"),
  ],
  platform: [
    "kkkkkkkkkkkkkkkk", "cccccccccccccccc", "bbbbbbbkbbbbbbbk", "aaaaaaakaaaaaaak", "kkkkkkkkkkkkkkkk", ".kb..........bk.",
    "..kb........bk..", "...k........k...", ...Array(8).fill("................"),
  ],
};
DRAWINGS.boss = DRAWINGS.enemy.map((row) => row.replace(/p/g, "r").replace(/q/g, "s"));
DRAWINGS.lock = DRAWINGS.door;
