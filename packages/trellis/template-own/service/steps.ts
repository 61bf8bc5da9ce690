import type { Steps } from 'trellis';

/** A released step must never change. */
export const steps: Steps = {};
