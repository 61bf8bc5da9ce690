import type { AnyService } from './service.ts';

/** A reply whose optional members may be missing. */
type Sketch<T> = T extends readonly unknown[]
  ? { [Index in keyof T]: Sketch<T[Index]> }
  : T extends object
    ? { [Name in keyof T as undefined extends T[Name] ? never : Name]: Sketch<T[Name]> } & {
        [Name in keyof T as undefined extends T[Name] ? Name : never]?: Sketch<T[Name]>;
      }
    : T;
const STUBS = new WeakSet<object>();

/**
 * An operation that is not written yet: it answers each valid request with the same reply, whose optional members may be
 * missing, or, with an Error, by 500. `serve` logs the stubs of a service, and `trellis check` counts them.
 */
export function stub<R>(reply: Sketch<R> | Error): () => Promise<R> {
  const operation = () => (reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply as R));
  STUBS.add(operation);
  return operation;
}

/** The ids of the operations that are stubs. */
export function stubsIn({ operations }: Pick<AnyService, 'operations'>): string[] {
  return Object.keys(operations).filter((id) => STUBS.has(operations[id] ?? {}));
}
