// One switch for every way that is only faster than a plain one: ISOPERF_SLOW=1 takes the plain ones, to find out whether a fault is theirs.

/**
 * Whether the fast ways are taken: reading sockets in place (client/read-in-place), the short cut through a stream's JSON
 * (client/template), encoding and decoding tokens by tables (datagen/quick-codec), sorting by digits and placing ranks (metrics/radix,
 * metrics/ranks). Each gives what its plain way gives; `npm run fuzz` holds them against each other. Worker threads inherit it.
 *
 * Rooms that import nothing of Node ask too, and may run where there is no process.
 */
export const takesFastPaths = typeof process === 'undefined' || process.env['ISOPERF_SLOW'] !== '1';
