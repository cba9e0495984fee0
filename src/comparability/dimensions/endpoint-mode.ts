// The same kind of request? Chat adds a template to the prompt; without streaming there is no first token to time.
import { rounded } from '../../figures';
import type { Evidence } from '../comparison';
import { assumption, confounds, dimension, moved, same, unknown, type Context, type SideEvidence } from '../dimension';
import { inFact, inRecords } from '../evidence';
import { factsOn, type Side } from '../side';
import { templateTokens } from '../workload';

interface EndpointMode extends SideEvidence {
  readonly api: string | undefined;
  readonly streaming: boolean | undefined;
  readonly template: number | undefined;
}

/** One token more or less is a special token that one counter sees and the other does not. */
const TEMPLATE_SLACK = 2;

function modeOf(side: Side, context: Context): EndpointMode {
  const facts = factsOn(side);
  const [api, streaming] = [facts.apiType.value, facts.streaming.value];
  const template = templateTokens(side, context);
  const evidence: Evidence[] = [
    inFact(facts.apiType),
    inFact(facts.streaming),
    inFact(facts.apiRoute),
    inRecords(
      side,
      'server minus client prompt tokens, median',
      template === undefined ? undefined : rounded(template),
    ),
  ];
  const summary =
    api === undefined || streaming === undefined
      ? 'not recorded'
      : `${api}, ${streaming ? 'streamed' : 'not streamed'}`;
  return { api, streaming, template, summary, evidence };
}

/** True when both sides say so and differ: prompts then carry another template. */
export function endpointsDiffer(context: Context): boolean {
  const a = modeOf(context.a, context);
  const b = modeOf(context.b, context);
  if (a.api !== undefined && b.api !== undefined && a.api !== b.api) return true;
  return templatesDiffer(a, b);
}

function templatesDiffer(a: EndpointMode, b: EndpointMode): boolean {
  return a.template !== undefined && b.template !== undefined && Math.abs(a.template - b.template) > TEMPLATE_SLACK;
}

export const endpointMode = dimension<EndpointMode>({
  id: 'endpoint-mode',
  title: 'Endpoint mode',
  question: 'Completion or chat, streamed or not, and the same template around the prompt?',
  tolerance: `The same api.type and api.streaming; the server adds the same number of prompt tokens within ${TEMPLATE_SLACK}.`,
  pitfall: 'CMP053',
  affects: moved(['ttft', 'request_latency', 'ntpot', 'input_tokens_per_sec', 'total_tokens_per_sec']),
  remedy: 'Set api.type and api.streaming alike on both sides, and serve the same chat template.',
  evidence: modeOf,
  judge: (a, b) => {
    const known = (side: EndpointMode): boolean => side.api !== undefined && side.streaming !== undefined;
    // What both sides say and differ in counts, whatever else one of them leaves out.
    const otherApi = a.api !== undefined && b.api !== undefined && a.api !== b.api;
    const oneStreams = a.streaming !== undefined && b.streaming !== undefined && a.streaming !== b.streaming;
    if ((!known(a) || !known(b)) && !otherApi && !oneStreams)
      return unknown('The kind of request (api.type, api.streaming)', known(a), known(b));
    const otherStream = oneStreams;
    if (otherApi) {
      return confounds(
        `A sends ${a.api} requests, B ${b.api} requests${otherStream ? `, and only ${a.streaming ? 'A' : 'B'} streams` : ''}: chat wraps every prompt in a template, so the server reads other prompts.`,
        { pitfall: 'CMP038', ...(otherStream ? { moves: STREAMED } : {}) },
      );
    }
    if (otherStream) {
      return confounds(
        `Only ${a.streaming ? 'A' : 'B'} streams its answers: the other side has no TTFT, TPOT or ITL, and its end-to-end latency has no per-token sending in it.`,
        { moves: STREAMED },
      );
    }
    if (templatesDiffer(a, b)) {
      return confounds(
        `The server adds ${rounded(a.template!)} prompt tokens on A and ${rounded(b.template!)} on B: another chat template or other special tokens.`,
        { pitfall: 'CMP038' },
      );
    }
    // Only chat wraps the prompt; whether it does so alike shows where both the server and the client counted it.
    if (a.api !== 'completion' && (a.template === undefined) !== (b.template === undefined)) {
      return unknown('How many tokens the chat template adds', a.template !== undefined, b.template !== undefined);
    }
    if (a.api !== 'completion' && a.template === undefined) {
      return assumption(
        `Both sides send ${a.api} requests, ${a.streaming ? 'streamed' : 'not streamed'}; what the server’s template adds to a prompt is recorded on neither.`,
        'that the same chat template was served',
      );
    }
    return same(`Both sides send ${a.api} requests, ${a.streaming ? 'streamed' : 'not streamed'}.`);
  },
});

const STREAMED = moved([
  'ttft',
  'tpot',
  'itl',
  'ntpot',
  'request_latency',
  'requests_per_sec',
  'output_tokens_per_sec',
  'input_tokens_per_sec',
  'total_tokens_per_sec',
]);
