// A target and its routes in words: what the list of the command line, the picker and the Targets view say alike.
import type { Change } from './snapshot-schema';
import type { Route, Target } from './types';

/** `2 of 3 ready`, `ready unknown`; groups where one replica is several pods. */
export function replicaWords({ ready, wanted, podsEach }: Target['replicas']): string {
  const each = podsEach > 1 ? ` (${podsEach} pods each)` : '';
  if (wanted === undefined && ready === undefined) return `ready unknown${each}`;
  if (wanted === undefined) return `${ready ?? 0} ready${each}`;
  return `${ready ?? 'unknown'} of ${wanted} ready${each}`;
}

/** One line: engine, model, replicas, accelerator; what nobody says is left out. */
export function targetWords({ evidence, replicas, accelerator, role }: Target): string {
  const model = evidence.servedName ?? evidence.model;
  return [evidence.engine, model, role, replicaWords(replicas), accelerator].filter((part) => part).join(', ');
}

/** `Gateway g -> HTTPRoute r -> InferencePool p: http://...`, and why it cannot be forwarded to where it cannot. */
export function routeWords({ trace, url, host, noForward }: Route): string {
  const where = [url, host === undefined ? undefined : `Host ${host}`].filter((part) => part !== undefined).join(', ');
  const refusal = noForward ? `; no port-forward: ${noForward.words}` : '';
  return `${trace.join(' -> ')}${where === '' ? '' : `: ${where}`}${refusal}`;
}

/** "Deployment vllm: replicas wanted changed (2 to 3)". */
export function changeWords({ object, words, before, after }: Change): string {
  const values =
    before === undefined && after === undefined ? '' : ` (${before ?? 'nothing'} to ${after ?? 'nothing'})`;
  return `${object}: ${words}${values}`;
}
