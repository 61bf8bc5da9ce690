import { describe, expect, test } from '@jest/globals';
import { YAML } from '../support/app.ts';
import { derive, ENGINES, seedOr } from './derive.ts';
import { Derivation } from './requests.ts';

/** Few; test/long/derived.test.ts sends many. */
const REQUESTS = 600;
const SEED = seedOr(20_260_000);

describe(`requests derived from the contract (DERIVED_SEED=${SEED})`, () => {
  test.each(ENGINES)('are answered as it says, on %s', async (engine) => {
    const derivation = new Derivation(YAML);
    const counts = await derive(derivation, engine, { requests: REQUESTS, seed: SEED });
    const kinds = derivation.operations.flatMap((operation) => derivation.invalid(operation)).map(({ kind }) => kind);
    expect([...counts.keys()]).toEqual(expect.arrayContaining([...kinds, 'created', 'replayed', 'another content']));
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(REQUESTS);
    // What a schema of the contract can be broken in.
    expect(kinds).toEqual(
      expect.arrayContaining([
        ...['an unknown query parameter', 'a required member missing', 'an unknown member', 'a member twice'],
        ...['null in place of an object', 'an array in place of an object', 'a string in place of an integer'],
        ...['too short', 'too long', 'a pattern broken', 'an integer out of range', 'an integer written out of range'],
        ...['an integer with a fraction', 'an integer as a string', 'several faults', 'not JSON', 'no body'],
      ]),
    );
  });

  test('are not derived from a keyword that is not known: it would go untested', () => {
    const derivation = new Derivation(YAML.replace('      maxLength: 200\n', '      maxLength: 200\n      not: {}\n'));
    const [operation] = derivation.operations;
    expect(() => operation && derivation.valid(operation)).toThrow(/^test\/derived does not know what not means in /);
  });
});
