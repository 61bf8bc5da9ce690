// Generated from openapi.yaml by `npm run generate`. Do not edit.

export type $Read<T> = {
    readonly $read: T;
};
export type $Write<T> = {
    readonly $write: T;
};
export type Readable<T> = T extends $Write<any> ? never : T extends $Read<infer U> ? Readable<U> : T extends (infer E)[] ? Readable<E>[] : T extends object ? {
    [K in keyof T as NonNullable<T[K]> extends $Write<any> ? never : K]: Readable<T[K]>;
} : T;
export type Writable<T> = T extends $Read<any> ? never : T extends $Write<infer U> ? Writable<U> : T extends (infer E)[] ? Writable<E>[] : T extends object ? {
    [K in keyof T as NonNullable<T[K]> extends $Read<any> ? never : K]: Writable<T[K]>;
} & {
    [K in keyof T as NonNullable<T[K]> extends $Read<any> ? K : never]?: never;
} : T;
export interface paths {
    "/bookings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["createBooking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bookings/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["countBookings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Booking: {
            /** Format: uuid */
            id: $Read<string>;
            room: string;
            /** Format: int64 */
            cents: bigint;
        };
        Counts: {
            /** Format: int64 */
            bookings: bigint;
            /** Format: int64 */
            keys: bigint;
        };
        Error: {
            /** Format: int32 */
            error: number;
            message: string;
        };
    };
    responses: {
        /** @description It has failed. */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description Your name for this request, such as a new UUID. If you get no answer, or a `500` or `503`, send the same request with
         *     the same key again. For 24 hours it gets the answer of the first; another request with your key gets `422`.
         */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createBooking: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Your name for this request, such as a new UUID. If you get no answer, or a `500` or `503`, send the same request with
                 *     the same key again. For 24 hours it gets the answer of the first; another request with your key gets `422`.
                 */
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Booking"];
            };
        };
        responses: {
            /** @description The room is booked. */
            201: {
                headers: {
                    /** @description It was booked before. */
                    "Idempotent-Replayed"?: true;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Booking"];
                };
            };
            422: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    countBookings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many bookings, and how many known keys, there are. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Counts"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
}
export type ErrorNumber = number;
export const errors = {
} as const;
