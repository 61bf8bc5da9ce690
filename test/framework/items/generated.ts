// Generated from openapi.yaml by a test, which writes it anew when it fails. Do not edit.

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
        /** @description The name of the item, without U+0000. */
        ItemName: string;
        /** @description Tag that specifies the type of the item, without U+0000. */
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
            /** @description The fault and its cure, in English. */
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
export type ErrorNumber = 40001 | 40002 | 40003 | 40004 | 40005 | 40006 | 40007 | 40008 | 40009 | 40010 | 40011 | 40100 | 40101 | 40300 | 40400 | 40500 | 40800 | 41400 | 42900 | 43100 | 50000 | 50100 | 50300 | 50301 | 50500;
