// How often a property is tried: `npm run fuzz` multiplies it.
const scale = Number(process.env['FC_SCALE'] ?? 1);
if (!(scale > 0)) throw new Error(`FC_SCALE is no number above 0: ${process.env['FC_SCALE']}`);

export function runs(usual: number): number {
  return Math.ceil(usual * scale);
}
