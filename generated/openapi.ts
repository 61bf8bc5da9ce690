// Generated from openapi.yaml by `npm run generate`. Do not edit.

export interface paths {
    "/plants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a plant
         * @description Adds a plant to the store. What you get depends on the `id`:
         *
         *     - A new `id`: the store writes the plant to disk, then you get `200`.
         *     - An `id` that has this `name` and `tag`: you get the same `200` again, with the header
         *       `Idempotent-Replayed: true`. The store gets no second plant.
         *     - An `id` that has another `name` or `tag`: you get `400` with error `40011`. The stored plant does not change.
         *
         *     Send strict JSON in UTF-8, at most 64 KiB, and at most 32 levels deep. You may compress it
         *     (`Content-Encoding: gzip`); the limit then holds for both sizes. The service refuses unknown and repeated
         *     members, and lone surrogates.
         */
        post: operations["createPlant"];
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
         * @description The name of the plant, without U+0000.
         * @example Monstera deliciosa
         */
        PlantName: string;
        /**
         * @description Tag that specifies the type of the plant, without U+0000.
         * @example tropical
         */
        PlantTag: string;
        /** @description A plant, as the service returns it. */
        Plant: {
            name: components["schemas"]["PlantName"];
            tag?: components["schemas"]["PlantTag"];
        };
        /** @description A plant to add. */
        NewPlant: {
            /**
             * Format: int64
             * @description Identification number of the plant, which you choose: any 64-bit integer. The service compares values, to the
             *     last digit: `1`, `1.0` and `1e0` are the same id.
             */
            id: bigint;
            name: components["schemas"]["PlantName"];
            tag?: components["schemas"]["PlantTag"];
        };
        /** @description An error has a number for your program, and a message for you. */
        Error: {
            /**
             * Format: int32
             * @description The HTTP status and two digits. A number never changes its meaning.
             *
             *     | error | meaning                                                                                   |
             *     | ----- | ----------------------------------------------------------------------------------------- |
             *     | 40001 | The HTTP message is malformed                                                             |
             *     | 40002 | The body is missing                                                                       |
             *     | 40003 | The operation does not accept this media type, or the charset is not UTF-8                |
             *     | 40004 | The service does not support this content encoding                                        |
             *     | 40005 | The body is larger than its limit, as sent or decompressed                                |
             *     | 40006 | The body cannot be decompressed                                                           |
             *     | 40007 | The body is not UTF-8                                                                     |
             *     | 40008 | The body is not JSON, has a lone surrogate or too large a number, or is nested too deeply |
             *     | 40009 | A member of an object appears twice                                                       |
             *     | 40010 | The request breaks the contract; the message names up to ten faults                       |
             *     | 40011 | A different plant has this id                                                             |
             *     | 40099 | The request takes too much work to check                                                  |
             *     | 40100 | The request has no access token                                                           |
             *     | 40101 | The access token is unknown, revoked or expired                                           |
             *     | 40300 | The access token lacks a scope                                                            |
             *     | 40400 | The path does not exist                                                                   |
             *     | 40500 | The path does not have this method                                                        |
             *     | 40800 | The request took too long to arrive                                                       |
             *     | 41400 | The request target is too long                                                            |
             *     | 42900 | The token has used up its limit; try again after the seconds of Retry-After               |
             *     | 43100 | The header fields are too many, or too large                                              |
             *     | 50000 | The service failed; its log has the cause, under the request id                           |
             *     | 50100 | The service does not support this transfer coding                                         |
             *     | 50300 | The service is busy, or its store is away; try again                                      |
             *     | 50301 | The service cannot check the access token at present; try again                           |
             *     | 50500 | The service does not support this version of HTTP                                         |
             */
            error: ErrorNumber;
            /**
             * @description The fault and its cure, in English.
             * @example a different plant has this id
             */
            message: string;
        };
    };
    responses: {
        /**
         * @description Unexpected error: the request has a fault, and nothing was stored. Mend what the message names. The same
         *     request gets the same answer.
         */
        BadRequest: {
            headers: {
                /**
                 * @description If your token has a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header
                 *     fields for HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If your token has a limit: it may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log of the service. Send your own, of 1 to 128 letters, digits and `._~:/+=-`, or
                 *     the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The request has no valid access token. Send one in the header `Authorization: Bearer ACCESS_TOKEN`. Nothing was
         *     stored; the service closes the connection if the body was still arriving.
         */
        Unauthorized: {
            headers: {
                /**
                 * @description `Bearer realm="api"` (RFC 6750, section 3), with `error="invalid_token"` if the token is not valid, or
                 *     `error="insufficient_scope"` and the `scope` that the token needs.
                 * @example Bearer realm="api", error="invalid_token"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description If your token has a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header
                 *     fields for HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If your token has a limit: it may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log of the service. Send your own, of 1 to 128 letters, digits and `._~:/+=-`, or
                 *     the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The access token lacks a scope. `WWW-Authenticate` names the scopes that you need. Nothing was stored;
         *     the service closes the connection if the body was still arriving.
         */
        Forbidden: {
            headers: {
                /**
                 * @description `Bearer realm="api"` (RFC 6750, section 3), with `error="invalid_token"` if the token is not valid, or
                 *     `error="insufficient_scope"` and the `scope` that the token needs.
                 * @example Bearer realm="api", error="invalid_token"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description If your token has a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header
                 *     fields for HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If your token has a limit: it may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log of the service. Send your own, of 1 to 128 letters, digits and `._~:/+=-`, or
                 *     the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description You sent more requests than this token may send. Nothing was stored. Wait for the seconds of `Retry-After`, then
         *     send the same plant again.
         */
        TooManyRequests: {
            headers: {
                /**
                 * @description Wait this many seconds before you try again (RFC 9110, section 10.2.3).
                 * @example 1
                 */
                "Retry-After"?: number;
                /**
                 * @description If your token has a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header
                 *     fields for HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If your token has a limit: it may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log of the service. Send your own, of 1 to 128 letters, digits and `._~:/+=-`, or
                 *     the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description Any other error. After `500` or `503` the plant may be stored or not: wait for the seconds of `Retry-After`, if
         *     the reply has it, then send the same plant again.
         */
        Failure: {
            headers: {
                /**
                 * @description Wait this many seconds before you try again (RFC 9110, section 10.2.3).
                 * @example 1
                 */
                "Retry-After"?: number;
                /**
                 * @description If your token has a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header
                 *     fields for HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If your token has a limit: it may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log of the service. Send your own, of 1 to 128 letters, digits and `._~:/+=-`, or
                 *     the service makes one.
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
         * @description The store already had this plant, and wrote nothing.
         * @example true
         */
        "Idempotent-Replayed": true;
        /**
         * @description If your token has a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header
         *     fields for HTTP").
         * @example "caller"; r=599; t=60
         */
        RateLimit: string;
        /**
         * @description If your token has a limit: it may send `q` requests in `w` seconds.
         * @example "caller"; q=600; w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Wait this many seconds before you try again (RFC 9110, section 10.2.3).
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description `Bearer realm="api"` (RFC 6750, section 3), with `error="invalid_token"` if the token is not valid, or
         *     `error="insufficient_scope"` and the `scope` that the token needs.
         * @example Bearer realm="api", error="invalid_token"
         */
        "WWW-Authenticate": string;
        /**
         * @description The name of this request in the log of the service. Send your own, of 1 to 128 letters, digits and `._~:/+=-`, or
         *     the service makes one.
         * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
         */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createPlant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The plant, with an id that you choose. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPlant"];
            };
        };
        responses: {
            /** @description Plant response: the plant is on disk. The reply does not repeat the id. */
            200: {
                headers: {
                    /**
                     * @description The store already had this plant, and wrote nothing.
                     * @example true
                     */
                    "Idempotent-Replayed"?: true;
                    /**
                     * @description If your token has a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header
                     *     fields for HTTP").
                     * @example "caller"; r=599; t=60
                     */
                    RateLimit?: string;
                    /**
                     * @description If your token has a limit: it may send `q` requests in `w` seconds.
                     * @example "caller"; q=600; w=60
                     */
                    "RateLimit-Policy"?: string;
                    /**
                     * @description The name of this request in the log of the service. Send your own, of 1 to 128 letters, digits and `._~:/+=-`, or
                     *     the service makes one.
                     * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                     */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plant"];
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
    40011: { error: 40011, message: "a different plant has this id" },
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
