// Generated from openapi.yaml by `npm run generate`. Do not edit.

export interface paths {
    "/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an item
         * @description Adds an item to the store. The same item again gets the same `200`, another item with its id a `400`.
         */
        post: operations["createItem"];
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
        /**
         * @description The name of the item, without U+0000.
         * @example lamp
         */
        ItemName: string;
        /**
         * @description Tag that specifies the type of the item, without U+0000.
         * @example light
         */
        ItemTag: string;
        /** @description An item, as the service returns it. */
        Item: {
            name: components["schemas"]["ItemName"];
            tag?: components["schemas"]["ItemTag"];
        };
        /** @description An item to add. */
        NewItem: {
            /**
             * Format: int64
             * @description Any 64-bit integer, which you choose.
             */
            id: bigint;
            name: components["schemas"]["ItemName"];
            tag?: components["schemas"]["ItemTag"];
        };
        /** @description An error has a number for your program, and a message for you. */
        Error: {
            /**
             * Format: int32
             * @description The HTTP status and two digits.
             */
            error: ErrorNumber;
            /**
             * @description The fault and its cure, in English.
             * @example a different item has this id
             */
            message: string;
        };
    };
    responses: {
        /** @description The request has a fault, and nothing was stored. */
        BadRequest: {
            headers: {
                /**
                 * @description You may send `r` more requests in the next `t` seconds.
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description You may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log of the service.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request has no valid access token. */
        Unauthorized: {
            headers: {
                /**
                 * @description The scheme, with the error and the scopes that are needed.
                 * @example Bearer realm="api", error="invalid_token"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description You may send `r` more requests in the next `t` seconds.
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description You may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log of the service.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40101,
                 *       "message": "the access token is unknown, revoked or expired"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The access token lacks a scope. */
        Forbidden: {
            headers: {
                /**
                 * @description The scheme, with the error and the scopes that are needed.
                 * @example Bearer realm="api", error="invalid_token"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description You may send `r` more requests in the next `t` seconds.
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description You may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log of the service.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40300,
                 *       "message": "the access token lacks a scope"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description You sent more requests than this token may send. Nothing was stored. */
        TooManyRequests: {
            headers: {
                /**
                 * @description Wait this many seconds before you try again (RFC 9110, section 10.2.3).
                 * @example 1
                 */
                "Retry-After"?: number;
                /**
                 * @description You may send `r` more requests in the next `t` seconds.
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description You may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log of the service.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 42900,
                 *       "message": "too many requests: try again later"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other error. After `500` or `503` the item may be stored or not. */
        Failure: {
            headers: {
                /**
                 * @description Wait this many seconds before you try again (RFC 9110, section 10.2.3).
                 * @example 1
                 */
                "Retry-After"?: number;
                /**
                 * @description You may send `r` more requests in the next `t` seconds.
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description You may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log of the service.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 50000,
                 *       "message": "the service has failed: give the request id of this reply to its operator"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The store already had this item, and wrote nothing.
         * @example true
         */
        "Idempotent-Replayed": true;
        /**
         * @description You may send `r` more requests in the next `t` seconds.
         * @example "caller"; r=599; t=60
         */
        RateLimit: string;
        /**
         * @description You may send `q` requests in `w` seconds.
         * @example "caller"; q=600; w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Wait this many seconds before you try again (RFC 9110, section 10.2.3).
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description The scheme, with the error and the scopes that are needed.
         * @example Bearer realm="api", error="invalid_token"
         */
        "WWW-Authenticate": string;
        /**
         * @description The name of this request in the log of the service.
         * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
         */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createItem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The item, with an id that you choose. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewItem"];
            };
        };
        responses: {
            /** @description The item is on disk. The reply does not repeat the id. */
            200: {
                headers: {
                    /**
                     * @description The store already had this item, and wrote nothing.
                     * @example true
                     */
                    "Idempotent-Replayed"?: true;
                    /**
                     * @description You may send `r` more requests in the next `t` seconds.
                     * @example "caller"; r=599; t=60
                     */
                    RateLimit?: string;
                    /**
                     * @description You may send `q` requests in `w` seconds.
                     * @example "caller"; q=600; w=60
                     */
                    "RateLimit-Policy"?: string;
                    /**
                     * @description The name of this request in the log of the service.
                     * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                     */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Item"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
}
export type ErrorNumber = 40001 | 40002 | 40003 | 40004 | 40005 | 40006 | 40007 | 40008 | 40009 | 40010 | 40011 | 40099 | 40100 | 40101 | 40300 | 40400 | 40500 | 40800 | 41400 | 42900 | 43100 | 50000 | 50100 | 50300 | 50301 | 50500;
export const errors = {
    40001: { error: 40001, message: "the HTTP message is malformed" },
    40002: { error: 40002, message: "the body is missing" },
    40003: { error: 40003, message: "the operation does not accept this media type, or the charset is not UTF-8" },
    40004: { error: 40004, message: "the service does not support this content encoding" },
    40005: { error: 40005, message: "the body is larger than its limit, as sent or decompressed" },
    40006: { error: 40006, message: "the body cannot be decompressed" },
    40007: { error: 40007, message: "the body is not UTF-8" },
    40008: { error: 40008, message: "the body is not JSON, has a lone surrogate or too large a number, or is nested too deeply" },
    40009: { error: 40009, message: "a member of an object appears twice" },
    40010: { error: 40010, message: "the request breaks the contract; the message names up to ten faults" },
    40011: { error: 40011, message: "a different item has this id" },
    40099: { error: 40099, message: "the request takes too much work to check" },
    40100: { error: 40100, message: "the request has no access token" },
    40101: { error: 40101, message: "the access token is unknown, revoked or expired" },
    40300: { error: 40300, message: "the access token lacks a scope" },
    40400: { error: 40400, message: "the path does not exist" },
    40500: { error: 40500, message: "the path does not have this method" },
    40800: { error: 40800, message: "the request took too long to arrive" },
    41400: { error: 41400, message: "the request target is too long" },
    42900: { error: 42900, message: "the token has used up its limit; try again after the seconds of Retry-After" },
    43100: { error: 43100, message: "the header fields are too many, or too large" },
    50000: { error: 50000, message: "the service failed; its log has the cause, under the request id" },
    50100: { error: 50100, message: "the service does not support this transfer coding" },
    50300: { error: 50300, message: "the service is busy, or its store is away; try again" },
    50301: { error: 50301, message: "the service cannot check the access token at present; try again" },
    50500: { error: 50500, message: "the service does not support this version of HTTP" },
} as const;
