// What answered, over a run: which model, for what reason answers ended, how much of them was reasoning, which said nothing at all.
import { chunkCountOf, fillsLimit, isFull, outputTokens } from '../metrics/request-metrics';
import type { RequestRecord } from '../metrics/record';
import type { RunManifest } from '../folder/manifest';
import { isSameModel } from '../readers/named-models';
import type { Problem } from '../problem';

type Answers = NonNullable<RunManifest['answers']>;

/** Takes the records of the measured stages one by one; what did not succeed is no answer, and may have been sent again. */
export class AnswersTally {
  private readonly models = new Map<string, number>();
  private answered = 0;
  private unnamed = 0;
  private withoutFinishReason = 0;
  private cutShort = 0;
  private empty = 0;
  private readonly reasoning = { answers: 0, tokens: 0, outputTokens: 0 };
  private lateContent = 0;
  private readonly retried = { requests: 0, attempts: 0 };

  constructor(
    private readonly tokens: NonNullable<RunManifest['tokens']>,
    private readonly asked: { readonly streaming: boolean; readonly ignoreEos: boolean },
  ) {}

  add(record: RequestRecord): void {
    if (record.retries) {
      this.retried.requests++;
      this.retried.attempts += record.retries.attempts;
    }
    if (record.outcome.kind !== 'ok') return;
    this.answered++;
    const { answeredModel, finishReason, usage, maxTokens, firstTokenSeconds, firstContentSeconds } = record;
    if (answeredModel === undefined) this.unnamed++;
    else this.models.set(answeredModel, (this.models.get(answeredModel) ?? 0) + 1);
    const seen =
      outputTokens(record, this.tokens.output.source) ?? usage?.completionTokens ?? chunkCountOf(record) ?? 0;
    if (this.asked.streaming && finishReason === undefined) {
      this.withoutFinishReason++;
      const byChunks = isFull(chunkCountOf(record), maxTokens ?? 0, false);
      const isCounted = (usage?.completionTokens ?? record.clientOutputTokens) !== undefined;
      if (this.asked.ignoreEos && (isCounted ? fillsLimit(record) : byChunks) === false) this.cutShort++;
    }
    if (this.asked.streaming && firstTokenSeconds === undefined) this.empty++;
    if (usage?.reasoningTokens !== undefined && usage.reasoningTokens > 0) {
      this.reasoning.answers++;
      this.reasoning.tokens += usage.reasoningTokens;
      this.reasoning.outputTokens += usage.completionTokens ?? seen;
    }
    if (firstTokenSeconds !== undefined && firstContentSeconds !== firstTokenSeconds) this.lateContent++;
  }

  answers(): Answers {
    return {
      answered: this.answered,
      models: Object.fromEntries(this.models),
      ...(this.unnamed > 0 ? { unnamed: this.unnamed } : {}),
      ...(this.withoutFinishReason > 0 ? { withoutFinishReason: this.withoutFinishReason } : {}),
      ...(this.cutShort > 0 ? { cutShort: this.cutShort } : {}),
      ...(this.empty > 0 ? { empty: this.empty } : {}),
      ...(this.reasoning.answers > 0 ? { reasoning: { ...this.reasoning } } : {}),
      ...(this.retried.requests > 0 ? { retried: { ...this.retried } } : {}),
      ...(this.lateContent > 0 ? { contentAfterOtherTokens: this.lateContent } : {}),
    };
  }
}

/** What a reader of the figures has to know of the answers. @param asked the model, then the adapters that were asked for in its place */
export function answerProblems(
  answers: Answers,
  [model, ...adapters]: readonly [string, ...string[]],
  ignoreEos: boolean,
): Problem[] {
  const asked = [model, ...adapters];
  const { answered, withoutFinishReason = 0, cutShort = 0, empty = 0 } = answers;
  const others = Object.keys(answers.models).filter((name) => !asked.some((model) => isSameModel(model, name)));
  const problems: Problem[] = [];
  if (withoutFinishReason > 0) {
    const short =
      cutShort === 0
        ? ''
        : ` ${cutShort} of them brought fewer tokens than were asked for under ignore_eos: they were cut off.`;
    problems.push({
      code: 'RUN048',
      severity: 'warning',
      path: [],
      message: `${withoutFinishReason} of ${answered} answers ended with [DONE] and no finish reason: nobody says whether they are whole.${short}`,
      remedy: 'Look into the server’s log; a gateway that ends streams on its own does this, too.',
    });
  }
  if (empty > 0) {
    problems.push({
      code: 'RUN049',
      severity: 'warning',
      path: ['server', 'ignore_eos'],
      message: `${empty} of ${answered} answers ended at once, without a token: they count as answers of length 0 and have no time to first token.`,
      remedy: ignoreEos
        ? 'The server does not honour server.ignore_eos, or cannot answer such prompts: look into its log, or send prompts it has words for.'
        : 'Set server.ignore_eos to true where the server knows it.',
    });
  }
  if (others.length > 0) {
    problems.push({
      code: 'RUN038',
      severity: 'warning',
      path: ['server', 'model_name'],
      message: `'${model}' was asked for; answers name ${others
        .slice(0, 3)
        .map((name) => `'${name}'`)
        .join(', ')}: another model may have served.`,
      remedy: 'Set server.model_name to the name of what serves, or say in stack.yaml that both are one.',
    });
  }
  return problems;
}
