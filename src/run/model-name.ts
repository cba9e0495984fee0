// Which model the run asks for, and whether the server has it: said before anything of the run is sent.
import type { Client, ServerFacts } from '../client/types';
import { bodyMaker, ROUTES } from '../datagen/body';
import type { Problem, Result } from '../problem';
import { bodySettings } from './settings';
import type { RunInput, RunOptions } from './types';

interface NamedModel {
  readonly model: string;
  readonly modelSource: string;
}

/** Asking takes no longer: a busy server has then not refused the name. */
const TRIAL_SECONDS = 10;

/** The config's model, else the first that the server lists; RUN015 where neither is known. */
export function modelFor(input: RunInput, facts: ServerFacts): Result<NamedModel> {
  const configured = input.config.server?.model_name;
  if (configured !== null && configured !== undefined && configured !== '') {
    return { ok: true, value: { model: configured, modelSource: 'server.model_name' }, problems: [] };
  }
  const [first] = facts.models ?? [];
  if (first !== undefined) {
    return { ok: true, value: { model: first, modelSource: 'first model of /v1/models' }, problems: [] };
  }
  if (input.config.server?.type !== 'mock') return { ok: false, problems: [noModel(facts)] };
  return { ok: true, value: { model: 'mock', modelSource: 'server.type mock' }, problems: [] };
}

/**
 * RUN025 for a name that the server does not list. It may still be an alias, an adapter or a gateway's route, so one request for one
 * token tries it: an error when the answer is 404, as every other's would be, else a warning. Last of all that is done before the load.
 */
export async function checkServed(
  input: RunInput,
  { endpointKind, stop }: Pick<RunOptions, 'endpointKind' | 'stop'>,
  client: Pick<Client, 'send'>,
  { models }: ServerFacts,
  model: string,
): Promise<Problem[]> {
  // The embedded simulator serves whatever name it is asked for.
  if (!models || models.length === 0 || models.includes(model) || endpointKind === 'simulator') return [];
  const listed = `The server does not list the model '${model}'; it lists ${models.slice(0, 5).join(', ')}`;
  const found = {
    code: 'RUN025',
    path: ['server', 'model_name'],
    remedy: 'Set server.model_name to one of them.',
  } as const;
  if (await isUnknown(input, client, model, stop.noMoreSends)) {
    const message = `Nothing was sent, because every request would fail: the server answered 404 to one token of '${model}'. ${listed}.`;
    return [{ ...found, severity: 'error', message }];
  }
  const message = `${listed}. A request for one token was not refused, so the run goes on: whatever answers may be another model.`;
  return [{ ...found, severity: 'warning', message }];
}

function noModel(facts: ServerFacts): Problem {
  return {
    code: 'RUN015',
    severity: 'error',
    path: ['server', 'model_name'],
    message:
      `Nothing was sent: server.model_name is not set, and the server does not say what it serves. ${facts.notes.join(' ')}`.trim(),
    remedy: 'Set server.model_name.',
  };
}

/** Every other answer, and none in time, leaves it open. */
async function isUnknown(
  { config, directives }: RunInput,
  client: Pick<Client, 'send'>,
  model: string,
  signal: AbortSignal,
): Promise<boolean> {
  // What data of this type is sent by, whatever api.type says.
  const api = config.data.type === 'shared_prefix' ? 'completion' : config.api.type;
  const settings = { ...bodySettings(config, directives), streaming: false };
  const { body, promptHash } = bodyMaker({ model, api, ...settings })('a', 1);
  const request = { id: 0, stage: 0, api, streaming: false, route: ROUTES[api], body, promptHash, maxTokens: 1 };
  const { outcome } = await client.send(
    { ...request, promptTexts: [] },
    { timeoutSeconds: TRIAL_SECONDS, signal, keepRawBody: false },
  );
  return outcome.kind === 'failed' && outcome.httpStatus === 404;
}
