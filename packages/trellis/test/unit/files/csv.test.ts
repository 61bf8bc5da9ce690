import { describe, expect, test } from '@jest/globals';
import { ErrorNumber } from '../../../../contract/src/refusal.ts';
import { Position } from '../../../../contract/src/schema/positions.ts';
import { csvOf, parseRecords } from '../../../src/files/csv.ts';

const NAMES = ['any'];
const open = new Position({ type: 'object', properties: { any: true } }, () => true);
const csv = csvOf(open, new Set());

describe('CSV, where the contract gives a member no type,', () => {
  test.each(['9007199254740993', '-9007199254740993', '9007199254740993.0', '90071992547409931e5'])(
    'keeps the text %s, and refuses the integer, whose digits a double would not keep',
    (text) => {
      const line = csv.write({ any: text }, NAMES);
      expect(line).toBe(`"""${text}"""\n`);
      const [fields] = parseRecords([line]);
      if (!Array.isArray(fields)) throw new Error('the line is no record');
      expect(csv.read(fields, NAMES)).toEqual({ any: text });
      const message = `a double would not keep the digits of the integer ${text}, and the contract gives it no type`;
      const refused = expect.objectContaining({ number: ErrorNumber.contractBroken, message });
      expect(() => csv.read([text], NAMES)).toThrow(refused);
    },
  );
});

test('a cell of CSV with TRUE or FALSE is a boolean where the contract allows no text', () => {
  const schema = { type: 'object', properties: { flag: { type: 'boolean' }, any: true, text: { type: 'string' } } };
  const csv = csvOf(new Position(schema, () => true), new Set());
  for (const value of [true, false]) {
    const text = String(value).toUpperCase();
    expect(csv.read([text, text, text], ['flag', 'any', 'text'])).toEqual({ flag: value, any: text, text });
    expect(csv.read([String(value)], ['flag'])).toEqual({ flag: value });
  }
  expect(csv.read(['True'], ['flag'])).toEqual({ flag: 'True' });
});
