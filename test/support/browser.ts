import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

export const NO_BROWSER = 'there is no browser: install Chromium, or set CHROMIUM to the path of one';
const ON_PATH = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
const ON_MACOS = ['Chromium', 'Google Chrome', 'Microsoft Edge'];

/** The Chromium, or a browser made of it, that this machine has: that of CHROMIUM, or else where they usually are. */
export function findBrowser(): string | undefined {
  const { CHROMIUM = '', PATH = '' } = process.env;
  // One that is no program is not passed over: the tests fail.
  if (CHROMIUM !== '') return CHROMIUM;
  return [
    ...PATH.split(delimiter).flatMap((folder) => ON_PATH.map((name) => join(folder, name))),
    ...ON_MACOS.map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
  ].find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How long anything may take, in milliseconds: machines that test have other things to do. */
const PATIENCE_MS = 60_000;

const ARGUMENTS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  // What a browser does by itself needs the network.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts the browser, without a window and with a profile that is new. Not in its sandbox, which does not work for root
 * nor in most containers: the pages are ours.
 */
export async function startBrowser(...args: readonly string[]): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error(NO_BROWSER);
  return chromium.launch({
    executablePath,
    args: [...ARGUMENTS, ...args],
    chromiumSandbox: false,
    timeout: PATIENCE_MS,
  });
}

/** A window of its own, with a profile of its own. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** What the page did wrong: errors in its console, exceptions, what its policy forbids, and requests to elsewhere. */
  readonly problems: string[];
  /** Each request so far, as method and address. */
  readonly requests: string[];
}

/** Opens an address and watches what comes of it. What is on another origin is not reached. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  const { origin } = new URL(url);
  const isOwn = (address: string) => new URL(address).origin === origin;
  page.on('request', (request) => {
    requests.push(`${request.method()} ${request.url()}`);
    if (!isOwn(request.url()) && !request.url().startsWith('data:')) problems.push(`elsewhere: ${request.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await context.route(
    (address) => !isOwn(address.href),
    (route) => route.abort(),
  );
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('forbidden:', event.violatedDirective))",
  );
  await page.goto(url);
  return { page, problems, requests, [Symbol.asyncDispose]: () => context.close() };
}
