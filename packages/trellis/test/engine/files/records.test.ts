import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Format, type FileRecord, openRecords, recordReader, toNdjson } from '../../../src/files/records.ts';
import { Refusal } from '../../../../contract/src/refusal.ts';
import type { AnyService } from '../../../src/service.ts';
import { itemsOfAllKinds } from './items.ts';
import { seedOr } from '../../support/seed.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { service as events } from '../../services/events/index.ts';
import { service as papers } from '../../services/papers/index.ts';
import { type Item, items } from '../../services/items/index.ts';

const bodies = await openRecords(items, undefined);
const { csv, maxBytes } = bodies;
const NAMES = ['id', 'name', 'tag'];
const seed = seedOr(20_260_300);

/** Reads a file in pieces of these sizes, in turn, and returns its records. */
function recordsOf(format: Format, bytes: Buffer, sizes: readonly number[] = [bytes.length + 1]): FileRecord[] {
  const reader = recordReader('test', format, bodies);
  const found: FileRecord[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const end = start + (sizes[turn % sizes.length] ?? 1);
    found.push(...reader.add(bytes.subarray(start, end)));
    start = end;
  }
  return [...found, ...reader.end()];
}

/** Returns the item of each record, or the line, error number and message of a refused record. */
const seen = (records: readonly FileRecord[]) =>
  records.map(({ raw, request }) =>
    request instanceof Refusal
      ? `${raw.lineNumber} ${request.number} ${request.message}`
      : { ...(request.body as object) },
  );

const write = (format: Format, written: readonly Item[]) =>
  Buffer.from(
    (format === 'csv' ? csv.header(NAMES) : '') +
      written.map((item) => (format === 'csv' ? csv.write(item, NAMES) : toNdjson(item))).join(''),
  );

describe.each(['ndjson', 'csv'] as const)('a file of %s', (format) => {
  test('yields the items that were written to it, when it is read in pieces of any size', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(itemsOfAllKinds, sizes, fc.boolean(), (written, pieces, marked) => {
        const mark = marked ? '\ufeff' : '';
        const bytes = Buffer.concat([Buffer.from(mark), write(format, written)]);
        expect(seen(recordsOf(format, bytes, pieces))).toEqual(written);
      }),
      { numRuns: 200, seed },
    );
  });

  test('of random bytes yields the same records when it is read as a whole and in pieces', () => {
    const byte = fc.constantFrom(...Buffer.from('{"id":1,"name":"x"}\r\n\n,"1,x,\n'), 0xc3, 0xa4, 0xff);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(byte, { maxLength: 300 }), (junk, bytes) => {
        const text = Buffer.concat([Buffer.from('id,name,tag\n'), Buffer.from(bytes), Buffer.from(junk)]);
        const whole = recordsOf(format, text);
        expect(recordsOf(format, text, [1])).toEqual(whole);
        expect(recordsOf(format, text, [7, 30, 2])).toEqual(whole);
      }),
      { numRuns: 300, seed },
    );
  });

  test('yields all its items except that of a line that is not UTF-8', () => {
    const [before, after] = [write(format, [{ id: 1n, name: 'ä' }]), write('ndjson', [{ id: 3n, name: 'ö' }])];
    const bad = Buffer.from(format === 'csv' ? '2,M\xfcll,\n' : '{"id":2,"name":"M\xfcll"}\n', 'latin1');
    const last = format === 'csv' ? Buffer.from('3,ö,\n') : after;
    expect(seen(recordsOf(format, Buffer.concat([before, bad, last])))).toEqual([
      { id: 1n, name: 'ä' },
      `${format === 'csv' ? '3' : '2'} 40007 body is not UTF-8`,
      { id: 3n, name: 'ö' },
    ]);
  });

  test('may have lines of up to 393,216 bytes, six times the limit of a body, not counting a byte order mark', () => {
    const mark = Buffer.from('\ufeff');
    const header = Buffer.from(format === 'csv' ? 'id,name\n' : '');
    const latin1 = Buffer.alloc(maxBytes, 0xfc);
    const large = Buffer.alloc(maxBytes + 1, 'y');
    const numbers = [latin1, large].map((line) => {
      const [record] = recordsOf(format, Buffer.concat([mark, header, line]), [2, 40_000]);
      return record?.request instanceof Refusal && record.request.number;
    });
    expect(numbers).toEqual([40007, 40005]);
  });

  test('yields all its items except that of a line that is too long, and keeps little of the line in memory', () => {
    const reader = recordReader('test', format, bodies);
    const [first, last] =
      format === 'csv' ? ['id,name\n1,x\n', '\n3,x\n'] : ['{"id":1,"name":"x"}\n', '\n{"id":3,"name":"x"}\n'];
    const found = [...reader.add(Buffer.from(first))];
    const piece = Buffer.alloc(maxBytes / 2, 'y');
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 1000; count++) found.push(...reader.add(piece));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6);
    found.push(...reader.add(Buffer.from(last)), ...reader.end());
    const line = format === 'csv' ? 3 : 2;
    expect(seen(found)).toEqual([
      { id: 1n, name: 'x' },
      `${line} 40005 body is larger than 393216 bytes`,
      { id: 3n, name: 'x' },
    ]);
    expect(found[1]?.raw.text).toBe('y'.repeat(200));
  });

  test('may have LF or CRLF, blank lines, and no line break after the last line', () => {
    const lines =
      format === 'csv' ? ['id,name', '', '1,x', ' ', '2,y'] : ['', '{"id":1,"name":"x"}', '\t', '{"id":2,"name":"y"}'];
    const items = ['x', 'y'].map((name, index) => ({ id: BigInt(index + 1), name }));
    for (const text of [lines.join('\n'), lines.join('\r\n'), `${lines.join('\r\n')}\r\n\r\n`]) {
      const records = recordsOf(format, Buffer.from(text));
      expect(seen(records)).toEqual(items);
      expect(records.map(({ raw }) => raw.lineNumber)).toEqual(format === 'csv' ? [3, 5] : [2, 4]);
    }
  });
});

