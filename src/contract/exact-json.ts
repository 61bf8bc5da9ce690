/** The value as JSON, with each bigint digit by digit: JSON.stringify refuses them, and would round numbers. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each,
  );
}
