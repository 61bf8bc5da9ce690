import type { Locator, Page } from 'playwright-core';
import { until } from '../../support/until.ts';

/** A reply, as the docs page shows it. */
export interface Shown {
  readonly status: string;
  readonly body: string;
  readonly headers: readonly string[];
}

/** What a reader does on the docs page. */
export class DocsPage {
  readonly page: Page;
  readonly operation: Locator;
  /** The body of the reply, as the page shows it. */
  readonly answer: Locator;
  /** The field of the security scheme. */
  readonly token: Locator;

  /**
   * @param operation its element, by the tag and the operationId
   * @param scheme the index of its security scheme
   */
  constructor(page: Page, operation: string, scheme = 0) {
    this.page = page;
    this.operation = page.locator(`#operations-${operation}`);
    this.token = page.locator('form', { has: page.getByLabel(/^Access token|^Key for/) }).nth(scheme);
    this.answer = this.operation.locator('.live-responses-table > .highlight-code');
  }

  /** Gives the page a token. */
  async authorize(token: string): Promise<void> {
    await this.token.getByRole('textbox').fill(token);
    await this.token.getByRole('button', { name: 'Use token' }).click();
  }

  /** Takes the token from the page. */
  async logOut(): Promise<void> {
    await this.token.getByRole('button', { name: 'Forget token' }).click();
  }

  /** Opens the operation, which is then ready to be executed. */
  async tryOut(): Promise<void> {
    await this.operation.locator('.opblock-summary-control').click();
    await this.operation.getByRole('button', { name: 'Execute' }).waitFor();
  }

  /** The request of the form as a command of a shell. */
  async command(shell = 'bash'): Promise<string> {
    const command = this.operation.locator('details', { hasText: 'As a command for curl' });
    const text = command.locator('.microlight');
    if (!(await text.isVisible())) await command.locator('summary').click();
    await command.getByLabel('Shell').selectOption(shell);
    return text.innerText();
  }

  /** Sends the body that the page shows, or this one, and reads the reply. */
  async execute(body?: string): Promise<Shown> {
    if (body !== undefined) await this.operation.getByLabel('Request body').fill(body);
    return this.answerTo(() => this.operation.getByRole('button', { name: 'Execute' }).click());
  }

  /** Runs an action that sends a request, and reads the reply. */
  async answerTo(action: () => Promise<void>): Promise<Shown> {
    // Swagger UI shows a body a moment before it stores the body that it would send.
    await until(() =>
      this.page.evaluate<boolean>(`(() => {
        const area = document.querySelector('.body-param__text');
        const operations = Object.values(ui.getState().toJS().oas3.requestData ?? {}).flatMap(Object.values);
        return area === null || operations.some(({ bodyValue }) => bodyValue === area.value);
      })()`),
    );
    // Its own request, as the reply to an earlier one may still come.
    const sent = this.page.waitForRequest((request) => request.resourceType() === 'fetch');
    await action();
    const { 'x-request-id': requestId = '' } = (await (await sent).response())?.headers() ?? {};
    const live = this.operation.locator('.live-responses-table');
    // The page shows the previous reply until the new one arrives.
    await live.locator('.headerline', { hasText: requestId }).waitFor({ state: 'attached' });
    return {
      status: /^(\d+)/.exec(await this.operation.locator('.outcome').innerText())?.[1] ?? '',
      body: await this.answer.locator('.microlight').innerText(),
      headers: await live.locator('.headerline').allTextContents(),
    };
  }

  /** The width of the page, with the part that only scrolling shows. */
  width(): Promise<number> {
    return this.page.evaluate<number>('document.documentElement.scrollWidth');
  }

  /** The controls that are not wholly within the width of the screen. */
  beyond(): Promise<string[]> {
    return this.page.evaluate<string[]>(`
      [...document.querySelectorAll('button, select, textarea')]
        .filter((control) => {
          const { left, right } = control.getBoundingClientRect();
          return control.checkVisibility() && (left < 0 || right > screen.width);
        })
        .map(({ className, innerText }) => className + ' ' + innerText)`);
  }
}
