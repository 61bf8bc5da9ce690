import { isIPv4, isIPv6 } from 'node:net';
import { isRegExp } from './regular-expression.ts';

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DIGITS = /^\d+$/;

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = (DAYS[Number(month) - 1] ?? 0) + (leap && month === '02' ? 1 : 0);
  return DIGITS.test(day) && Number(day) >= 1 && Number(day) <= days;
}

/** RFC 3339. A leap second may end a day in UTC only. */
function isTime(text: string): boolean {
  const [found, hour, minute, second, sign, ahead = '0', behind = '0'] =
    /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/i.exec(text) ?? [];
  if (found === undefined || Number(ahead) > 23 || Number(behind) > 59) return false;
  const offset = (sign === '-' ? 1 : -1) * (Number(ahead) * 60 + Number(behind));
  const ofDay = (Number(hour) * 60 + Number(minute) + offset + 1440) % 1440;
  return Number(hour) < 24 && Number(minute) < 60 && (Number(second) < 60 || (Number(second) === 60 && ofDay === 1439));
}

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const HOST = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const QUOTED = String.raw`"(?:[ !#-[\]-~]|\\[ -~])*"`;
const LOCAL = new RegExp(`^(?:${ATOM}(?:\\.${ATOM})*|${QUOTED})$`);

/** RFC 5321; the domain must have a dot. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [domain, local] = [text.slice(at + 1), text.slice(0, at)];
  const [, address] = /^\[(.*)\]$/.exec(domain) ?? [];
  if (address === undefined)
    return at > 0 && local.length <= 64 && LOCAL.test(local) && domain.includes('.') && HOST.test(domain);
  return LOCAL.test(local) && (isIPv4(address) || (address.startsWith('IPv6:') && isIPv6(address.slice(5))));
}

/** RFC 3986. */
const REFERENCE =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:[^/?#[\]@]*@)?(?:\[([^\]]*)\]|[^/?#[\]@:]*)(?::\d*)?(?=[/?#]|$)|(?!\/\/))([^?#[\]]*)(?:\?[^#[\]]*)?(?:#[^#[\]]*)?$/;
const OF_URI = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;

function isReference(text: string): boolean {
  const [found, scheme, address, path = ''] = REFERENCE.exec(text) ?? [];
  if (found === undefined || !OF_URI.test(text)) return false;
  if (address !== undefined && !(isIPv6(address) && !address.includes('%')) && !/^v[0-9a-f]+\./i.test(address))
    return false;
  return scheme !== undefined || !/^[^/]*:/.test(path);
}

const DURATION =
  /^P(?!$)(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?=\d)(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;
const POINTER = /^(?:\/(?:[^~/]|~0|~1)*)*$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const NAME = '(?:\\w|%[0-9A-Fa-f]{2})+';
const VARIABLE = `${NAME}(?:\\.${NAME})*(?::[1-9]\\d{0,3}|\\*)?`;
/** RFC 6570. */
const TEMPLATE = new RegExp(
  `^(?:[^\\x00-\\x20\\x7f"%<>\\\\^\`{|}]|%[0-9A-Fa-f]{2}|\\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\\})*$`,
);

/**
 * Checks by the RFCs that JSON Schema 2020-12 (section 7.3) names, without decoding punycode in a hostname. ajv-formats
 * accepts some invalid texts: an offset of hours alone in a date-time, a port of letters in a uri, `urn:uuid:` in a uuid.
 */
export const STRING_FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: isTime,
  'date-time': (text) => isDate(text.slice(0, 10)) && /^[Tt]$/.test(text.charAt(10)) && isTime(text.slice(11)),
  duration: (text) => DURATION.test(text),
  email: isEmail,
  hostname: (text) => HOST.test(text),
  ipv4: isIPv4,
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  uri: (text) => isReference(text) && /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text),
  'uri-reference': isReference,
  'uri-template': (text) => TEMPLATE.test(text),
  uuid: (text) => UUID.test(text),
  'json-pointer': (text) => POINTER.test(text),
  'relative-json-pointer': (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~0|~1)*)*)$/.test(text),
  regex: isRegExp,
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
};

/** Formats that allow every text. */
export const SILENT_FORMATS = ['password', 'binary'];
