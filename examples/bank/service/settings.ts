import type { Settings } from 'trellis';

/** The settings of a bank, beside those of every service. */
export const settings = {
  NOTICE_URL: {
    read: (text) => {
      const url = URL.parse(text);
      if (url !== null && /^https?:$/.test(url.protocol)) return url;
      throw new Error(`must be an address such as https://ledger.example/transfers, not ${JSON.stringify(text)}`);
    },
    meaning: 'the address that gets a notice of each transfer, at least once; without it none is sent',
  },
  NOTICE_TOKEN: {
    read: (text) => {
      if (/^[\x21-\x7e]+$/.test(text)) return text;
      throw new Error('must be a token of printable characters');
    },
    secret: true,
    meaning: 'the bearer token for this address',
  },
} satisfies Settings;
