import { BlockList, isIP } from 'node:net';
import type { Request } from 'express';

/** Whom to believe where a request comes from: the number of proxies in front, or their addresses. */
export type Proxies = number | BlockList;

/** As long as an address of IPv6 gets. */
const LONGEST_ADDRESS = 45;

/** How many proxies a request may have come by. */
export const MOST_HOPS = 32;

/** As some proxies write it: an address with a port, one of IPv6 in brackets. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+)):\d{1,5}$/i;

/** Names for networks, as Express has them. */
const NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** The proxies at these addresses: `10.0.0.1`, `10.0.0.0/8`, `loopback`; undefined if one is none of these. */
export function proxiesAt(addresses: readonly string[]): BlockList | undefined {
  const list = new BlockList();
  for (const each of addresses.flatMap((name) => NETWORKS[name] ?? name)) {
    // Not `/0`: everybody would be believed.
    const [, address = '', prefix] = /^([\da-f:.]+)(?:\/([1-9]\d{0,2}))?$/i.exec(each) ?? [];
    const bits = isIP(address) === 4 ? 32 : 128;
    if (isIP(address) === 0 || Number(prefix ?? bits) > bits) return undefined;
    list.addSubnet(address, Number(prefix ?? bits), bits === 32 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/**
 * How to tell the address of a client, for the log. It is that of the connection, unless that is a proxy's: then it is
 * what that proxy added to X-Forwarded-For, at the end, and so on. What stands before is the client's own invention.
 */
export function clientAddress(proxies: Proxies | undefined): (request: Request) => string | undefined {
  if (proxies === undefined) return ({ socket }) => socket.remoteAddress;
  return ({ socket, headers }) => {
    const forwarded = String(headers['x-forwarded-for'] ?? '');
    let address = socket.remoteAddress;
    let end = forwarded.length;
    for (let hop = 0; end > 0 && hop < MOST_HOPS && isProxy(proxies, address, hop); hop++) {
      const comma = forwarded.lastIndexOf(',', end - 1);
      const before = readAddress(forwarded.slice(comma + 1, end));
      if (before === undefined) break;
      address = before;
      end = comma;
    }
    return address;
  };
}

function isProxy(proxies: Proxies, address: string | undefined, hop: number): boolean {
  if (typeof proxies === 'number') return hop < proxies;
  return address !== undefined && proxies.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** The address that a proxy has written, which may be anything. */
function readAddress(written: string): string | undefined {
  const text = written.slice(0, LONGEST_ADDRESS * 2).trim();
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  const address = ipv6 ?? ipv4 ?? text;
  return address.length <= LONGEST_ADDRESS && isIP(address) !== 0 ? address : undefined;
}
