// A stage, or a thread's share of one: sends it and turns every result into the line of its record, on the thread that received it.
import type { Client, WireResult } from '../client/types';
import type { Outcome, RequestRecord } from '../metrics/record';
import { answerLine, type AnswerNeeds } from './answer-line';
import { dispatch } from './dispatch';
import type { DispatchOutcome, Pacing, RequestList, SharedCounters } from './flights';
import type { LiveFigures } from './live';
import type { StopControl } from './stop';
import type { Ending } from './tally';
import { dispatchTurns, type TurnRequest } from './turn-dispatch';

/** A request, or a turn of a conversation: then its body is complete only when it is sent. */
export type EngineRequest = TurnRequest;

/** A planned request that has ended or can no longer be sent; every one comes exactly once. Plain data: it crosses threads. */
export interface EndedRequest extends Ending {
  readonly id: number;
  /** Its `RequestRecord` as JSON; token counts of the client are added after the clock stops. */
  readonly line: string;
  /** Its answer's texts as JSON, where somebody will count or show them. */
  readonly answer?: string | undefined;
}

export interface ShareOptions {
  readonly requests: RequestList<EngineRequest>;
  readonly pacing: Pacing;
  readonly hasTurns: boolean;
  readonly client: Client;
  readonly timeoutSeconds: number;
  readonly answers: AnswerNeeds;
  readonly stop: StopControl;
  readonly graceSeconds: () => number;
  /** The run's zero on this thread's monotonic clock. */
  readonly zeroSeconds: number;
  readonly live: LiveFigures;
  readonly startSeconds?: number;
  readonly counters?: SharedCounters;
  readonly onStarted?: (startSeconds: number, spinSeconds: () => number) => void;
  readonly onEnded: (ended: EndedRequest) => void;
}

/** Never rejects for what a server or a stop does. */
export function runShare(options: ShareOptions): Promise<DispatchOutcome> {
  const { answers, zeroSeconds, onEnded, hasTurns, ...rest } = options;
  // A server that counts one answer counts them all, and texts need not be kept any more.
  let hasUsage = false;
  return (hasTurns ? dispatchTurns : dispatch)<EngineRequest>({
    ...rest,
    keepRawBody: answers.raw,
    // A conversation needs what was answered for its next turn.
    keepTexts: () => answers.texts === true || hasTurns || (answers.texts === 'uncounted' && !hasUsage),
    onResult: (request, scheduledSeconds, result) => {
      if (result.usage?.completionTokens !== undefined) hasUsage = true;
      const record = resultRecord(request, scheduledSeconds, result, zeroSeconds);
      const answer = answerLine(record.id, result, answers, request);
      onEnded(ended(record, answer));
    },
    onNotSent: (request, scheduledSeconds, reason) => {
      onEnded(notSent(request, scheduledSeconds - zeroSeconds, reason));
    },
  });
}

/** A request that was planned and never sent; `scheduledSeconds` counts from the run's zero. */
export function notSent(request: EngineRequest, scheduledSeconds: number, reason: string): EndedRequest {
  return ended({
    ...plannedPart(request, scheduledSeconds),
    chunkSeconds: [],
    outcome: { kind: 'notSent', reason },
  });
}

/** A request that was on its way in a thread that died: what came back, if anything did, is lost with it. */
export function lost(request: EngineRequest, attemptedSeconds: number, endSeconds: number, why: Outcome): EndedRequest {
  return ended({
    ...plannedPart(request, attemptedSeconds),
    attemptedSeconds: nanoseconds(attemptedSeconds),
    endSeconds: nanoseconds(endSeconds),
    chunkSeconds: [],
    outcome: why,
  });
}

function ended(record: RequestRecord, answer?: string): EndedRequest {
  const { id, outcome, scheduledSeconds, sentSeconds, attemptedSeconds, endSeconds } = record;
  const line = JSON.stringify(record);
  return { id, outcome, scheduledSeconds, sentSeconds, attemptedSeconds, endSeconds, line, answer };
}

/**
 * What one request came to, its times counted from the run's zero. What did not happen is undefined, which leaves no key in the line;
 * and no object is spread into it: V8 then held each record until its next full collection.
 */
function resultRecord(
  request: EngineRequest,
  scheduled: number,
  result: WireResult,
  zeroSeconds: number,
): RequestRecord {
  const since = (seconds: number | undefined): number | undefined =>
    seconds === undefined ? undefined : nanoseconds(seconds - zeroSeconds);
  const { id, stage, askedPromptTokens, maxTokens, requestBytes, adapter, media, promptHash } = request;
  const record = {
    id,
    stage,
    scheduledSeconds: nanoseconds(scheduled - zeroSeconds),
    askedPromptTokens,
    maxTokens,
    requestBytes,
    adapter,
    media,
    promptHash,
    sentSeconds: since(result.sentSeconds),
    attemptedSeconds: result.sentSeconds === undefined ? since(result.attemptedSeconds) : undefined,
    firstByteSeconds: since(result.firstByteSeconds),
    firstTokenSeconds: since(result.firstTokenSeconds),
    firstContentSeconds: since(result.firstContentSeconds),
    lastTokenSeconds: since(result.lastTokenSeconds),
    endSeconds: since(result.endSeconds),
    chunkSeconds: result.chunkSeconds.map((seconds) => nanoseconds(seconds - zeroSeconds)),
    outcome: result.outcome,
    usage: result.usage,
    finishReason: result.finishReason,
    answeredModel: result.model,
    answerHash: result.outcome.kind === 'ok' ? result.answerHash : undefined,
    retries: result.retries,
  };
  return record as RequestRecord;
}

/** The clock's resolution: digits beyond it would only make records longer. */
function nanoseconds(seconds: number): number {
  return Math.round(seconds * 1e9) / 1e9;
}

function plannedPart(
  request: EngineRequest,
  scheduledSeconds: number,
): Omit<RequestRecord, 'chunkSeconds' | 'outcome'> {
  const { id, stage, askedPromptTokens, maxTokens, requestBytes, adapter, media, promptHash } = request;
  return {
    id,
    stage,
    scheduledSeconds: nanoseconds(scheduledSeconds),
    ...(askedPromptTokens === undefined ? {} : { askedPromptTokens }),
    maxTokens,
    ...(requestBytes === undefined ? {} : { requestBytes }),
    ...(adapter === undefined ? {} : { adapter }),
    ...(media === undefined ? {} : { media }),
    promptHash,
  };
}
