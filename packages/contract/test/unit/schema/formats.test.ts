import { expect, test } from '@jest/globals';
import { STRING_FORMATS } from '../../../src/schema/formats.ts';

test.each([
  ['date-time', '2016-12-31T23:59:60Z', '2016-12-31T22:59:60Z'],
  ['date', '2024-02-29', '2023-02-29'],
  ['duration', 'P1Y2M3DT4H', 'P1Y2D'],
  ['email', `${'a'.repeat(64)}@items.example`, `${'a'.repeat(65)}@items.example`],
  ['email', '"a b"@items.example', 'a@b'],
  ['uri', 'http://[::1]/', 'http://[::1%25eth0]/'],
  ['uri', 'http://items.example:80/', 'http://items.example:http/'],
  ['ipv6', '::1', '::1%eth0'],
  ['uuid', '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10', 'urn:uuid:3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10'],
  ['uri-template', '/items{?tag}', '/items{?tag'],
])('the format %s accepts %s and refuses %s', (format, is, isNot) => {
  expect([is, isNot].map((text) => STRING_FORMATS[format]?.(text))).toEqual([true, false]);
});
