declare global {
  interface JSON {
    /** A value that JSON.stringify writes as this text (ECMAScript proposal "JSON.parse source text access", Node 22). */
    rawJSON(text: string): { readonly rawJSON: string };
  }
  interface RegExpConstructor {
    /** The text as a pattern that matches it alone (ECMAScript 2026, Node 24). */
    escape(text: string): string;
  }
  namespace Express {
    /** What is known of a request while it is under way: the log line is made of it. */
    interface Locals {
      requestId: string;
      /** Header fields that the reply carries, whatever it is: name, value, name, value. */
      fields?: readonly string[];
      operation?: string;
      /** The name of the token that the request was authenticated by. */
      caller?: string;
      /** The number of the error that was answered. */
      error?: number;
      /** Why the service failed: for the log only. */
      failure?: unknown;
    }
  }
}

export {};
