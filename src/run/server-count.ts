// Counts by the server's own tokenizer after the clock has stopped: within a limit of time, and what it did not count is said.
import { COUNT_SECONDS, type ServerTokenizer } from '../client/server-tokenizer';
import type { WorkloadRequest } from '../datagen/workload-request';
import type { WaitingAnswer } from '../loadgen/answer-line';
import type { RequestRecord } from '../metrics/record';
import type { Problem } from '../problem';

/** So long a finished run waits for counts. */
export const MOST_SECONDS = 120;
/** Owns the limits; texts go one after the other, so that the server is not loaded by being asked. */
export class ServerCount {
  private readonly prompts = new Map<string, number>();
  private readonly endsAt: number;
  private isSilent = false;
  private asked = 0;
  private missing = 0;

  constructor(
    private readonly tokenizer: ServerTokenizer,
    private readonly stop: AbortSignal,
    private readonly now: () => number = () => performance.now() / 1000,
  ) {
    this.endsAt = now() + MOST_SECONDS;
  }

  /** The record with the counts the server gave; prompts of failures are counted as well, as a client's tokenizer does. */
  async counted(
    record: RequestRecord,
    answer: WaitingAnswer | undefined,
    request: Pick<WorkloadRequest, 'promptHash' | 'promptTexts' | 'turn'>,
  ): Promise<RequestRecord> {
    if (record.outcome.kind !== 'ok' && record.outcome.kind !== 'failed') return record;
    const texts = answer?.prompt ?? (request.turn ? undefined : request.promptTexts);
    const clientPromptTokens = texts && (await this.prompt(texts, request.turn ? undefined : request.promptHash));
    const clientOutputTokens =
      record.outcome.kind === 'ok' && answer
        ? await this.ask(answer.chunks ? answer.chunks.join('') : (answer.text ?? ''), false)
        : undefined;
    return {
      ...record,
      ...(clientPromptTokens === undefined ? {} : { clientPromptTokens }),
      ...(clientOutputTokens === undefined ? {} : { clientOutputTokens }),
    };
  }

  problems(): Problem[] {
    if (this.missing === 0) return [];
    return [
      {
        code: 'RUN066',
        severity: 'warning',
        path: ['tokenizer'],
        message: `The server sends no usage and its own tokenizer counted ${this.asked - this.missing} of ${this.asked} texts (${this.why()}): what rests on all of them is not counted.`,
        remedy: 'Name the model’s tokenizer in the tokenizer section, or let the server report usage.',
      },
    ];
  }

  private why(): string {
    if (this.stop.aborted) return 'the run was stopped';
    return this.isSilent
      ? `it left one without an answer for ${COUNT_SECONDS} s and was asked no more`
      : `it was asked for ${MOST_SECONDS} s at most`;
  }

  /** Equal prompts are asked for once. */
  private async prompt(texts: readonly string[], hash: string | undefined): Promise<number | undefined> {
    const before = hash === undefined ? undefined : this.prompts.get(hash);
    if (before !== undefined) return before;
    let sum = 0;
    for (const text of texts) {
      const count = await this.ask(text, true);
      if (count === undefined) return undefined;
      sum += count;
    }
    if (hash !== undefined) this.prompts.set(hash, sum);
    return sum;
  }

  private async ask(text: string, special: boolean): Promise<number | undefined> {
    this.asked++;
    const isOver = this.stop.aborted || this.isSilent || this.now() > this.endsAt;
    const count = isOver ? undefined : await this.tokenizer.count(text, special, this.stop);
    if (!isOver && count === undefined) this.isSilent = true;
    if (count === undefined) this.missing++;
    return count;
  }
}
