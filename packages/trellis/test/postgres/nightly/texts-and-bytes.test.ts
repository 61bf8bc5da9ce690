import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { Client, startService } from 'trellis/testing';
import { DocsPage } from '../../process/browser/docs.ts';
import { describeInBrowser } from '../../process/browser/in-browser.ts';
import { startBrowser, visit } from '../../support/browser.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { Project } from '../../support/project.ts';
import { blocks, run } from '../../support/readme.ts';
import { apply, errors, TEMPLATE } from '../../support/recipe.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

// These tests follow docs/texts-and-bytes.md on the template in a copy of the project.

const PAGE = 'texts-and-bytes';
const HEADING = 'A file, and a list as CSV';
const NOTE = { id: '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10', text: 'Water "Monstera", twice' };
const PDF = Buffer.alloc(1_500_000, '%PDF-1.7\n\u0000ÿþ', 'latin1');
const TYPE = { 'Content-Type': 'application/pdf' };
const PAPER = `/notes/${NOTE.id}/paper`;

const project = new Project();
const main = pathToFileURL(join(project.folder, TEMPLATE, 'main.ts'));

beforeAll(async () => {
  for (const block of blocks(PAGE, HEADING, 'diff')) apply(project, block);
  for (const block of blocks(PAGE, HEADING, 'ts')) {
    const [, name = ''] = /^\/\/ (\S+)/.exec(block) ?? [];
    project.write(`${TEMPLATE}/${name}`, block);
  }
  const { code, stderr } = await run(project, `scripts/node packages/trellis/bin/trellis generate ${TEMPLATE}`);
  expect([code, stderr]).toEqual([0, '']);
});

test('the code of docs/texts-and-bytes.md compiles', async () => {
  expect(await errors(project)).toEqual([]);
});

test.each(['SQLite', 'PostgreSQL'])('keeps a PDF, gives it back, and lists the notes as CSV, on %s', async (engine) => {
  const server = await sharedPostgres();
  const sqlite = `sqlite:${join(temporaryFolder(), 'notes.db')}`;
  const DATABASE_URL = engine === 'SQLite' ? sqlite : server.url(await server.createDatabase());
  await using service = await startService(main, { DATABASE_URL });
  const client = new Client(service);
  const pdf = new Uint8Array(PDF);
  expect((await client.send('PUT', PAPER, pdf, TYPE)).status).toBe(404);
  expect((await client.send('POST', '/notes', NOTE)).status).toBe(201);
  for (const [sent, status] of [
    [pdf, 204],
    [pdf, 204],
    [pdf.subarray(1), 409],
    [pdf.subarray(0, 4), 400],
  ] as const)
    expect([sent.length, (await client.send('PUT', PAPER, sent, TYPE)).status]).toEqual([sent.length, status]);
  const { status, body, headers } = await client.send<Uint8Array>('GET', PAPER);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
  expect(PDF.equals(body)).toBe(true);
  const csv = await client.send<string>('GET', '/notes.csv');
  expect([csv.headers.get('content-type'), csv.body]).toEqual([
    'text/csv; charset=utf-8',
    `id,text\r\n${NOTE.id},"Water ""Monstera"", twice"\r\n`,
  ]);
});

describeInBrowser('in a browser', () => {
  test('uploads a PDF and saves it', async () => {
    await using service = await startService(main, { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'notes.db')}` });
    expect((await new Client(service).send('POST', '/notes', NOTE)).status).toBe(201);
    const browser = await startBrowser();
    await using visited = await visit(browser, `${service.url}/docs/`);
    const { page } = visited;
    for (const [id, status] of [
      ['putPaper', '204'],
      ['getPaper', '200'],
    ] as const) {
      const docs = new DocsPage(page, `notes-${id}`);
      if (id === 'putPaper') await docs.authorize(service.token);
      await docs.tryOut();
      await docs.operation.getByLabel('id', { exact: true }).fill(NOTE.id);
      const file = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: PDF };
      if (id === 'putPaper') await docs.operation.getByLabel('Request body').setInputFiles(file);
      await docs.operation.getByRole('button', { name: 'Execute' }).click();
      await docs.operation.locator('.outcome', { hasText: status }).waitFor();
    }
    const began = page.waitForEvent('download');
    await page.getByRole('link', { name: `Download ${PDF.length} bytes` }).click();
    expect(readFileSync(await (await began).path()).equals(PDF)).toBe(true);
    await browser.close();
  });
});