test('a line of NDJSON is refused with the same errors as the body of a request', () => {
  const lines = [
    '{"id":9007199254740993,"name":"x"}\n{"id":1.0,"name":"x"}',
    '{"id":9223372036854775808,"name":"x"}',
    '{"id":1,"name":"","colour":"red"}',
    '{"id":1,"id":1,"name":"x"}',
    '['.repeat(33),
    '[]',
    'id,name',
    `{"id":1,"name":"${'x'.repeat(1001)}"}`,
    `{"id":1,"name":"${'x'.repeat(maxBytes)}"}`,
    String.raw`{"id":1,"name":"\ud800"}`,
  ];
  expect(seen(recordsOf('ndjson', Buffer.from(lines.join('\n'))))).toEqual([
    { id: 9007199254740993n, name: 'x' },
    { id: 1n, name: 'x' },
    '3 40010 body.id must be an integer from -9223372036854775808 to 9223372036854775807',
    '4 40010 body.colour is not allowed; body.name must not be empty',
    '5 40009 the member "id" appears twice in one object, again at position 8',
    '6 40008 body is nested too deeply: use at most 32 levels',
    '7 40010 body must be an object',
    `8 40008 body is not JSON: unexpected "i" at position 0`,
    '9 40010 body.name must not have more than 1000 characters',
    '10 40005 body is larger than 393216 bytes',
    '11 40008 body has a lone surrogate in the string at position 15',
  ]);
});

