import fc from 'fast-check';

/** Text that is almost the JSON that it is made of; JSON with a lone surrogate counts as none. */
export function notJson(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const damages: readonly ((text: string, at: number) => string)[] = [
    (text, at) => text.slice(0, 1 + (at % text.length)),
    (text) => `${text}${text}`,
    (text) => `\ufeff${text}`,
    (text, at) => `${text.slice(0, at % text.length)}\u0001${text.slice(at % text.length)}`,
    (text) => text.replace(/\}\s*$/, ',}'),
    (text) => text.replaceAll('"', "'"),
    (text) => text.replace(/"(\w+)"/, '$1'),
    (text) => `/**/${text}`,
    (text) => text.replace(/:\s*-?[0-9][^,}]*/, ': NaN'),
    (text) => text.replace(/:\s*(-?[0-9])/, ': 0$1'),
    (text) => text.replace(/"\s*:/, String.raw`\x41":`),
    (text) => text.replace('"', String.raw`"\ud800`),
  ];
  return fc
    .tuple(texts, fc.constantFrom(...damages), fc.nat())
    .map(([text, damage, at]) => damage(text, at))
    .filter((text) => text !== '' && !isJson(text));
}

function isJson(text: string): boolean {
  try {
    return isWellFormed(JSON.parse(text));
  } catch {
    return false;
  }
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).flat().every(isWellFormed);
}
