import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Contract } from '../contract/contract.ts';

export interface PageOptions {
  readonly contract: Contract;
  /** The path of the service's public address: '' or such as `/api`. */
  readonly basePath: string;
  readonly https: boolean;
}

/**
 * The headers of a page: they make the browser load and run its inline styles and these sources only.
 *
 * @param sources by directive of the Content-Security-Policy
 */
export function securityHeaders(
  page: string,
  https: boolean,
  sources: Readonly<Record<string, readonly string[]>>,
): RequestHandler {
  const styles = [...page.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => {
    return `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  });
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        ...sources,
        'style-src': [...(sources['style-src'] ?? []), ...styles],
        'base-uri': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    // Browsers ignore these over http, some with an error in the console.
    strictTransportSecurity: https,
    crossOriginOpenerPolicy: https,
    originAgentCluster: https,
  });
}

/** Escapes a text for the content of an element. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
