// Reads a verb's options: what takes one value is given once, because the other one would be lost without a word.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './command';

/** As node's parseArgs. Throws UsageError when an option that takes one value is repeated; a switch may be, and lists add up. */
export function parseOptions<const T extends ParseArgsConfig & { readonly args: string[] }>(
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const given = new Map<string, string[]>();
  const { tokens = [] } = parseArgs({ ...config, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || token.value === undefined) continue;
    const option = config.options?.[token.name];
    if (option?.type !== 'string' || option.multiple === true) continue;
    given.set(token.name, [...(given.get(token.name) ?? []), token.value]);
  }
  const parsed = parseArgs(config);
  for (const [name, values] of given) {
    if (values.length < 2) continue;
    throw new UsageError(
      `--${name} is given ${values.length === 2 ? 'twice' : `${values.length} times`} (${values.join('; ')}) and takes one value: leave out all but one`,
    );
  }
  return parsed;
}
