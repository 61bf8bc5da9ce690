import type { Reply, Schema } from './types.ts';

/** The compiler demands each currency of the contract. */
const DIGITS: Readonly<Record<Schema<'Currency'>, number>> = { EUR: 2, GBP: 2, JPY: 0, KWD: 3, USD: 2 };
const CURRENCIES = Object.keys(DIGITS) as Schema<'Currency'>[];

/** Lists the currencies. */
export function listCurrencies(): Promise<Reply<'listCurrencies'>> {
  return Promise.resolve({ status: 200, body: CURRENCIES.map((code) => ({ code, digits: DIGITS[code] })) });
}
