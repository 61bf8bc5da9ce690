/** JSON text that is written as it stands. */
export class Written {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An object by its members, in the order in which they are written; a name may repeat. */
export class Members {
  readonly list: readonly (readonly [name: string, value: Json])[];

  constructor(list: readonly (readonly [name: string, value: Json])[]) {
    this.list = list;
  }

  get(name: string): Json | undefined {
    return this.list.find(([each]) => each === name)?.[1];
  }

  without(name: string): Members {
    return new Members(this.list.filter(([each]) => each !== name));
  }

  with(name: string, value: Json): Members {
    return new Members([...this.list, [name, value]]);
  }
}

/** A JSON value to be written, exact: an integer is a bigint, and a number is one that is none. */
export type Json = null | boolean | bigint | number | string | Written | Members | readonly Json[];

/**
 * The value as JSON; the choices, used again and again, say how it is spelt: numbers, escapes, white space, the order of
 * members. Without any it is spelt as JSON.stringify does.
 */
export function write(value: Json, choices: readonly number[] = []): string {
  let used = 0;
  const choose = <T>(...variants: readonly [T, ...T[]]): T =>
    variants[(choices[used++ % choices.length] ?? 0) % variants.length] ?? variants[0];
  const space = () => choose('', '', ' ', '\n\t', '\r\n');
  const around = (open: string, parts: readonly string[], close: string) =>
    `${open}${space()}${parts.map((part) => part + space()).join(`,${space()}`)}${close}`;
  const written = (each: Json): string => {
    if (each instanceof Written) return each.text;
    if (each instanceof Members) {
      const members = choose(each.list, each.list.toReversed());
      return around(
        '{',
        members.map(([name, member]) => `${spellString(name, choose(0, 0, 1))}${space()}:${space()}${written(member)}`),
        '}',
      );
    }
    if (Array.isArray(each)) return around('[', (each as readonly Json[]).map(written), ']');
    if (typeof each === 'bigint') return choose(...spellings(each));
    // JSON.stringify writes a lone surrogate as an escape.
    return typeof each === 'string' ? spellString(each, choose(0, 0, 1, 2)) : JSON.stringify(each);
  };
  return `${space()}${written(value)}${space()}`;
}

/** As it is; with the first character escaped; with all. */
function spellString(text: string, escaped: 0 | 1 | 2): string {
  const count = [0, 1, text.length][escaped];
  const start = Array.from({ length: Math.min(count ?? 0, text.length) }, (_, at) => text.charCodeAt(at));
  // The second half of a pair that is escaped by halves is escaped by JSON.stringify.
  return `"${start.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')}${JSON.stringify(text.slice(start.length)).slice(1)}`;
}

/** Numbers of the same value: all are integers by JSON Schema (2020-12, section 6.1.1). */
function spellings(value: bigint): [string, ...string[]] {
  if (value === 0n) return ['0', '-0', '0.0', '0e0', '-0.000E+00', '0e-1', '0e999'];
  const plain = String(value);
  const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(plain) ?? [];
  return [
    plain,
    `${plain}.0`,
    `${plain}e0`,
    `${plain}.000E+00`,
    `${plain}0e-1`,
    `${sign}0.${digits}e${digits.length}`,
    `${sign}${digits.charAt(0)}.${digits.slice(1)}0E+${digits.length - 1}`,
  ];
}

const parse = JSON.parse as (
  text: string,
  reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/**
 * Reads JSON without rounding: a number that is an integer becomes a bigint, however it is written; any other stays a
 * number.
 *
 * @throws SyntaxError
 */
export function read(text: string): unknown {
  return parse(text, (_name, value, { source }) => (typeof value === 'number' ? exact(source ?? '', value) : value));
}

function exact(source: string, rounded: number): bigint | number {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const scale = Number(exponent) - fraction.length;
  const digits = BigInt(sign + whole + fraction);
  if (digits === 0n) return 0n;
  if (scale >= 0) return digits * 10n ** BigInt(scale);
  const unit = 10n ** BigInt(-scale);
  return digits % unit === 0n ? digits / unit : rounded;
}
