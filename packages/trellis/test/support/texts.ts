/** Texts like those of the Big List of Naughty Strings. The store must return each of them unchanged. */
export const TEXTS: readonly string[] = [
  // Words and numbers that have a meaning in programming languages.
  ...'undefined null NULL nil true NaN Infinity CON __proto__ constructor'.split(' '),
  ...'0 -0 1.00 1e3 0x0 ١٢٣ 9223372036854775808'.split(' '),
  // Texts with the syntax of JSON, and of arrays and COPY in PostgreSQL.
  ...String.raw`{} {a,b} {"a"} " "" \ \\ \" \N \x00 \u0000 \. , (1,2) $1 $$ ? :name %s%n%d %00`.split(' '),
  ...`' '' \` {{7*7}} <script>alert(1)</script> ../../etc/passwd`.split(' '),
  "'; drop table items; --",
  "' or 1=1 --",
  '${7*7}',
  '$(touch /tmp/x)',
  '\u0001\u0002\u001b[31m\u007f\u0080\u009f',
  ' \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2028\u2029\u202f\u205f\u3000',
  ' before',
  'after ',
  '\n',
  '\r\n',
  '\ufeff',
  '\ufffd',
  '\uffff',
  '\ufdd0',
  '\u00ad\u200b\u200c\u200d\u2060',
  // Letters that change with case mapping or Unicode normalization.
  ...'\u00e9 e\u0301 ﬁ ß ẞ İ ı ǆ \u00c5 \u212b \u03a9 \u2126 \uac01 \u1100\u1161\u11a8'.split(' '),
  ...'田中さんにあげて下さい 和製漢語 Ⱥ ̡̗̘̙Z̮̞̠͙͔ͅA̷̢LG̲O! ˙ɐnbᴉlɐ 𝓹𝓵𝓪𝓷𝓽 ⓟⓛⓐⓝⓣ'.split(' '),
  // Emoji with joiners, skin tones and flags.
  ...'🌱 👩‍🌾🌱🏳️‍🌈 👾🙇🏿💁🏻 🇺🇸🇷🇺🇸 1️⃣'.split(' '),
  '\u{10FFFF}\u{1F4A9}\u{E0001}',
  // Right-to-left text, and marks that change the direction.
  'שָׁלוֹם עולם',
  'عربى',
  'مُنَاقَشَةُ',
  'test\u202Eabc\u202C',
  '\u2067right\u2069',
  // Names of the maximum length in the contract.
  '🌱'.repeat(1000),
  'x'.repeat(1000),
  '\\"'.repeat(500),
];

/** Pairs of different texts that look the same to people, or are equal in a database with a lax collation. */
export const LOOKALIKES: readonly (readonly [string, string])[] = [
  ['ginkgo', 'Ginkgo'],
  ['\u00e9', 'e\u0301'],
  ['\u00c5', '\u212b'],
  ['ß', 'ss'],
  ['ı', 'i'],
  ['\uac01', '\u1100\u1161\u11a8'],
  ['Ginkgo', 'Ginkgo '],
  ['Ginkgo', 'Gink\u200bgo'],
  ['1', '１'],
  ['🌱', '🌱\ufe0f'],
];
