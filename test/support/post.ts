import type { TestApp } from './app.ts';

/** Sends a body to createPlant, and returns what came back. */
export async function post(app: TestApp, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/plants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as { error: number; message: string } };
}
