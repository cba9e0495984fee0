// Where a server's API key comes from: the environment first, the config then; never an argument.
import type { LoadedConfig } from '../config/load';
import type { CliIo } from './command';

export const KEY_VARIABLE = 'ISOPERF_API_KEY';

/** @param variable of the environment, which wins */
export function apiKeyFor(variable: string, { config }: LoadedConfig, env: CliIo['env']): string | undefined {
  const fromEnvironment = env[variable];
  if (fromEnvironment !== undefined && fromEnvironment !== '') return fromEnvironment;
  const configured = config.server?.api_key ?? undefined;
  if (configured !== undefined && configured !== '') return configured;
  const host = URL.canParse(config.server?.base_url ?? '') ? new URL(config.server!.base_url).hostname : '';
  return /(^|\.)openai\.com$/.test(host) ? env['OPENAI_API_KEY'] : undefined;
}
