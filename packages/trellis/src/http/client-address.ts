import { isIP } from 'node:net';
import type { Request } from 'express';

/** A value of Express's setting `trust proxy`: the number of proxies, or their addresses. */
export type Proxies = number | string[];

/** Some proxies write an address with a port. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+)):\d{1,5}$/i;

/** @returns undefined if X-Forwarded-For names no IP address */
export function clientAddress({ ip = '' }: Request): string | undefined {
  const [, ipv6, ipv4] = WITH_PORT.exec(ip) ?? [];
  const address = ipv6 ?? ipv4 ?? ip;
  // After `%`, isIP accepts any text as the zone of an IPv6 address.
  return isIP(address) === 0 || address.includes('%') ? undefined : address;
}
