import assert from 'node:assert/strict';
import { test } from 'node:test';
import { derive, ENGINES, startOn, unavailable } from 'trellis/testing';
import { service } from '../service/index.ts';

for (const engine of ENGINES) {
  const skip = unavailable(engine) ?? false;
  test(`answers requests derived from the contract as the contract says, on ${engine}`, { skip }, async () => {
    await using instance = await startOn(engine, service);
    const { never } = await derive(instance, { conflict: 40901 });
    assert.deepEqual(never, []);
  });
}
