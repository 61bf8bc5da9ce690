import { describe, expect, test } from '@jest/globals';
import { PACE } from '../../src/auth/issuer-keys.ts';
import { CLOCK_SKEW_S } from '../../src/auth/jwt.ts';
import { eventually, first, OK, REFUSED, sleep, startFor, startProvider, UNCHECKABLE } from '../support/issuer.ts';
import { freePort } from '../support/port.ts';
import { makeKey } from '../support/provider.ts';
import { README } from '../support/readme.ts';

const second = await makeKey('second');
test('README says when keys are fetched, and for how long they count', () => {
  const [, section = ''] = /^### Tokens from an identity provider.*?\n(.*?)^##/ms.exec(README) ?? [];
  const text = section.replaceAll(/\s+/g, ' ');
  expect(PACE).toEqual({ cooldown: 1000, timeout: 5000, refresh: 10 * MINUTE, maxAge: 60 * MINUTE });
  expect(text).toContain('every 10 minutes');
  expect(text).toContain('once a second at most');
  expect(text).toContain('does not answer (within 5 s), the keys that are known count for an hour');
  expect(text).toContain(`off by more than ${CLOCK_SKEW_S} s`);
});
const MINUTE = 60_000;

describe('when keys are rotated', () => {
  test('tokens of the new one are taken at once, and those of the old one no more', async () => {
    const provider = await startProvider();
    const { sign, call } = await startFor(provider.issuer);
    expect(await call(await provider.token())).toEqual(OK);
    provider.rotate([second, first]);
    const started = performance.now();
    expect(await call(await provider.token())).toEqual(OK);
    expect(performance.now() - started).toBeLessThan(PACE.cooldown + 4000);
    expect(await call(await sign(first))).toEqual(OK);
    provider.rotate([second]);
    // The service learns of it when a key is missing, or in the background.
    await call(await sign(await makeKey('made-up')));
    expect(await call(await sign(first))).toEqual(REFUSED);
    expect(await call(await sign(second))).toEqual(OK);
  });

  test('what was verified by a key that is withdrawn counts no more, as soon as that is known', async () => {
    const provider = await startProvider([first, second]);
    const { sign, call } = await startFor(provider.issuer, { refresh: 200, cooldown: 10 });
    const [old, current] = [await sign(first), await sign(second)];
    for (const token of [old, current, old, current]) expect(await call(token)).toEqual(OK);
    provider.rotate([second]);
    await eventually(() => call(old), REFUSED);
    expect(await call(current)).toEqual(OK);
  });

  test('a key under the name of the one before is another one', async () => {
    const provider = await startProvider([first]);
    const { sign, call } = await startFor(provider.issuer, { refresh: 200, cooldown: 10 });
    const old = await sign(first);
    expect(await call(old)).toEqual(OK);
    const successor = await makeKey('first');
    provider.rotate([successor]);
    await eventually(() => call(old), REFUSED);
    expect(await call(await sign(successor))).toEqual(OK);
  });
});

test('made-up keys do not flood the issuer, nor hold up the tokens of others', async () => {
  const provider = await startProvider();
  const { sign, call } = await startFor(provider.issuer);
  expect(await call(await sign(first))).toEqual(OK);
  const before = provider.asked.length;
  const forged = await Promise.all(Array.from({ length: 500 }, (_, i) => sign(first, { kid: `made-up-${i}` })));
  const started = performance.now();
  const answers = Promise.all(forged.map(call));
  await sleep(50);
  expect(await call(await sign(first))).toEqual(OK);
  const statuses = Map.groupBy(await answers, ([status]) => status);
  const seconds = (performance.now() - started) / 1000;
  // Each discovery and keys, at most once a second.
  expect(provider.asked.length - before).toBeLessThanOrEqual(2 * Math.ceil(seconds + 1));
  // Those that would wait beyond what may wait are told so; none is let in.
  expect([...statuses.keys()].toSorted()).toEqual([401, 503]);
  expect(statuses.get(401)?.length).toBeGreaterThanOrEqual(256);
});

describe('an issuer that is away', () => {
  test('is no reason to refuse tokens of keys that are known, for as long as keys count', async () => {
    const provider = await startProvider();
    const { sign, call } = await startFor(provider.issuer, { refresh: 300, maxAge: 5000, cooldown: 20 });
    const known = await sign(first);
    expect(await call(known)).toEqual(OK);
    await provider[Symbol.asyncDispose]();
    await sleep(700);
    expect(await call(await sign(first))).toEqual(OK);
    expect(await call(await sign(second))).toEqual(UNCHECKABLE);
    await eventually(async () => call(await sign(first)), UNCHECKABLE);
    expect(await call(known)).toEqual(OK);
    await startProvider([second], Number(new URL(provider.issuer).port));
    await eventually(async () => call(await sign(second)), OK);
  });

  test('is waited for by nobody at the start', async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    const { sign, call } = await startFor(issuer, { cooldown: 20 });
    expect(await call(await sign(first))).toEqual(UNCHECKABLE);
    await startProvider([first], Number(new URL(issuer).port));
    await eventually(async () => call(await sign(first)), OK);
  });
});
