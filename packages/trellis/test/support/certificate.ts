import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its key, as PEM texts. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly keyObject: KeyObject;
  readonly subject: Buffer;
}

/** Encodes a value in DER (ITU-T X.690): tag, length, content. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...contents: readonly Buffer[]) => der(0x30, ...contents);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const ALTERNATIVE_NAMES = oid('551d11');
const CONSTRAINTS = oid('551d13');
const TRUE = der(0x01, Buffer.from([0xff]));

function extension(id: Buffer, value: Buffer, critical = false): Buffer {
  return sequence(id, ...(critical ? [TRUE] : []), der(0x04, value));
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
}

/** The first and the last second in which a certificate is valid, as ASN.1 writes it. */
type Validity = readonly [from: string, to: string];
const ALWAYS: Validity = ['20200101000000Z', '21200101000000Z'];

/** Makes a certificate (RFC 5280) for some hosts, signed by an authority. Without one, it makes an authority. */
export function makeCertificate(
  name: string,
  hosts: readonly string[] = [],
  authority?: Certificate,
  validity = ALWAYS,
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));
  const extensions = [
    extension(CONSTRAINTS, sequence(...(authority === undefined ? [TRUE] : [])), true),
    ...(hosts.length === 0 ? [] : [extension(ALTERNATIVE_NAMES, sequence(...hosts.map(alternativeName)))]),
  ];
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    authority?.subject ?? subject,
    sequence(...validity.map((time) => der(0x18, Buffer.from(time)))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', toBeSigned, authority?.keyObject ?? privateKey);
  const certificate = sequence(toBeSigned, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    keyObject: privateKey,
    subject,
  };
}
