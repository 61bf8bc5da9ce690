// Generated from openapi.yaml by `npm run generate`. Do not edit.

export interface paths {
    "/currencies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the currencies
         * @description Needs no token.
         */
        get: operations["listCurrencies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts
         * @description Lists accounts in the order of their ids, a page at a time, also closed ones.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Open an account
         * @description Opens an account with what was paid in. What you get depends on the `id`:
         *
         *     - A new `id`: the account is on disk, then you get `201`.
         *     - The `id` of an account with this `owner`, `currency` and `opening_balance`: you get `201` again, with the header
         *       `Idempotent-Replayed: true` and the account as it is now: transfers may have changed `balance` and the `ETag`.
         *     - The `id` of any other account: `409` with error `40911`. An account whose owner has changed is another one.
         *     - The `id` of a closed account: `409` with error `40912`. No second account ever has the id.
         */
        post: operations["openAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id that the client has chosen.
                 * @example 7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        /** Get an account */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        /**
         * Close an account
         * @description Closes an account without money. It stays readable, and its transfers too. You may close it again, with the same
         *     answer.
         */
        delete: operations["closeAccount"];
        options?: never;
        head?: never;
        /**
         * Change the owner or the contact of an account
         * @description Changes the owner and the contact, with a merge patch (RFC 7396), if the account is as you have seen it: send the
         *     `ETag` of the account in `If-Match`. What the patch leaves out stays, also within the contact, and `null` removes. After another change, also a transfer, you get `412`, and the account stays.
         */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/accounts/{id}/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id that the client has chosen.
                 * @example 7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        /**
         * List the transfers of an account
         * @description Lists the transfers from and to an account from the newest, a page at a time.
         */
        get: operations["listTransfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move money
         * @description Moves money from one account to another. The same transfer again gets the same answer, with the header
         *     `Idempotent-Replayed: true`, and moves nothing. `409` has a number for each reason why the bank moves nothing:
         *
         *     - `40914`: a different transfer has this id;
         *     - `40915`, `40916`, `40917`: the accounts are one, or one of them does not exist or is closed;
         *     - `40918`: the accounts have different currencies;
         *     - `40919`, `40920`: one balance is too small, or the other would be too large.
         *
         *     After any of them but `40914` the id is free: you may send it again when the reason is gone.
         */
        post: operations["transfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transfers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id that the client has chosen.
                 * @example 1d0f0f6e-55c5-4b8e-8a7f-5b7d3c1c2b02
                 */
                id: components["parameters"]["TransferId"];
            };
            cookie?: never;
        };
        /** Get a transfer */
        get: operations["getTransfer"];
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
         * @example 7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01
         */
        Id: string;
        /**
         * @description The name of the owner, without U+0000.
         * @example Ada Lovelace
         */
        Owner: string;
        /** @description How the bank reaches the owner. */
        Contact: {
            /**
             * Format: email
             * @description An address.
             */
            email?: string;
            /**
             * @description A number, with the code of its country (E.164).
             * @example +441632960961
             */
            phone?: string;
        };
        /**
         * @description The code of a currency (ISO 4217).
         * @enum {string}
         */
        Currency: "EUR" | "GBP" | "JPY" | "KWD" | "USD";
        /**
         * Format: int64
         * @description An amount in the smallest unit of the currency, such as cents.
         */
        Money: bigint;
        /**
         * Format: date-time
         * @description In UTC, with milliseconds (RFC 3339).
         */
        Time: string;
        /**
         * @description Where a page begins. It is opaque; clients send it back as it is.
         * @example WyI3YzFmNmE5ZSJd
         */
        Cursor: string;
        /**
         * @description Where a page of transfers begins. Only the list of transfers takes it.
         * @example WyIyMDI2LTExLTIwVDA4OjMwOjAwLjAwMFoiLCIxZDBmMGY2ZSJd
         */
        TransferCursor: components["schemas"]["Cursor"];
        /** @description A currency, and how it is written. */
        CurrencyInfo: {
            code: components["schemas"]["Currency"];
            /**
             * Format: int32
             * @description The digits behind the point; with 2, 1250 is written 12.50.
             */
            digits: number;
        };
        /** @description An account to open. */
        NewAccount: {
            id: components["schemas"]["Id"];
            owner: components["schemas"]["Owner"];
            currency: components["schemas"]["Currency"];
            opening_balance: components["schemas"]["Money"];
            contact?: components["schemas"]["Contact"];
        };
        /** @description An account. `closed_at` is there once it is closed. */
        Account: {
            id: components["schemas"]["Id"];
            owner: components["schemas"]["Owner"];
            currency: components["schemas"]["Currency"];
            opening_balance: components["schemas"]["Money"];
            balance: components["schemas"]["Money"];
            contact?: components["schemas"]["Contact"];
            opened_at: components["schemas"]["Time"];
            closed_at?: components["schemas"]["Time"];
        };
        /** @description What to change of an account. */
        AccountPatch: {
            owner?: components["schemas"]["Owner"];
            /** @description What to change of the contact, or null without one. */
            contact?: {
                /**
                 * Format: email
                 * @description Another address
                 */
                email?: string | null;
                /**
                 * @description Another number
                 * @example +441632960962
                 */
                phone?: string | null;
            } | null;
        };
        /** @description What an account must have. */
        AccountFilter: {
            currency?: components["schemas"]["Currency"];
            min_balance?: components["schemas"]["Money"];
            /** @description Whether it is closed. */
            closed?: boolean;
        };
        /** @description Accounts, and where the next page begins, if there is one. */
        AccountPage: {
            accounts: components["schemas"]["Account"][];
            next?: components["schemas"]["Cursor"];
        };
        /** @description Money to move. The two accounts differ, and have one currency. */
        NewTransfer: {
            id: components["schemas"]["Id"];
            from_account: components["schemas"]["Id"];
            to_account: components["schemas"]["Id"];
            amount: components["schemas"]["Amount"];
            reference?: components["schemas"]["Reference"];
        };
        /** @description Money that has moved. */
        Transfer: {
            id: components["schemas"]["Id"];
            from_account: components["schemas"]["Id"];
            to_account: components["schemas"]["Id"];
            amount: components["schemas"]["Amount"];
            reference?: components["schemas"]["Reference"];
            at: components["schemas"]["Time"];
        };
        /**
         * Format: int64
         * @description An amount in the smallest unit of the currency, at least 1.
         */
        Amount: bigint;
        /**
         * @description What the transfer is for, without U+0000.
         * @example rent
         */
        Reference: string;
        /** @description Transfers, and where the next page begins, if there is one. */
        TransferPage: {
            transfers: components["schemas"]["Transfer"][];
            next?: components["schemas"]["TransferCursor"];
        };
        /** @description An error has a number for your program, and a message for you. */
        Error: {
            /**
             * Format: int32
             * @description The HTTP status and two digits. A number never changes its meaning. These are of the bank; the others are of any
             *     service, such as 40010 for a request that breaks the contract.
             *
             *     | error | meaning                                                            |
             *     | ----- | ------------------------------------------------------------------ |
             *     | 40011 | The cursor is not one of this list                                 |
             *     | 40411 | There is no account with this id                                   |
             *     | 40412 | There is no transfer with this id                                  |
             *     | 40911 | A different account has this id                                    |
             *     | 40912 | The account is closed                                              |
             *     | 40913 | The account still has money                                        |
             *     | 40914 | A different transfer has this id                                   |
             *     | 40915 | A transfer needs two accounts that differ                          |
             *     | 40916 | An account of the transfer does not exist                          |
             *     | 40917 | An account of the transfer is closed                               |
             *     | 40918 | The accounts have different currencies                             |
             *     | 40919 | The balance is less than the amount                                |
             *     | 40920 | The balance would be more than 9223372036854775807                 |
             *     | 41211 | The account has changed: get it, and send its new ETag in If-Match |
             *     | 42811 | The request has no If-Match: get the account, and send its ETag    |
             */
            error: ErrorNumber;
            /**
             * @description The fault and its cure, in English.
             * @example there is no account with this id
             */
            message: string;
        };
    };
    responses: {
        /** @description The account as it is now. */
        Account: {
            headers: {
                /**
                 * @description Names this state of the account, for `If-Match`. Each change of the account makes another one.
                 * @example "1"
                 */
                ETag: string;
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Account"];
            };
        };
        /** @description The request has a fault, and nothing was stored. Mend what the message names. */
        BadRequest: {
            headers: {
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40010,
                 *       "message": "query.colour is not allowed"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request has no valid access token. */
        Unauthorized: {
            headers: {
                /**
                 * @description How to authenticate (RFC 6750, section 3), and the scope that the token needs.
                 * @example Bearer realm="api", error="invalid_token"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40100,
                 *       "message": "send an access token: Authorization: Bearer <ACCESS_TOKEN>"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The access token lacks a scope, which `WWW-Authenticate` names. */
        ReadForbidden: {
            headers: {
                /**
                 * @description How to authenticate (RFC 6750, section 3), and the scope that the token needs.
                 * @example Bearer realm="api", error="invalid_token"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40300,
                 *       "message": "the access token must have the scope bank:read"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The access token lacks a scope, which `WWW-Authenticate` names. */
        WriteForbidden: {
            headers: {
                /**
                 * @description How to authenticate (RFC 6750, section 3), and the scope that the token needs.
                 * @example Bearer realm="api", error="invalid_token"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40300,
                 *       "message": "the access token must have the scope bank:write"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The access token lacks a scope, which `WWW-Authenticate` names. */
        AdminForbidden: {
            headers: {
                /**
                 * @description How to authenticate (RFC 6750, section 3), and the scope that the token needs.
                 * @example Bearer realm="api", error="invalid_token"
                 */
                "WWW-Authenticate": string;
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40300,
                 *       "message": "the access token must have the scope bank:admin"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no account with this id. */
        NotFound: {
            headers: {
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40411,
                 *       "message": "there is no account with this id"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no transfer with this id. */
        NoTransfer: {
            headers: {
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40412,
                 *       "message": "there is no transfer with this id"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description What is stored does not allow it, for the reason that the number says. Nothing has changed. */
        AccountExists: {
            headers: {
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40911,
                 *       "message": "a different account has this id"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description What is stored does not allow it, for the reason that the number says. Nothing has changed. */
        AccountClosed: {
            headers: {
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40912,
                 *       "message": "the account is closed"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description What is stored does not allow it, for the reason that the number says. Nothing has changed. */
        AccountHasMoney: {
            headers: {
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40913,
                 *       "message": "the account still has money"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description What is stored does not allow it, for the reason that the number says. Nothing has changed. */
        Conflict: {
            headers: {
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40919,
                 *       "message": "the balance is less than the amount"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The account is not as `If-Match` says. Nothing has changed. */
        Changed: {
            headers: {
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 41211,
                 *       "message": "the account has changed: get it, and send its new ETag in If-Match"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request must have `If-Match` (RFC 6585, section 3). Nothing has changed. */
        Unconditional: {
            headers: {
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 42811,
                 *       "message": "the request has no If-Match: get the account, and send its ETag"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description You sent more requests than your token may send. Wait for the seconds of `Retry-After`. */
        TooManyRequests: {
            headers: {
                /**
                 * @description Wait this many seconds before you try again (RFC 9110, section 10.2.3).
                 * @example 1
                 */
                "Retry-After"?: number;
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 42900,
                 *       "message": "too many requests: try again in 12 seconds"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description Any other error. After `500` or `503` the bank may have done what you asked or not: wait for the seconds of `Retry-After`,
         *     if the reply has it, then send the same request again.
         */
        Failure: {
            headers: {
                /**
                 * @description Wait this many seconds before you try again (RFC 9110, section 10.2.3).
                 * @example 1
                 */
                "Retry-After"?: number;
                /**
                 * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                 *     HTTP").
                 * @example "caller"; r=599; t=60
                 */
                RateLimit?: string;
                /**
                 * @description If there is a limit: you may send `q` requests in `w` seconds.
                 * @example "caller"; q=600; w=60
                 */
                "RateLimit-Policy"?: string;
                /**
                 * @description The name of this request in the log. Send your own, or the service makes one.
                 * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                 */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 50300,
                 *       "message": "the store is not available: try again; request id 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description The id that the client has chosen.
         * @example 7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01
         */
        Id: components["schemas"]["Id"];
        /**
         * @description The id that the client has chosen.
         * @example 1d0f0f6e-55c5-4b8e-8a7f-5b7d3c1c2b02
         */
        TransferId: components["schemas"]["Id"];
        /** @description The most items of a page. */
        Limit: number | undefined;
        /** @description `next` of the page before. Send the other parameters as for that page. */
        Cursor: components["schemas"]["Cursor"];
        /** @description `next` of the page before. */
        TransferCursor: components["schemas"]["TransferCursor"];
    };
    requestBodies: never;
    headers: {
        /**
         * @description Names this state of the account, for `If-Match`. Each change of the account makes another one.
         * @example "1"
         */
        ETag: string;
        /**
         * @description The bank has done this before, and has done nothing now.
         * @example true
         */
        "Idempotent-Replayed": true;
        /**
         * @description Where to get what you have made, relative to the address of your request (RFC 9110, section 10.2.2).
         * @example accounts/7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01
         */
        Location: string;
        /**
         * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
         *     HTTP").
         * @example "caller"; r=599; t=60
         */
        RateLimit: string;
        /**
         * @description If there is a limit: you may send `q` requests in `w` seconds.
         * @example "caller"; q=600; w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Wait this many seconds before you try again (RFC 9110, section 10.2.3).
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description How to authenticate (RFC 6750, section 3), and the scope that the token needs.
         * @example Bearer realm="api", error="invalid_token"
         */
        "WWW-Authenticate": string;
        /**
         * @description The name of this request in the log. Send your own, or the service makes one.
         * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
         */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listCurrencies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All currencies in which an account can be. */
            200: {
                headers: {
                    /**
                     * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                     *     HTTP").
                     * @example "caller"; r=599; t=60
                     */
                    RateLimit?: string;
                    /**
                     * @description If there is a limit: you may send `q` requests in `w` seconds.
                     * @example "caller"; q=600; w=60
                     */
                    "RateLimit-Policy"?: string;
                    /**
                     * @description The name of this request in the log. Send your own, or the service makes one.
                     * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                     */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "code": "EUR",
                     *         "digits": 2
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["CurrencyInfo"][];
                };
            };
            400: components["responses"]["BadRequest"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /** @description Only accounts of this owner, to the letter. */
                owner?: components["schemas"]["Owner"];
                /**
                 * @description Only accounts for which all of it holds, as `filter[currency]=EUR&filter[min_balance]=1`.
                 * @example {
                 *       "currency": "EUR"
                 *     }
                 */
                filter?: components["schemas"]["AccountFilter"];
                /** @description The most items of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next` of the page before. Send the other parameters as for that page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of accounts. */
            200: {
                headers: {
                    /**
                     * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                     *     HTTP").
                     * @example "caller"; r=599; t=60
                     */
                    RateLimit?: string;
                    /**
                     * @description If there is a limit: you may send `q` requests in `w` seconds.
                     * @example "caller"; q=600; w=60
                     */
                    "RateLimit-Policy"?: string;
                    /**
                     * @description The name of this request in the log. Send your own, or the service makes one.
                     * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                     */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadForbidden"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    openAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The account, with an id that you choose. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAccount"];
            };
        };
        responses: {
            /** @description The account is open. */
            201: {
                headers: {
                    /**
                     * @description Where to get what you have made, relative to the address of your request (RFC 9110, section 10.2.2).
                     * @example accounts/7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01
                     */
                    Location: string;
                    /**
                     * @description Names this state of the account, for `If-Match`. Each change of the account makes another one.
                     * @example "1"
                     */
                    ETag: string;
                    /**
                     * @description The bank has done this before, and has done nothing now.
                     * @example true
                     */
                    "Idempotent-Replayed"?: true;
                    /**
                     * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                     *     HTTP").
                     * @example "caller"; r=599; t=60
                     */
                    RateLimit?: string;
                    /**
                     * @description If there is a limit: you may send `q` requests in `w` seconds.
                     * @example "caller"; q=600; w=60
                     */
                    "RateLimit-Policy"?: string;
                    /**
                     * @description The name of this request in the log. Send your own, or the service makes one.
                     * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                     */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AdminForbidden"];
            409: components["responses"]["AccountExists"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id that the client has chosen.
                 * @example 7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Account"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadForbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    closeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id that the client has chosen.
                 * @example 7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account is closed. */
            204: {
                headers: {
                    /**
                     * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                     *     HTTP").
                     * @example "caller"; r=599; t=60
                     */
                    RateLimit?: string;
                    /**
                     * @description If there is a limit: you may send `q` requests in `w` seconds.
                     * @example "caller"; q=600; w=60
                     */
                    "RateLimit-Policy"?: string;
                    /**
                     * @description The name of this request in the log. Send your own, or the service makes one.
                     * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                     */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AdminForbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["AccountHasMoney"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One or more ETags, or `*` for any (RFC 9110, section 13.1.1). Without it, you get `428`.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id that the client has chosen.
                 * @example 7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": components["schemas"]["AccountPatch"];
            };
        };
        responses: {
            200: components["responses"]["Account"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["WriteForbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["AccountClosed"];
            412: components["responses"]["Changed"];
            428: components["responses"]["Unconditional"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    listTransfers: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next` of the page before. */
                cursor?: components["parameters"]["TransferCursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The id that the client has chosen.
                 * @example 7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of transfers. */
            200: {
                headers: {
                    /**
                     * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                     *     HTTP").
                     * @example "caller"; r=599; t=60
                     */
                    RateLimit?: string;
                    /**
                     * @description If there is a limit: you may send `q` requests in `w` seconds.
                     * @example "caller"; q=600; w=60
                     */
                    "RateLimit-Policy"?: string;
                    /**
                     * @description The name of this request in the log. Send your own, or the service makes one.
                     * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                     */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadForbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    transfer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The transfer, with an id that you choose. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTransfer"];
            };
        };
        responses: {
            /** @description The money has moved. */
            201: {
                headers: {
                    /**
                     * @description Where to get what you have made, relative to the address of your request (RFC 9110, section 10.2.2).
                     * @example accounts/7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01
                     */
                    Location: string;
                    /**
                     * @description The bank has done this before, and has done nothing now.
                     * @example true
                     */
                    "Idempotent-Replayed"?: true;
                    /**
                     * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                     *     HTTP").
                     * @example "caller"; r=599; t=60
                     */
                    RateLimit?: string;
                    /**
                     * @description If there is a limit: you may send `q` requests in `w` seconds.
                     * @example "caller"; q=600; w=60
                     */
                    "RateLimit-Policy"?: string;
                    /**
                     * @description The name of this request in the log. Send your own, or the service makes one.
                     * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                     */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["WriteForbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    getTransfer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id that the client has chosen.
                 * @example 1d0f0f6e-55c5-4b8e-8a7f-5b7d3c1c2b02
                 */
                id: components["parameters"]["TransferId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transfer. */
            200: {
                headers: {
                    /**
                     * @description If there is a limit: you may send `r` more requests in the next `t` seconds (IETF draft "RateLimit header fields for
                     *     HTTP").
                     * @example "caller"; r=599; t=60
                     */
                    RateLimit?: string;
                    /**
                     * @description If there is a limit: you may send `q` requests in `w` seconds.
                     * @example "caller"; q=600; w=60
                     */
                    "RateLimit-Policy"?: string;
                    /**
                     * @description The name of this request in the log. Send your own, or the service makes one.
                     * @example 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10
                     */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadForbidden"];
            404: components["responses"]["NoTransfer"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
}
export type ErrorNumber = 40001 | 40002 | 40003 | 40004 | 40005 | 40006 | 40007 | 40008 | 40009 | 40010 | 40011 | 40099 | 40100 | 40101 | 40300 | 40400 | 40411 | 40412 | 40500 | 40800 | 40911 | 40912 | 40913 | 40914 | 40915 | 40916 | 40917 | 40918 | 40919 | 40920 | 41211 | 41400 | 42811 | 42900 | 43100 | 50000 | 50100 | 50300 | 50301 | 50500;
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
    40011: { error: 40011, message: "the cursor is not one of this list" },
    40099: { error: 40099, message: "the request takes too much work to check" },
    40100: { error: 40100, message: "the request has no access token" },
    40101: { error: 40101, message: "the access token is unknown, revoked or expired" },
    40300: { error: 40300, message: "the access token lacks a scope" },
    40400: { error: 40400, message: "the path does not exist" },
    40411: { error: 40411, message: "there is no account with this id" },
    40412: { error: 40412, message: "there is no transfer with this id" },
    40500: { error: 40500, message: "the path does not have this method" },
    40800: { error: 40800, message: "the request took too long to arrive" },
    40911: { error: 40911, message: "a different account has this id" },
    40912: { error: 40912, message: "the account is closed" },
    40913: { error: 40913, message: "the account still has money" },
    40914: { error: 40914, message: "a different transfer has this id" },
    40915: { error: 40915, message: "a transfer needs two accounts that differ" },
    40916: { error: 40916, message: "an account of the transfer does not exist" },
    40917: { error: 40917, message: "an account of the transfer is closed" },
    40918: { error: 40918, message: "the accounts have different currencies" },
    40919: { error: 40919, message: "the balance is less than the amount" },
    40920: { error: 40920, message: "the balance would be more than 9223372036854775807" },
    41211: { error: 41211, message: "the account has changed: get it, and send its new ETag in If-Match" },
    41400: { error: 41400, message: "the request target is too long" },
    42811: { error: 42811, message: "the request has no If-Match: get the account, and send its ETag" },
    42900: { error: 42900, message: "the token has used up its limit; try again after the seconds of Retry-After" },
    43100: { error: 43100, message: "the header fields are too many, or too large" },
    50000: { error: 50000, message: "the service failed; its log has the cause, under the request id" },
    50100: { error: 50100, message: "the service does not support this transfer coding" },
    50300: { error: 50300, message: "the service is busy, or its store is away; try again" },
    50301: { error: 50301, message: "the service cannot check the access token at present; try again" },
    50500: { error: 50500, message: "the service does not support this version of HTTP" },
} as const;
