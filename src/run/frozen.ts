// A frozen workload: the exact request stream in one file (JSON lines), to be sent to any server; docs/frozen-workload.md.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as z from 'zod';
import { hashOf } from '../datagen/body';
import { BodyStore, type StoredBody } from '../datagen/body-store';
import type { Prompt } from '../datagen/prompts';
import { requestMaker } from '../datagen/request-maker';
import type { Workload } from '../datagen/workload';
import type { WorkloadRequest } from '../datagen/workload-request';
import type { RequestMedia } from '../metrics/media';
import type { PlannedLoadStage } from '../loadgen/plan';
import type { Problem, Result } from '../problem';
import { linesOf } from '../folder/read-lines';
import { LineFile } from '../folder/write-lines';
import {
  endLine,
  FORMAT,
  originLine,
  planLine,
  frozenJson,
  requestLine,
  textLine,
  withIntegers,
  VERSION,
  type Content,
  type PlanLine,
  type RequestLine,
} from './frozen-format';

/** What stands in the file's first line: where the stream came from. It is not part of the hash. */
export interface FrozenOrigin {
  readonly tool: string;
  /** The config that was frozen, effective and without secrets, as YAML with its directives. */
  readonly config: string;
  readonly file: string;
  /** Digits where a number would lose some. */
  readonly seed: number | string;
  readonly tokenizerSha256?: string | undefined;
}

/** What every body of the stream carries beside model, prompt and max_tokens. */
export interface FrozenParameters {
  readonly api: 'completion' | 'chat' | 'anthropic_messages';
  readonly streaming: boolean;
  readonly ignoreEos: boolean;
  readonly maxCompletionTokens?: true | undefined;
  readonly greedy?: true | undefined;
  readonly addSpecialTokens?: false | undefined;
  readonly responseFormat?:
    { readonly type: 'json_schema' | 'json_object'; readonly name: string; readonly jsonSchema?: unknown } | undefined;
}

export interface FrozenStream {
  /** As the user named it. */
  readonly file: string;
  /** Over everything that is sent and when: equal hashes are equal streams, whatever the server and the model's name. */
  readonly sha256: string;
  readonly origin: FrozenOrigin;
  readonly stages: readonly PlannedLoadStage[];
  /** Bodies for one model. */
  readonly workloadFor: (model: string, cacheSalt?: string) => Workload;
  /** The texts hold their special tokens (a chat template was put around them). */
  readonly hasOwnSpecialTokens: boolean;
}

/** Writes the stream and gives its hash. Rejects with the disk's error. */
export async function writeFrozen(
  file: string,
  origin: FrozenOrigin,
  parameters: FrozenParameters,
  stages: readonly PlannedLoadStage[],
  workload: Workload,
): Promise<string> {
  const lines = await LineFile.create(file);
  const hash = createHash('sha256');
  const add = (value: unknown): void => {
    const text = frozenJson(value);
    hash.update(`${text}\n`);
    lines.append(text);
  };
  lines.append(JSON.stringify({ format: FORMAT, version: VERSION, ...origin }));
  add({
    parameters: { ...parameters, api: workload.api },
    lengthUnit: workload.lengthUnit,
    ...(workload.sharedPrefixLength === undefined ? {} : { sharedPrefixLength: workload.sharedPrefixLength }),
    stages: stages.map(savedStage),
  });
  const texts = new TextTable((index, content) => {
    add({ text: index, content });
  });
  let requests = 0;
  for (const stage of stages) {
    for (const [index, request] of workload.stages[stage.id]!.entries()) {
      add(savedRequest(request, stage, index, texts));
      requests++;
      await lines.drained();
    }
  }
  const sha256 = hash.digest('hex');
  lines.append(JSON.stringify({ end: true, requests, sha256 }));
  await lines.close();
  if (lines.error) throw lines.error;
  return sha256;
}

/** Each text is written once, before the first request that uses it. */
class TextTable {
  /** By hash: the texts themselves would be all prompts once more. */
  private readonly known = new Map<string, number>();

  constructor(private readonly write: (index: number, content: unknown) => void) {}

