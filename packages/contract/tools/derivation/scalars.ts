import fc from 'fast-check';
import type { Branch } from './schemas.ts';
import { decimal, type JsonValue, numberOf } from './values.ts';

/** The largest array, object and text of a candidate: higher limits are not tested. */
export const MAX_COUNT = 2_000;
const MAX_LENGTH = 1_000_000;

/** Values of each type, and values that a validator may confuse with another type. */
export const SPECIMENS: readonly JsonValue[] = [
  null,
  true,
  false,
  0n,
  1n,
  -1n,
  // A double is exact here, and a store may keep it as a bigint.
  2n ** 60n,
  0.5,
  'text',
  '',
  '1',
  'true',
  'null',
  [],
  ['text'],
  {},
  { member: 1n },
];

const DATES = ['2024-02-29', '2023-02-29', '2024-13-01', '2024-04-31', '2024-1-1', '20240101'];
const TIMES = ['23:59:59Z', '12:30:00.5+02:00', '24:00:00Z', '12:60:00Z', '12:30:00'];

/** Valid texts of each format, and almost valid ones. */
const OF_FORMATS: Readonly<Record<string, readonly string[]>> = {
  date: DATES,
  time: TIMES,
  'date-time': [...TIMES.map((time) => `2024-02-29T${time}`), ...DATES, ...DATES.map((date) => `${date}T12:30:00Z`)],
  duration: ['P3DT4H', 'P2W', 'PT', 'P1H', '3 days'],
  email: ['a.b+c@example.com', 'a@b@example.com', '.a@example.com', 'a..b@example.com', '@example.com'],
  hostname: ['www.example.com', `${'a'.repeat(63)}.com`, `${'a'.repeat(64)}.com`, '-a.com', 'a_b.com', 'a..com'],
  ipv4: ['127.0.0.1', '255.255.255.255', '256.0.0.1', '1.2.3', '01.2.3.4', '::1'],
  ipv6: ['::1', '2001:db8::ff00:42:8329', '::ffff:127.0.0.1', '12345::', '1::2::3', '127.0.0.1', ':'],
  uri: ['https://example.com/a?b=c#d', 'urn:isbn:0451450523', '/path', 'https://example.com/a b', 'a:%zz'],
  'uri-reference': ['https://example.com/a', '../a?b#c', 'a b', 'a\\b'],
  'uri-template': ['https://example.com/{name}{?page*,size:3}', 'plain', '{', '{a b}', '}'],
  uuid: [
    '123e4567-e89b-12d3-a456-426614174000',
    '123e4567-e89b-12d3-a456-42661417400',
    '123e4567e89b12d3a456426614174000',
    'g23e4567-e89b-12d3-a456-426614174000',
  ],
  'json-pointer': ['/a/b~0c~1d', '', 'a', '/~2'],
  'relative-json-pointer': ['1/a', '0#', '-1', '01', '/a'],
  regex: ['^a+$', '(', '[a'],
  byte: ['aGVsbG8=', 'aGVsbG8', '%%%%'],
};

/** Characters with a meaning in URLs. */
const RESERVED = 'a b+c&d=e%f/g?h#i,j;k';
/** Matches the lookaheads of usual password patterns, for which fast-check finds no text. */
const PASSWORD = 'Aa1!Aa1!';
/** Characters that a pattern may forbid; the last one takes two UTF-16 code units. */
const SUSPECTS = Array.from('\0\u0001\n "/-.,_Aa0é🌱');

const OF_STRINGS = ['minLength', 'maxLength', 'pattern', 'format'];

export function strings(branch: Branch, seed: number): string[] {
  const own = branch.filter(
    ({ type, ...schema }) => [type].flat().includes('string') || OF_STRINGS.some((keyword) => keyword in schema),
  );
  if (own.length === 0) return [];
  const patterns = own.flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]));
  const isKept = (text: string) => patterns.every((pattern) => new RegExp(pattern, 'u').test(text));
  const matching = patterns.flatMap((pattern) => samples(pattern, seed));
  const some = fc.sample(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), { seed, numRuns: 3 });
  const ofFormats = own.flatMap(({ format = '' }) => OF_FORMATS[format] ?? []);
  const starts = [...ofFormats, ...matching, 'text', 'a', '🌱', RESERVED, PASSWORD, ...some];
  /** Texts of this length, which match the patterns if possible. */
  const ofLength = (length: number) => {
    const all = starts.flatMap((text) => stretched(text, length));
    const kept = all.filter(isKept);
    const found = kept.length > 0 ? kept : all;
    return [...found.slice(0, 2), ...found.filter((text) => text.includes('🌱')).slice(0, 1)];
  };
  const least = Math.max(0, ...own.map(({ minLength = 0 }) => minLength));
  const lengths = own.flatMap(({ minLength = 0, maxLength = 1 }) => [
    minLength - 1,
    minLength,
    maxLength,
    maxLength + 1,
  ]);
  const fitting = [least, least + 1].flatMap(ofLength);
  const bases = [...matching, ...fitting.filter(isKept)].filter((text) => text.length < 200).slice(0, 2);
  const suspicious = bases.flatMap((text) =>
    SUSPECTS.flatMap((suspect) => [
      suspect + text.slice(1),
      text.slice(0, -1) + suspect,
      text + suspect,
      suspect + text,
    ]),
  );
  return [
    ...starts,
    ...fitting,
    ...lengths.flatMap(ofLength),
    ...(patterns.length > 0 ? ['', ...SUSPECTS, ...suspicious] : []),
  ];
}

