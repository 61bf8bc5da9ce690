import type { Caller } from '../auth/caller.ts';

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
      /** Whom the request was authenticated as. */
      caller?: Caller;
      /** The number of the error that was answered. */
      error?: number;
      /** Why the request was refused, where the client is not told: for the log only. */
      reason?: string | undefined;
      /** Why the service failed: for the log only. */
      failure?: unknown;
    }
  }
}
