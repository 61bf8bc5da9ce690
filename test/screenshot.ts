import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrowser, visit } from '../packages/trellis/test/support/browser.ts';
import { startPlants } from './support.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';
import { DocsPage } from '../packages/trellis/test/process/browser/docs.ts';

/** The element of createPlant. */
const OPERATION = 'plants-createPlant';
const WIDTH = 1100;
/** The space above the operation in the picture, in pixels. */
const MARGIN = 12;

/** Takes the picture of the README: a plant that was created on the docs page. */
async function screenshot(path: string): Promise<void> {
  const folder = temporaryFolder();
  const token = 'the-access-token-that-was-printed';
  writeFileSync(join(folder, 'token'), token);
  const service = await startPlants({ TOKEN_FILE: join(folder, 'token') });
  // Each picture shows the address that the README names, on whichever port the service listens.
  const shown = '127.0.0.1:3000';
  const browser = await startBrowser(`--host-resolver-rules=MAP ${shown} ${new URL(service.url).host}`);
  try {
    await using visited = await visit(browser, `http://${shown}/docs`, { viewport: { width: WIDTH, height: 800 } });
    const docs = new DocsPage(visited.page, OPERATION);
    await docs.authorize(token);
    await docs.tryOut();
    await docs.execute();
    if (visited.problems.length > 0) throw new Error(visited.problems.join('\n'));
    await visited.page.mouse.move(0, 0);
    await visited.page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
    // From the operation's name to the body of the reply; the headers below differ in each picture.
    const [top, end] = await Promise.all([docs.operation.boundingBox(), docs.answer.boundingBox()]);
    if (top === null || end === null) throw new Error('the page does not show the reply');
    const y = top.y - MARGIN;
    const clip = { x: 0, y, width: WIDTH, height: Math.ceil(end.y + end.height - y) };
    await visited.page.screenshot({ path, clip, fullPage: true, animations: 'disabled' });
  } finally {
    await browser.close();
    await service.stop();
  }
}

const path = process.argv[2] ?? join(import.meta.dirname, 'docs.png');
await screenshot(path);
console.log(`${path}: written`);