  indexOf(content: unknown): number {
    const key = hashOf(typeof content === 'string' ? `s${content}` : `j${JSON.stringify(content)}`);
    let index = this.known.get(key);
    if (index !== undefined) return index;
    this.known.set(key, (index = this.known.size));
    this.write(index, content);
    return index;
  }
}

function savedStage({ pacing, ...stage }: PlannedLoadStage): unknown {
  return {
    ...stage,
    pacing: pacing.kind === 'open' ? { kind: 'open', inFlightCap: pacing.inFlightCap } : pacing,
  };
}

function savedRequest(
  request: WorkloadRequest,
  { id, pacing }: PlannedLoadStage,
  index: number,
  texts: TextTable,
): unknown {
  const { turn, askedPromptTokens: asked, maxTokens, adapter, media } = request;
  return {
    request: request.id,
    stage: id,
    ...(pacing.kind === 'open' ? { atSeconds: pacing.offsets[index] } : {}),
    content: texts.indexOf(contentOf(request)),
    maxTokens,
    ...(asked === undefined ? {} : { asked }),
    ...(adapter === undefined ? {} : { adapter }),
    ...(media === undefined ? {} : { media }),
    ...(turn
      ? {
          turn: {
            conversation: turn.conversation,
            opens: turn.opens,
            system: texts.indexOf(turn.system.text),
            ...(turn.system.tokens === undefined ? {} : { systemTokens: turn.system.tokens }),
            ...(turn.user.tokens === undefined ? {} : { userTokens: turn.user.tokens }),
            holdSeconds: turn.holdSeconds,
            ...(turn.budgetTokens === undefined ? {} : { budgetTokens: turn.budgetTokens }),
          },
        }
      : {}),
  };
}

/** A completion's text, or a chat's messages, which only the body holds with their roles. */
function contentOf(request: WorkloadRequest): unknown {
  if (request.api === 'completion') return request.promptTexts[0]!;
  const { messages, system } = JSON.parse(String(request.body)) as { messages: readonly unknown[]; system?: string };
  // The Messages API has the system's text beside the messages.
  return system === undefined ? messages : [{ role: 'system', content: system }, ...messages];
}

/** Reads and checks a frozen stream. Errors RUN070: not one, cut off, or changed since it was frozen. */
export async function readFrozen(name: string, place: string): Promise<Result<FrozenStream>> {
  try {
    return { ok: true, value: await new FrozenReader(name).read(place), problems: [] };
  } catch (error) {
    const why =
      error instanceof z.ZodError
        ? `is not a frozen stream of this version (${z.prettifyError(error).replaceAll('\n', ' ')})`
        : error instanceof SyntaxError
          ? 'is not a frozen stream: a line is not JSON'
          : (error as NodeJS.ErrnoException).code === 'ENOENT'
            ? 'does not exist'
            : (error as Error).message;
    const problem: Problem = {
      code: 'RUN070',
      severity: 'error',
      path: [],
      message: `Nothing was sent: ${name} ${why}.`,
      remedy: 'Freeze it again: isoperf plan CONFIG --freeze FILE.',
    };
    return { ok: false, problems: [problem] };
  }
}

/** Owns what is read of one file, line by line. */
class FrozenReader {
  private readonly hash: Hash = createHash('sha256');
  /** Contents as JSON, outside the heap until a body is made of them. */
  private readonly texts: StoredBody[] = [];
  private readonly store = new BodyStore();
  /** Many turns have the same system prompt, and hold it. */
  private readonly systems = new Map<number, string>();
  private readonly requests: RequestLine[] = [];
  private origin: z.infer<typeof originLine> | undefined;
  private plan: PlanLine | undefined;
  private end: z.infer<typeof endLine> | undefined;

  constructor(private readonly name: string) {}

