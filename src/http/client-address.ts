import { isIP } from 'node:net';
import type { Request } from 'express';

/** The proxies whose word is believed, as Express's `trust proxy` has it: how many there are, or their addresses. */
export type Proxies = number | string[];

/** As some proxies write it: an address with a port, one of IPv6 in brackets. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+)):\d{1,5}$/i;

/** The address of the client, by what the proxies have added to X-Forwarded-For; undefined: they wrote no address. */
export function clientAddress({ ip = '' }: Request): string | undefined {
  const [, ipv6, ipv4] = WITH_PORT.exec(ip) ?? [];
  const address = ipv6 ?? ipv4 ?? ip;
  // Of IPv6 an address may have a zone, which may be anything.
  return isIP(address) === 0 || address.includes('%') ? undefined : address;
}
