// Generated from types.yaml by a test, which writes it anew when it fails. Do not edit.

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
    "/shares/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["accept the share"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/beds/{bed-id}": {
        parameters: {
            query?: never;
            header?: {
                "X-Trace"?: string;
            };
            path: {
                "bed-id": bigint;
            };
            cookie?: never;
        };
        get?: never;
        put: operations["putBed"];
        post?: never;
        delete: operations["clearBed"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["addPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/seeds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["sowSeeds"];
        post: operations["addSeed"];
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["keepSeeds"];
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Seed: {
            /** Format: int64 */
            id: bigint;
            name: string;
            tag?: string;
        };
        Open: {
            /** Format: int64 */
            id: bigint;
            name: string;
            tag?: string;
        } & {
            [key: string]: unknown;
        };
        Kept: {
            seed: components["schemas"]["Open"];
            list: components["schemas"]["Open"][];
            none: components["schemas"]["Open"] | null;
            joined: {
                [key: string]: unknown;
            } & components["schemas"]["Seed"];
            branch: {
                [key: string]: unknown;
            } & components["schemas"]["Seed"];
        };
        Sowing: {
            first: components["schemas"]["Seed"];
            others: components["schemas"]["Seed"][];
            last: components["schemas"]["Seed"] | null;
            packed: {
                /** Format: int64 */
                id: bigint;
                name: string;
            };
            then?: components["schemas"]["Sowing"];
        };
        /**
         * @default up
         * @enum {string}
         */
        Order: "up" | "down";
        /** Format: int64 */
        Id: bigint;
        Bed: {
            id: $Read<components["schemas"]["Id"]>;
            secret: $Write<string>;
            name: string;
            /**
             * Format: int64
             * @default 1
             */
            rows: bigint;
            /**
             * Format: int64
             * @default 9007199254740993
             */
            size?: bigint | undefined;
            /** @default up */
            order?: components["schemas"]["Order"] | undefined;
            /** @default null */
            note?: (string | null) | undefined;
            within?: components["schemas"]["Bed"][];
        };
        /** Format: int64 */
        Serial: bigint;
        Numbers: {
            /** Format: int64 */
            nullable?: bigint | null;
            either?: bigint | string;
            /**
             * Format: int64
             * @constant
             */
            one?: 9007199254740993n;
            /** @enum {unknown} */
            words?: "a" | "b";
            /**
             * Format: int64
             * @enum {unknown}
             */
            some?: 1n | -9223372036854775808n | null;
            bounded?: components["schemas"]["Serial"] & bigint & unknown;
            /** @enum {unknown} */
            nothing?: null;
            nothingOr?: components["schemas"]["Dog"] | null;
            /** @enum {string} */
            notNull?: "a";
            /** @enum {unknown} */
            noObject?: "a" | {
                a: 1;
            };
            /** @enum {integer} */
            impossible?: never;
            list?: (1n | 2n)[];
            pair?: [
                bigint,
                string
            ];
            open?: [
                bigint,
                string?,
                ...unknown[]
            ];
            map?: {
                [key: string]: bigint;
            };
            titled?: {
                title?: string;
            } & {
                [key: string]: bigint | string;
            };
            counted?: {
                total?: number;
            } & {
                [key: string]: bigint | number;
            };
            /**
             * Format: int32
             * @enum {integer}
             */
            small?: 1 | 2;
            real?: number;
            defined?: string;
            patterned?: {
                a?: string;
            } & {
                [key: string]: unknown | number;
            };
            closed?: {
                a?: string;
            } & {
                [key: string]: string | number;
            };
            any?: {
                [key: string]: unknown;
            };
            empty?: {
                [key: string]: unknown;
            };
            mixed?: components["schemas"]["Serial"] | number;
            none?: Record<string, never>;
            /** @enum {unknown} */
            objects?: {
                a: 1;
            } | {
                type: "string";
            };
            barred?: never;
            beside?: {
                name: string;
            } & components["schemas"]["Cat"];
            both?: {
                a?: string;
            } & ({
                b: string;
            } | {
                /** Format: int64 */
                c: bigint;
            });
            described?: components["schemas"]["Described"];
        };
        /**
         * @description an object whose members have the names of keywords
         * @example {
         *       "in": "x",
         *       "schema": {
         *         "default": 1
         *       },
         *       "discriminator": {
         *         "propertyName": "x"
         *       },
         *       "operationId": "x",
         *       "parameters": [
         *         "x"
         *       ],
         *       "anyOf": [
         *         "x"
         *       ]
         *     }
         */
        Described: {
            in?: string;
            schema?: {
                /** @default x */
                propertyName?: string | undefined;
            };
            discriminator?: {
                propertyName?: string;
            };
            operationId?: string;
            parameters?: string[];
            anyOf?: string[];
            properties?: {
                [key: string]: string;
            };
            /** @constant */
            format?: "int64";
        };
        Cat: {
            /** @constant */
            kind: "cat";
            /** Format: int32 */
            lives: number;
        };
        Dog: {
            /** @enum {unknown} */
            kind: "dog" | "hound";
            tricks?: string;
        };
        Pet: components["schemas"]["Cat"] | components["schemas"]["Dog"];
    };
    responses: {
        /** @description a bed */
        Bed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Bed"];
            };
        };
    };
    parameters: {
        Authorization: string;
        Page: number | undefined;
    };
    requestBodies: never;
    headers: {
        "X-Count": bigint;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "accept the share": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description it is gone */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": "gone";
                };
            };
            /** @description it is elsewhere */
            "3XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description it has failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    putBed: {
        parameters: {
            query?: {
                page?: components["parameters"]["Page"];
                limit?: bigint | undefined;
                order?: components["schemas"]["Order"] | undefined;
                after?: bigint;
            };
            header?: {
                "X-Trace"?: string;
            };
            path: {
                "bed-id": bigint;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Bed"];
            };
        };
        responses: {
            200: components["responses"]["Bed"];
            201: components["responses"]["Bed"];
            /** @description nothing has changed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description it has failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    clearBed: {
        parameters: {
            query?: never;
            header?: {
                "X-Trace"?: string;
            };
            path: {
                "bed-id": bigint;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    why?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description the numbers */
            200: {
                headers: {
                    "X-Count": bigint;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Numbers"];
                };
            };
            /** @description it has failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    addPet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Pet"];
            };
        };
        responses: {
            /** @description a value */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description never sent */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": never;
                };
            };
            /** @description it has failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    sowSeeds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Sowing"];
            };
        };
        responses: {
            /** @description it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sowing"];
                };
            };
            /** @description it has failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    addSeed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Seed"];
            };
        };
        responses: {
            /** @description it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Seed"];
                };
            };
            /** @description it has failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    keepSeeds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Kept"];
            };
        };
        responses: {
            /** @description kept */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description it has failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
}
export type ErrorNumber = number;
export const errors = {
} as const;
