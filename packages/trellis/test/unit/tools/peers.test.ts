import { expect, test } from '@jest/globals';
import { isIn, wrongPackage } from '../../../tools/peers.ts';

test.each([
  ['^7.13.0', ['7.13.0', '7.13.1', '7.20.0'], ['7.12.9', '8.0.0', '8.0.0-next.1']],
  ['>=5.8 <7', ['5.8.0', '5.8.3', '5.10.1', '6.0.3'], ['5.7.3', '7.0.2', '7.0.0-beta', '10.0.0']],
])('a version is in the range %s', (range, within, beyond) => {
  expect(within.filter((each) => !isIn(range, each))).toEqual([]);
  expect(beyond.filter((each) => isIn(range, each))).toEqual([]);
});

test('a package that is installed in its range explains no error', () => {
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  for (const error of [missing, new TypeError('x is undefined')]) expect(wrongPackage(error)).toBeUndefined();
});
