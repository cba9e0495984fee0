// The name of a pitfall.

/** `CMP` and three digits. */
export type PitfallCode = `CMP${string}`;
