declare global {
  interface JSON {
    /** A value that JSON.stringify writes as this text (ECMAScript proposal "JSON.parse source text access", Node 22). */
    rawJSON(text: string): { readonly rawJSON: string };
  }
  interface Map<K, V> {
    /** The value of the key; if there is none, the one that `compute` returns, which is kept (ECMAScript 2026, Node 26). */
    getOrInsertComputed(key: K, compute: (key: K) => V): V;
  }
  interface RegExpConstructor {
    /** The text as a pattern that matches it alone (ECMAScript 2026, Node 24). */
    escape(text: string): string;
  }
}

export {};