  async read(place: string): Promise<FrozenStream> {
    for await (const line of linesOf(createReadStream(place))) this.line(line);
    const { origin, plan, end } = this;
    if (!origin || !plan || !end || end.requests !== this.requests.length) throw new Error('is cut off');
    const sha256 = this.hash.digest('hex');
    if (sha256 !== end.sha256) throw new Error('was changed after it was frozen: its hash does not match');
    const stages = plan.stages.map((stage) => this.stage(stage));
    return {
      file: this.name,
      sha256,
      origin,
      stages,
      workloadFor: (model, cacheSalt) => this.workload(plan, stages, model, cacheSalt),
      hasOwnSpecialTokens: plan.parameters.addSpecialTokens === false,
    };
  }

  private line(text: string): void {
    if (this.origin === undefined) {
      this.origin = originLine.parse(JSON.parse(text));
      return;
    }
    const value = JSON.parse(text) as Record<string, unknown>;
    if ('end' in value) {
      this.end = endLine.parse(value);
      return;
    }
    this.hash.update(`${text}\n`);
    if (this.plan === undefined) this.plan = planLine.parse(withIntegers(value));
    else if ('text' in value) this.keep(textLine.parse(value).content);
    else this.requests.push(requestLine.parse(value));
  }

  private stage({ pacing, ...stage }: PlanLine['stages'][number]): PlannedLoadStage {
    const own = this.requests.filter((request) => request.stage === stage.id);
    if (own.length !== stage.count)
      throw new Error(`has ${own.length} requests of stage ${stage.id}, not ${stage.count}`);
    return {
      ...(stage as unknown as Omit<PlannedLoadStage, 'pacing'>),
      pacing:
        pacing.kind === 'closed'
          ? pacing
          : { ...pacing, offsets: Float64Array.from(own, ({ atSeconds }) => atSeconds ?? Number.NaN) },
    };
  }

  private workload(
    plan: PlanLine,
    stages: readonly PlannedLoadStage[],
    model: string,
    cacheSalt: string | undefined,
  ): Workload {
    const { parameters, lengthUnit, sharedPrefixLength } = plan;
    const { responseFormat } = parameters;
    const makers = new Map<string, ReturnType<typeof requestMaker>>();
    const makerFor = (name: string): ReturnType<typeof requestMaker> => {
      const format = responseFormat && { ...responseFormat, jsonSchema: responseFormat.jsonSchema };
      const maker =
        makers.get(name) ?? requestMaker({ ...parameters, responseFormat: format, model: name, cacheSalt }, lengthUnit);
      makers.set(name, maker);
      return maker;
    };
    const made: WorkloadRequest[][] = stages.map(() => []);
    for (const line of this.requests) {
      const { request } = makerFor(line.adapter ?? model)(this.prompt(line), line.request, line.stage);
      made[line.stage]!.push(line.adapter === undefined ? request : request.forAdapter(line.adapter));
    }
    return {
      stages: made,
      api: parameters.api,
      lengthUnit,
      ...(sharedPrefixLength === undefined ? {} : { sharedPrefixLength }),
    };
  }

  private keep(content: Content): void {
    const text = JSON.stringify(content);
    this.texts.push(this.store.put(text, Buffer.byteLength(text)));
  }

  private content(index: number): Content {
    const stored = this.texts[index];
    return stored ? (JSON.parse(stored.bytes.toString('utf8')) as Content) : '';
  }

  private system(index: number): Content {
    const known = this.systems.get(index);
    if (known !== undefined) return known;
    const content = this.content(index);
    if (typeof content === 'string') this.systems.set(index, content);
    return content;
  }

  private prompt({ content: index, maxTokens, asked, media, turn }: RequestLine): Prompt {
    const content = this.content(index);
    const prompt = {
      content,
      maxTokens,
      ...(asked === undefined ? {} : { asked }),
      ...(media === undefined ? {} : { media: media as RequestMedia }),
    };
    if (!turn) return prompt;
    const { system, systemTokens, userTokens, budgetTokens, ...rest } = turn;
    const part = (text: Content | undefined, tokens: number | undefined) => ({
      text: typeof text === 'string' ? text : '',
      ...(tokens === undefined ? {} : { tokens }),
    });
    return {
      ...prompt,
      turn: {
        ...rest,
        system: part(this.system(system), systemTokens),
        user: part(content, userTokens),
        ...(budgetTokens === undefined ? {} : { budgetTokens }),
      },
    };
  }
}
