import fc from 'fast-check';
import type { Parameter, Resolve } from '../../src/contract/document.ts';
import { breaks } from './invalid.ts';
import { type Json, read, write } from './json.ts';
import type { Judge, Keywords } from './schemas.ts';
import { valid } from './valid.ts';

/** The texts of the parameters of a request; a parameter that is not sent has none. */
export type Parameters = ReadonlyMap<Parameter, string>;

/** What is added to a request, or taken from it, to break what the contract says of parameters. */
export interface ParameterBreak {
  readonly kind: string;
  readonly apply: fc.Arbitrary<(parameters: Parameters) => Parameters>;
}

/** Values that can be sent as text at the place of the parameter. */
function sendable({ in: location }: Parameter, text: string): boolean {
  if (location === 'header') return /^[!-~]([ -~]*[!-~])?$/.test(text);
  // A URL has no lone surrogates, and another meaning for these steps of a path.
  return text.isWellFormed() && !(location === 'path' && ['', '.', '..'].includes(text));
}

/** A scalar as text. @throws Error for what would need a style to be written in */
function toText(value: Json): string {
  if (typeof value === 'object') throw new Error('test/derived cannot send arrays and objects as parameters: teach it');
  return String(value);
}

function isRequired({ in: location, ...parameter }: Parameter): boolean {
  return location === 'path' || ('required' in parameter && parameter.required === true);
}

export function validParameters(declared: readonly Parameter[], resolve: Resolve): fc.Arbitrary<Parameters> {
  const each = declared.map((parameter) => {
    const text = valid(parameter.schema ?? {}, resolve)
      .map(toText)
      .filter((value) => sendable(parameter, value));
    const entry = text.map((value) => [parameter, value] as const);
    return isRequired(parameter) ? entry : fc.option(entry, { nil: undefined });
  });
  return fc.tuple(...each).map((all) => new Map(all.filter((entry) => entry !== undefined)));
}

/** @param judgeOf whether a value fits a schema */
export function parameterBreaks(
  declared: readonly Parameter[],
  resolve: Resolve,
  judgeOf: (schema: Keywords) => Judge,
): ParameterBreak[] {
  const names = declared.map(({ name }) => name);
  const unknown = fc
    .tuple(fc.oneof(fc.string(), fc.constantFrom('id', '__proto__', 'access_token')), fc.string())
    .filter(([name]) => !names.includes(name))
    .map(
      ([name, text]) =>
        (sent: Parameters) =>
          new Map([...sent, [{ name, in: 'query' }, text]]),
    );
  return [
    { kind: 'an unknown query parameter', apply: unknown },
    ...declared
      .filter((parameter) => isRequired(parameter) && parameter.in !== 'path')
      .map((parameter) => ({
        kind: 'a required parameter missing',
        apply: fc.constant((sent: Parameters) => new Map([...sent].filter(([each]) => each !== parameter))),
      })),
    ...declared.flatMap((parameter) => ofParameter(parameter, resolve, judgeOf)),
  ];
}

function ofParameter(parameter: Parameter, resolve: Resolve, judgeOf: (schema: Keywords) => Judge): ParameterBreak[] {
  const { schema = {} } = parameter;
  const judge = judgeOf(schema);
  // A text has no type of its own: `1` may be meant as an integer.
  const fits = (text: string) => [text, meaning(text)].some((value) => judge(value) === true);
  return breaks(schema, resolve).flatMap(({ kind, apply: changes }) => {
    const texts = fc.tuple(valid(schema, resolve), changes).map(([value, change]) => asText(change(value)));
    const broken = (text: string) => sendable(parameter, text) && !fits(text);
    // What is of another type in JSON may be the same as text.
    if (!fc.sample(texts, 50).some(broken)) return [];
    const apply = texts.filter(broken).map((text) => (sent: Parameters) => new Map([...sent, [parameter, text]]));
    return [{ kind: `a parameter: ${kind}`, apply }];
  });
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : write(value);
}

function meaning(text: string): unknown {
  try {
    return read(text);
  } catch {
    return text;
  }
}

/** The path of an operation, with the parameters in it and behind it, and those that are header fields. */
export function place(template: string, parameters: Parameters): { target: string; headers: Record<string, string> } {
  const by = (location: Parameter['in']) => [...parameters].filter(([parameter]) => parameter.in === location);
  const pairs = by('query').map(([{ name }, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
  const path = by('path').reduce(
    (filled, [{ name }, text]) => filled.replace(`{${name}}`, () => encodeURIComponent(text)),
    template,
  );
  return {
    target: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`,
    headers: Object.fromEntries(by('header').map(([{ name }, text]) => [name, text])),
  };
}
