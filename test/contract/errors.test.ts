import { expect, test } from '@jest/globals';
import { ErrorNumber } from '../../src/contract/errors.ts';
import { ERROR_NUMBERS } from '../support/app.ts';

test('the numbers of errors are those that openapi.yaml documents', () => {
  expect(Object.values(ErrorNumber).map(String)).toEqual(Object.keys(ERROR_NUMBERS));
});
