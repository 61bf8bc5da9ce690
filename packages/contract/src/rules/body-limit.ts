export const DEFAULT_BODY_BYTES = 64 * 1024;
/** To check 1 MiB takes at most half a second, in which the process answers no other request (`test:attacks`). */
export const MAX_BODY_BYTES = 1024 * 1024;
/** The same where all bodies are bytes: nothing but their length is checked. */
export const MAX_BINARY_BODY_BYTES = 16 * 1024 * 1024;
/** Bytes of one reply. */
export const MAX_REPLY_BYTES = 16 * 1024 * 1024;
