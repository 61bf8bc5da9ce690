import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** What a page may load beyond its inline styles, by directive of its Content-Security-Policy. */
export type Sources = Readonly<Record<string, readonly string[]>>;

/** The headers of a page: its browser loads and runs nothing but the inline styles that it has, and these sources. */
export function securityHeaders(page: string, https: boolean, sources: Sources): RequestHandler {
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

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text as the content of an element. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? '');
}