describe('files of CSV', () => {
  test('CSV may have columns in any order, with "" for an empty text and an empty field for no value', () => {
    const text =
      'tag,id,name\n,9007199254740993,"a ""b"", c"\n"",-9223372036854775808,"two\r\nlines"\nx,1.0,1\n"",,\n,"2","3"\n,4,\\ud800';
    expect(seen(recordsOf('csv', Buffer.from(text)))).toEqual([
      { id: 9007199254740993n, name: 'a "b", c' },
      { id: -9223372036854775808n, name: 'two\r\nlines', tag: '' },
      { id: 1n, name: '1', tag: 'x' },
      '6 40010 body.id is required; body.name is required',
      { id: 2n, name: '3' },
      // In CSV, a backslash is an ordinary character.
      { id: 4n, name: String.raw`\ud800` },
    ]);
  });

  test('CSV may begin with a byte order mark, and may have a line break in the quoted name of a column', () => {
    const text = '\ufeff"i\nd",name\n';
    expect(() => recordsOf('csv', Buffer.from(text))).toThrow('the column i\nd is not allowed');
  });

  test('CSV yields all records except those that are broken', () => {
    const text =
      'id,name,tag\n1,x,\n2,5" pot,\n3,"x"y,\n4,x\n5,x,y,z\none,x,\n 7,x,\n8,"not closed,\n9,x,\n1,"name"":1,\n10,x,\n';
    expect(seen(recordsOf('csv', Buffer.from(text)))).toEqual([
      { id: 1n, name: 'x' },
      expect.stringMatching(/^3 40008 the record is not CSV: Invalid Opening Quote/),
      expect.stringMatching(/^4 40008 the record is not CSV: Invalid Closing Quote/),
      '5 40010 the record has 2 fields, but the header has 3',
      '6 40010 the record has 4 fields, but the header has 3',
      '7 40010 body.id must be an integer',
      '8 40010 body.id must be an integer',
      expect.stringMatching(/^9 40008 the record is not CSV: Quote Not Closed/),
      { id: 9n, name: 'x' },
      '11 40008 a quoted field is not closed within 393216 bytes',
      { id: 10n, name: 'x' },
    ]);
  });

  test('CSV names what a spreadsheet has made of an integer, and line ends that were converted twice', () => {
    const text = 'id,name\n9.00719925474099E+15,x\n1e3,x\n2,E5\r\n3,y\r\r\n4,"z"\r\r\n5,"a\r"\n';
    const refused = (field: string) =>
      `40010 body.id must be written in digits: ${field} has an exponent, by which a spreadsheet drops digits; save the column as text`;
    const doubled = '40008 the line ends with CR CR LF, as its ends were converted twice: write LF or CR LF';
    expect(seen(recordsOf('csv', Buffer.from(text)))).toEqual([
      `2 ${refused('9.00719925474099E+15')}`,
      `3 ${refused('1e3')}`,
      { id: 2n, name: 'E5' },
      `5 ${doubled}`,
      `6 ${doubled}`,
      { id: 5n, name: 'a\r' },
    ]);
    expect(() => recordsOf('csv', Buffer.from('id,name\r\r\n1,x\r\r\n'))).toThrow('the line ends with CR CR LF');
  });

  test('CSV loses only a line with an unclosed quote and the endless line after it, and keeps little in memory', () => {
    const reader = recordReader('test', 'csv', bodies);
    const found = [...reader.add(Buffer.from('id,name\n1,"x\n'))];
    const piece = Buffer.alloc(maxBytes / 2, 'y');
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 1000; count++) found.push(...reader.add(piece));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6);
    found.push(...reader.add(Buffer.from('\n3,x\n')), ...reader.end());
    expect(seen(found)).toEqual([
      '2 40008 a quoted field is not closed within 393216 bytes',
      '3 40005 body is larger than 393216 bytes',
      { id: 3n, name: 'x' },
    ]);
  });

  test('CSV cannot add other members to an item through the text of a field', () => {
    const text = `id,name\n"1,""name"":""x""",y\n"1}{",y\n__proto__,y\n`;
    expect(seen(recordsOf('csv', Buffer.from(text)))).toEqual(
      [2, 3, 4].map((line) => `${line} 40010 body.id must be an integer`),
    );
  });

  test.each([
    ['', 'it is missing'],
    ['\n\n', 'it is missing'],
    ['id,name,colour\n', 'the column colour is not allowed'],
    ['name,tag\n', 'the column id is required'],
    ['ID,name\n', 'the column id is required; the column ID is not allowed'],
    ['id,name,id\n', 'the column "id" is repeated'],
    ['id;name;tag\n', 'the column id is required; the column name is required; the column id;name;tag is not allowed'],
    ['id,na"me\n', /^the record is not CSV: Invalid Opening Quote/],
    [
      '1,x\n',
      'the column id is required; the column name is required; the column 1 is not allowed; the column x is not',
    ],
  ])('CSV with the header %j is refused as a whole', (text, reason) => {
    const start = 'the header of test does not name the columns of items: ';
    expect(() => recordsOf('csv', Buffer.from(text))).toThrow(
      typeof reason === 'string' ? start + reason : new RegExp(start + reason.source.slice(1)),
    );
  });
});

test.each<[Format, string]>([
  ['ndjson', '{"name":"a","address":{"town":"b","street":1}}\n{"name":1,"address":{"lane":1}}\n'],
  ['csv', 'name,address\na,"{""town"":""b"",""street"":1}"\n'],
])('a file of %s tells the members within a member that are left out', async (format, text) => {
  const file = join(temporaryFolder(), 'openapi.yaml');
  const contract = readFileSync(events.contract, 'utf8');
  const address = 'address: { type: object, properties: { town: { type: string, maxLength: 100 } } }';
  writeFileSync(file, contract.replace(/email: \{.*\}/, address));
  const records = await openRecords({ ...events, contract: pathToFileURL(file) }, 'guests');
  const reader = recordReader('test', format, records);
  const [first] = [...reader.add(Buffer.from(text)), ...reader.end()];
  expect(first?.request).toMatchObject({ body: { name: 'a', address: { town: 'b' } } });
  expect(reader.leftOut.told).toBe('"street" 1');
});

test('refuses an operation that takes bytes as the creator of rows', async () => {
  const service = { ...papers, records: { papers: 'putScan' } } as AnyService;
  await expect(openRecords(service, undefined)).rejects.toThrow('no operation putScan with a request body of JSON');
});
