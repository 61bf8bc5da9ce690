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
         * @description Creates a new plant in the store.
         *
         *     - A new `id`: the plant is stored, and is on disk before the answer leaves.
         *     - An `id` that exists with the same `name` and `tag`: the same `200` again, with the header
         *       `Idempotent-Replayed: true`. Nothing is written.
         *     - An `id` that exists with another `name` or `tag`: `400` with error `40011`. The stored plant stays
         *       as it is.
         *
         *     The body is strict JSON in UTF-8, at most 64 KiB (also after decompression; `Content-Encoding: gzip` is
         *     accepted), nested at most 32 levels deep. A member that is unknown or repeated is refused, and so is a lone surrogate.
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
        /** @description The name of the plant. It holds no U+0000. */
        PlantName: string;
        /** @description Tag that specifies the type of the plant. It holds no U+0000. */
        PlantTag: string;
        /** @description A plant, as the store returns it. */
        Plant: {
            name: components["schemas"]["PlantName"];
            tag?: components["schemas"]["PlantTag"];
        };
        /** @description A plant to be added, with its id. */
        NewPlant: {
            /**
             * Format: int64
             * @description Identification number of the plant, chosen by the client: any 64-bit integer. What counts is the value, to
             *     the last digit: `1`, `1.0` and `1e0` are the same id.
             */
            id: bigint;
            name: components["schemas"]["PlantName"];
            tag?: components["schemas"]["PlantTag"];
        };
        /** @description What went wrong: a number for programs, a message for people. */
        Error: {
            /**
             * Format: int32
             * @description The number of the error: the HTTP status followed by two digits. Each keeps its meaning for ever.
             */
            error: 40001 | 40002 | 40003 | 40004 | 40005 | 40006 | 40007 | 40008 | 40009 | 40010 | 40011 | 40100 | 40101 | 40300 | 40400 | 40500 | 40800 | 42900 | 43100 | 50000 | 50300 | 50301;
            /** @description What went wrong and what to do about it, in English. */
            message: string;
        };
    };
    responses: {
        /**
         * @description Unexpected error: the request is not one that this operation can answer. Nothing was stored. Mend the
         *     request; the same request will get the same answer.
         */
        BadRequest: {
            headers: {
                /**
                 * @description What is left of the limit of this caller, where there is one: `r` requests, until a new time begins in `t` seconds
                 *     (IETF draft "RateLimit header fields for HTTP"). A reply that comes before the caller is known does not have it.
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description The limit of this caller, where there is one: `q` requests in `w` seconds. Sent beside `RateLimit`.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description Names this request in the service's log. Taken over from the request if it sent one of 1 to 128 letters,
                 *     digits and `._~:/+=-`, else made by the service.
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
         * @description The request carries no valid access token. It was refused before its body was read, and the connection is
         *     closed if a body was on its way. A JSON Web Token is valid if the identity provider signed it, for this
         *     service, and it has not expired.
         */
        Unauthorized: {
            headers: {
                /**
                 * @description How to authenticate (RFC 6750, section 3): `Bearer`, with `error="invalid_token"` if a token was sent that is
                 *     not valid, or `error="insufficient_scope"` and the `scope` that it must have.
                 * @example Bearer error="invalid_token"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description What is left of the limit of this caller, where there is one: `r` requests, until a new time begins in `t` seconds
                 *     (IETF draft "RateLimit header fields for HTTP"). A reply that comes before the caller is known does not have it.
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description The limit of this caller, where there is one: `q` requests in `w` seconds. Sent beside `RateLimit`.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description Names this request in the service's log. Taken over from the request if it sent one of 1 to 128 letters,
                 *     digits and `._~:/+=-`, else made by the service.
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
         * @description The access token is valid, but not for this: it lacks a scope. The request was refused before its body was
         *     read, and the connection is closed if a body was on its way.
         */
        Forbidden: {
            headers: {
                /**
                 * @description How to authenticate (RFC 6750, section 3): `Bearer`, with `error="invalid_token"` if a token was sent that is
                 *     not valid, or `error="insufficient_scope"` and the `scope` that it must have.
                 * @example Bearer error="invalid_token"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description What is left of the limit of this caller, where there is one: `r` requests, until a new time begins in `t` seconds
                 *     (IETF draft "RateLimit header fields for HTTP"). A reply that comes before the caller is known does not have it.
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description The limit of this caller, where there is one: `q` requests in `w` seconds. Sent beside `RateLimit`.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description Names this request in the service's log. Taken over from the request if it sent one of 1 to 128 letters,
                 *     digits and `._~:/+=-`, else made by the service.
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
         * @description More requests came from this caller than whoever operates the service allows in a time. Nothing was stored, and
         *     the body was not read. Send the same plant again after the seconds named by `Retry-After`.
         */
        TooManyRequests: {
            headers: {
                /**
                 * @description After how many seconds to try again (RFC 9110, section 10.2.3).
                 * @example 1
                 */
                "Retry-After"?: number;
                /**
                 * @description What is left of the limit of this caller, where there is one: `r` requests, until a new time begins in `t` seconds
                 *     (IETF draft "RateLimit header fields for HTTP"). A reply that comes before the caller is known does not have it.
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description The limit of this caller, where there is one: `q` requests in `w` seconds. Sent beside `RateLimit`.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description Names this request in the service's log. Taken over from the request if it sent one of 1 to 128 letters,
                 *     digits and `._~:/+=-`, else made by the service.
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
         * @description Any other failure, in the same shape. With `500` or `503` nothing is known to be stored: send the same
         *     plant again, after the seconds named by `Retry-After` where it is sent.
         */
        Failure: {
            headers: {
                /**
                 * @description After how many seconds to try again (RFC 9110, section 10.2.3).
                 * @example 1
                 */
                "Retry-After"?: number;
                /**
                 * @description What is left of the limit of this caller, where there is one: `r` requests, until a new time begins in `t` seconds
                 *     (IETF draft "RateLimit header fields for HTTP"). A reply that comes before the caller is known does not have it.
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description The limit of this caller, where there is one: `q` requests in `w` seconds. Sent beside `RateLimit`.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description Names this request in the service's log. Taken over from the request if it sent one of 1 to 128 letters,
                 *     digits and `._~:/+=-`, else made by the service.
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
         * @description Sent, as `true`, when the plant was there already and nothing was written.
         * @example true
         */
        "Idempotent-Replayed": true;
        /**
         * @description What is left of the limit of this caller, where there is one: `r` requests, until a new time begins in `t` seconds
         *     (IETF draft "RateLimit header fields for HTTP"). A reply that comes before the caller is known does not have it.
         * @example "caller"; r=599; t=60
         */
        RateLimit: string;
        /**
         * @description The limit of this caller, where there is one: `q` requests in `w` seconds. Sent beside `RateLimit`.
         * @example "caller"; q=600; w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description After how many seconds to try again (RFC 9110, section 10.2.3).
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description How to authenticate (RFC 6750, section 3): `Bearer`, with `error="invalid_token"` if a token was sent that is
         *     not valid, or `error="insufficient_scope"` and the `scope` that it must have.
         * @example Bearer error="invalid_token"
         */
        "WWW-Authenticate": string;
        /**
         * @description Names this request in the service's log. Taken over from the request if it sent one of 1 to 128 letters,
         *     digits and `._~:/+=-`, else made by the service.
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
        /** @description The plant to add, with the id that the client chose for it. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPlant"];
            };
        };
        responses: {
            /** @description Plant response: the plant is in the store, on disk. The id is not repeated; the client chose it. */
            200: {
                headers: {
                    /**
                     * @description Sent, as `true`, when the plant was there already and nothing was written.
                     * @example true
                     */
                    "Idempotent-Replayed"?: true;
                    /**
                     * @description What is left of the limit of this caller, where there is one: `r` requests, until a new time begins in `t` seconds
                     *     (IETF draft "RateLimit header fields for HTTP"). A reply that comes before the caller is known does not have it.
                     * @example "caller"; r=599; t=60
                     */
                    RateLimit?: string;
                    /**
                     * @description The limit of this caller, where there is one: `q` requests in `w` seconds. Sent beside `RateLimit`.
                     * @example "caller"; q=600; w=60
                     */
                    "RateLimit-Policy"?: string;
                    /**
                     * @description Names this request in the service's log. Taken over from the request if it sent one of 1 to 128 letters,
                     *     digits and `._~:/+=-`, else made by the service.
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
