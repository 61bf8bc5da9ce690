import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { atEnd } from '../../../contract/test/support/temporary.ts';

export const NO_BROWSER = 'there is no browser: install Chromium, or set CHROMIUM to the path of one';
// The first has no window that it could show, and takes two thirds of the processor time.
const ON_PATH = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
];
const ON_MACOS = ['Chromium', 'Google Chrome', 'Microsoft Edge'];

/** The path of a Chromium-based browser: from the variable CHROMIUM, otherwise from the usual places. */
export function findBrowser(): string | undefined {
  const { CHROMIUM = '', PATH = '' } = process.env;
  // If CHROMIUM names no program, the tests fail instead of using another browser.
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

/** The timeout of each step, in milliseconds: long, as the machine may be busy with other tests. */
const PATIENCE_MS = 60_000;

const ARGUMENTS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  // Without these flags a browser makes requests of its own.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts the browser without a window and with a new profile. Its sandbox is off, as it works neither for root nor in
 * most containers: the browser loads only pages of the service.
 */
export async function startBrowser(...args: readonly string[]): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error(NO_BROWSER);
  const browser = await chromium.launch({
    executablePath,
    args: [...ARGUMENTS, ...args],
    chromiumSandbox: false,
    timeout: PATIENCE_MS,
  });
  atEnd(() => browser.close());
  return browser;
}

/** A browser window with a new profile. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings in the console, exceptions, violations of the page's policy, and requests to other origins. */
  readonly problems: string[];
  /** Each request so far, such as `GET http://…`. */
  readonly requests: string[];
}

/** Opens a URL in a new window, and blocks requests to other origins. */
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
