// Property tests draw the same inputs on every run of CI. Elsewhere they draw new ones; a failure names its seed, and FC_SEED brings it back.
import fc from 'fast-check';

const asked = process.env['FC_SEED'];
const seed = asked === undefined ? (process.env['CI'] ? 20261130 : Date.now() % 2 ** 31) : Number(asked);
if (!Number.isSafeInteger(seed)) throw new Error(`FC_SEED is no whole number: ${asked}`);

fc.configureGlobal({ seed });
