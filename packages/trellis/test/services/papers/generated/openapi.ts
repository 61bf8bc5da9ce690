// Generated from openapi.yaml by `npm run generate`. Do not edit.

export interface paths {
    "/papers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the paper. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /** Fetch a paper */
        get: operations["getPaper"];
        /** Keep a paper */
        put: operations["putPaper"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scans/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the scan. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /** Fetch a scan */
        get: operations["getScan"];
        /** Keep a scan */
        put: operations["putScan"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notes.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch all notes */
        get: operations["listNotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notes/{id}.html": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the note. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /** Show a note */
        get: operations["showNote"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the note. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /** Look a note up */
        get: operations["getNote"];
        /** Keep a note */
        put: operations["putNote"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/zeros": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch zeros */
        get: operations["getZeros"];
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
        /**
         * Format: uuid
         * @description A UUID, in small letters.
         * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
         */
        Id: string;
        /**
         * Format: binary
         * @description Anything.
         */
        Bytes: string;
        /** @description What is known of a paper. */
        Kept: {
            id: components["schemas"]["Id"];
            /**
             * Format: int32
             * @description Its bytes.
             */
            size: number;
            /** @description Its type. */
            mediaType: string;
        };
        /** @description A note. */
        Note: {
            id: components["schemas"]["Id"];
            /**
             * @description What was noted, without U+0000.
             * @example Water the Monstera
             */
            text: string;
        };
        /** @description What went wrong. */
        Error: {
            /**
             * Format: int32
             * @description The HTTP status, followed by two digits.
             */
            error: ErrorNumber;
            /**
             * @description The fault and its cure, in English.
             * @example a different note with this id exists
             */
            message: string;
        };
    };
    responses: {
        /** @description The request has a fault. Mend what the message names. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40010,
                 *       "message": "body.text must not be empty"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request has no valid access token. */
        Unauthorized: {
            headers: {
                /**
                 * @description Which token is needed (RFC 6750, section 3).
                 * @example Bearer realm="api", error="invalid_token"
                 */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40100,
                 *       "message": "the request has no access token"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no note with this id. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40401,
                 *       "message": "there is no note with this id"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The id belongs to a different note, which stays as it is. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40901,
                 *       "message": "a different note with this id exists"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description This token has used up its limit. Nothing was done. */
        TooManyRequests: {
            headers: {
                /** @description Wait this many seconds before you try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 42900,
                 *       "message": "the token has used up its limit, try again later"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other error. After `500` or `503` send the same request again. */
        Failure: {
            headers: {
                /** @description Wait this many seconds before you try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 50000,
                 *       "message": "the service failed"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Wait this many seconds before you try again. */
        "Retry-After": number;
        /**
         * @description Which token is needed (RFC 6750, section 3).
         * @example Bearer realm="api", error="invalid_token"
         */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getPaper: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the paper. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The paper. */
            200: {
                headers: {
                    /** @description Its tag. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": Uint8Array;
                };
            };
            /** @description As it was. */
            304: {
                headers: {
                    /** @description Its tag. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    putPaper: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the paper. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/pdf": Uint8Array;
                "image/png": Uint8Array;
            };
        };
        responses: {
            /** @description The paper is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Kept"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    getScan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the scan. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": Uint8Array;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    putScan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the scan. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/octet-stream": Uint8Array;
            };
        };
        responses: {
            /** @description The scan is stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Kept"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    listNotes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    showNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the note. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The note. */
            200: {
                headers: {
                    /** @description What the note may load. */
                    "Content-Security-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    getNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the note. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The note. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    putNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the note. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/plain": string;
                "application/json": components["schemas"]["Note"];
            };
        };
        responses: {
            /** @description The note. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    getZeros: {
        parameters: {
            query: {
                /** @description How many. */
                count: number;
                /** @description How to break the reply. */
                broken?: "string" | "long" | "later";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Zeros. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": Uint8Array;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
}
export type ErrorNumber = 40001 | 40002 | 40003 | 40004 | 40005 | 40006 | 40007 | 40008 | 40009 | 40010 | 40099 | 40100 | 40101 | 40300 | 40400 | 40401 | 40500 | 40800 | 40901 | 41400 | 42900 | 43100 | 50000 | 50100 | 50300 | 50301 | 50500;
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
    40099: { error: 40099, message: "the request takes too much work to check" },
    40100: { error: 40100, message: "the request has no access token" },
    40101: { error: 40101, message: "the access token is unknown, revoked or expired" },
    40300: { error: 40300, message: "the access token lacks a scope" },
    40400: { error: 40400, message: "the path does not exist" },
    40401: { error: 40401, message: "there is no note with this id" },
    40500: { error: 40500, message: "the path does not have this method" },
    40800: { error: 40800, message: "the request took too long to arrive" },
    40901: { error: 40901, message: "a different note with this id exists" },
    41400: { error: 41400, message: "the request target is too long" },
    42900: { error: 42900, message: "the token has used up its limit; try again after the seconds of Retry-After" },
    43100: { error: 43100, message: "the header fields are too many, or too large" },
    50000: { error: 50000, message: "the service failed; its log has the cause, under the request id" },
    50100: { error: 50100, message: "the service does not support this transfer coding" },
    50300: { error: 50300, message: "the service is busy, or its store is away; try again" },
    50301: { error: 50301, message: "the service cannot check the access token at present; try again" },
    50500: { error: 50500, message: "the service does not support this version of HTTP" },
} as const;