/** fast-check takes long for the first text of a pattern, and a contract has few patterns in many places. */
const matchers = new Map<string, fc.Arbitrary<string>>();

function samples(pattern: string, seed: number): string[] {
  try {
    const matcher = matchers.getOrInsertComputed(pattern, () => fc.stringMatching(new RegExp(pattern, 'u')));
    return fc
      .sample(matcher, { seed, numRuns: 12 })
      .filter((text) => text.isWellFormed())
      .sort((one, other) => one.length - other.length);
  } catch {
    // fast-check does not support every pattern; an example in the schema can replace its texts.
    return [];
  }
}

/** Repeats a character of the text, or cuts the text, to reach the length. */
function stretched(text: string, length: number): string[] {
  if (length < 0 || length > MAX_LENGTH) return [];
  const characters = Array.from(text);
  const missing = length - characters.length;
  if (missing <= 0) return [characters.slice(0, length).join('')];
  const places = [...new Set([characters.length - 1, 0, characters.length >> 1])].filter((at) => at in characters);
  return places.map((at) => characters.with(at, (characters[at] ?? '').repeat(missing + 1)).join(''));
}

const EDGES: Readonly<Record<string, bigint>> = { int32: 2n ** 31n, int64: 2n ** 63n };

export function numbers(branch: Branch, seed: number): (bigint | number)[] {
  const isOfNumbers = (type: unknown) => type === 'integer' || type === 'number';
  const own = branch.filter(
    ({ type, ...schema }) => [type].flat().some(isOfNumbers) || OF_NUMBERS.some((keyword) => keyword in schema),
  );
  if (own.length === 0) return [];
  const bounds = own.flatMap((schema) => BOUNDS.flatMap((keyword) => schema[keyword] ?? []));
  const units = own.flatMap(({ multipleOf }) => multipleOf ?? []);
  return [
    ...[1n, 0n, 2n, 7n, 2n ** 60n, 0.5, 1.5],
    ...bounds.flatMap((bound) => [...around(bound), ...units.flatMap((unit) => multiples(bound, unit))]),
    ...units.flatMap((unit) =>
      [0, 1, 3, 29, 435, 1999].flatMap((times) => [scaled(unit, times * 10), scaled(unit, times * 10 + 5)]),
    ),
    ...own.flatMap(({ format = '' }) => {
      const edge = EDGES[format];
      if (edge === undefined) return [];
      const random = fc.sample(fc.bigInt({ min: -edge, max: edge - 1n }), { seed, numRuns: 4 });
      const wide = format === 'int64' ? [2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n] : [];
      return [edge - 1n, edge, -edge, -edge - 1n, ...wide, ...random];
    }),
  ];
}

const BOUNDS = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'] as const;
const OF_NUMBERS = [...BOUNDS, 'multipleOf'];

/** The bound, and the numbers that differ from it by one in its last digit, by 1, or by 0.5. */
function around(bound: number | bigint): (bigint | number)[] {
  const { digits, scale } = decimal(String(bound));
  const unit = 10n ** BigInt(scale);
  const tenths = [0n, 10n, -10n, 10n * unit, -10n * unit, 5n * unit, -5n * unit];
  return tenths.map((step) => numberOf(literal(digits * 10n + step, scale + 1)));
}

/** The multiples of `unit` on both sides of the bound. */
function multiples(bound: number | bigint, unit: number | bigint): (bigint | number)[] {
  const times = Math.floor(Number(bound) / Number(unit));
  return [times - 1, times, times + 1, times + 2].map((each) => scaled(unit, each * 10));
}

/** Exactly `value * times / 10`. */
function scaled(value: number | bigint, times: number): bigint | number {
  const { digits, scale } = decimal(String(value));
  return numberOf(literal(digits * BigInt(times), scale + 1));
}

function literal(digits: bigint, scale: number): string {
  return `${String(digits)}e-${scale}`;
}
