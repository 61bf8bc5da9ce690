import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { page, PAGES } from '../../packages/trellis/test/support/readme.ts';
import { ROOT } from '../../packages/trellis/test/support/service.ts';

const MAX_LINES = 250;

const pages = [...PAGES.keys()];
const ofDocs = pages.filter((name) => PAGES.get(name)?.includes('docs/'));
const fileOf = (name: string) => PAGES.get(name) ?? name;
const withoutCode = (text: string) => text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]+`/g, '');

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(name: string): string[] {
  const headings = page(name)
    .replaceAll(/^```.*?^```$/gms, '')
    .matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/\[(.*?)\]\(.*?\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(pages)('each link of %s leads to a file, and its anchor to a heading', (name) => {
  const links = Array.from(withoutCode(page(name)).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
  const broken = links
    .filter((link) => !/^https?:/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? fileOf(name) : join(fileOf(name), '..', path);
      const linked = pages.find((each) => fileOf(each) === file);
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && (linked === undefined || !anchorsOf(linked).includes(anchor));
    });
  expect(broken).toEqual([]);
});

// A merge that keeps both sides tells a change twice.
test.each(['CHANGELOG', 'changes'])('%s tells no change of a release twice', (name) => {
  const releases = page(name).split(/^## /m);
  expect(releases.length).toBeGreaterThan(2);
  const twice = releases.flatMap((release) => {
    const changes: readonly string[] = release.match(/^- .*(?:\n {2}.*)*/gm) ?? [];
    return changes.filter((change, at) => changes.indexOf(change) < at);
  });
  expect(twice).toEqual([]);
});

// A reader begins with these two pages, and reads each at one go.
test.each(['README', 'trellis'])('the page %s has at most 200 lines', (name) => {
  expect(page(name).trimEnd().split('\n').length).toBeLessThanOrEqual(200);
});

test.each(ofDocs)(`%s.md has at most ${MAX_LINES} lines`, (name) => {
  expect(page(name).trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
});
