import { describe, expect, test } from '@jest/globals';
import { addToken } from '../support/app.ts';
import { startGarden } from './garden.ts';

const { app, call } = await startGarden();

describe('a token needs all scopes of one alternative:', () => {
  test.each([
    ['PUT', ['beds:write'], 200],
    ['PUT', ['beds:own', 'beds:all'], 200],
    ['PUT', ['beds:own', 'beds:remove'], 403],
    ['DELETE', ['beds:remove'], 204],
    ['DELETE', ['beds:write'], 403],
    ['GET', [], 200],
  ])('%s with the scopes %j gets %i', async (method, scopes, status) => {
    const { token } = await addToken(app, `${method}-${scopes.join('-')}`, scopes);
    const answer = await call(method, '/beds/1', { headers: { Authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(status);
  });
});
