import { expect, test } from '@jest/globals';
import { ErrorNumber, Refusal } from '../../src/contract/errors.ts';
import { YAML } from '../support/app.ts';

test('the numbers of errors are those that openapi.yaml documents', () => {
  const documented = [...YAML.matchAll(/^ *\| (\d{5}) \| (\d{3}) \| .+ \|$/gm)].map(([, number, status]) => [
    number,
    status,
  ]);
  const defined = Object.values(ErrorNumber).map((number) => [String(number), String(new Refusal(number, '').status)]);
  expect(defined).toEqual(documented);
});
