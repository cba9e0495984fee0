// Reads a verb's options: what takes one value is given once, because the other one would be lost without a word.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearest } from '../config/model/suggest';
import { UsageError } from './command';

/**
 * As node's parseArgs. Throws UsageError for an option there is none of, with the nearest there is, and when one that takes one
 * value is repeated; a switch may be, and lists add up.
 */
export function parseOptions<const T extends ParseArgsConfig & { readonly args: string[] }>(
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const given = new Map<string, string[]>();
  const { tokens = [] } = parseArgs({ ...config, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = optionNamed(config, token.name);
    if (option === undefined && token.rawName.startsWith('--')) throw new UsageError(unknownWords(token.name, config));
    if (token.value === undefined) continue;
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

function optionNamed(
  { options = {} }: ParseArgsConfig,
  name: string,
): NonNullable<ParseArgsConfig['options']>[string] | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined;
}

function unknownWords(name: string, { options = {} }: ParseArgsConfig): string {
  const near = nearest(name, Object.keys(options));
  return `there is no option --${name}${near === undefined ? '' : `. Did you mean --${near}?`}`;
}
