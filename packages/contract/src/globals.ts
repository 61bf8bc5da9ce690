// What TypeScript does not declare yet, and what Node 24 lacks. Programs and threads of the framework import this first.

declare global {
  interface JSON {
    /** A value that JSON.stringify writes as this text (ECMAScript proposal "JSON.parse source text access", Node 22). */
    rawJSON(text: string): { readonly rawJSON: string };
  }
  interface RegExpConstructor {
    /** The text as a pattern that matches it alone (ECMAScript 2026, Node 24). */
    escape(text: string): string;
  }
  interface Map<K, V> {
    /** The value of the key; if there is none, the value that `compute` returns is kept (ECMAScript 2026, Node 26). */
    getOrInsertComputed(key: K, compute: (key: K) => V): V;
  }
}

function getOrInsertComputed<K, V>(this: Map<K, V>, key: K, compute: (key: K) => V): V {
  if (!this.has(key)) this.set(key, compute(key));
  // The key has a value now, which may be undefined.
  return this.get(key) as V;
}

// Other modules, which are imported later, have syntax that an older Node refuses without naming the reason.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`trellis needs Node 24 or newer, and this is Node ${process.versions.node}`);
  process.exit(1);
}

if (!('getOrInsertComputed' in Map.prototype))
  Object.defineProperty(Map.prototype, 'getOrInsertComputed', { value: getOrInsertComputed });

export {};
