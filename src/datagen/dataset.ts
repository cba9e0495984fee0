// Data types that read a data set from disk: records in order, filtered, as many as the stages need (reference 2.4).
import type { Problem, Result } from '../problem';
import { datasetFiles, recordsOf, type DatasetPlace } from './dataset-files';
import { DATASETS, type DatasetRules, type DatasetType } from './dataset-records';
import { RecordsError } from './json-records';
import type { LengthDistribution } from './lengths';
import { textsOf, type MadePrompt, type PromptSource } from './prompts';
import type { LengthUnit } from './text';

export interface DatasetInput {
  readonly type: DatasetType;
  readonly api: 'completion' | 'chat';
  /** Undefined when the config names none and none was fetched. */
  readonly place: DatasetPlace | undefined;
  /** Only min and max are used, as filters of completions. */
  readonly input: LengthDistribution | undefined;
  readonly output: LengthDistribution | undefined;
  readonly unit: LengthUnit;
  /** Length of a text with the special tokens, in `unit`. */
  readonly measure: (text: string) => number;
}

/** Errors RUN050 to RUN052 name the key. Records are read while prompts are made, one at a time. */
export function datasetPrompts(input: DatasetInput): Result<PromptSource> {
  const rules = DATASETS[input.type];
  if (input.api === 'chat' && !rules.chat) {
    return refuse(
      ['api', 'type'],
      'RUN011',
      `Nothing was sent: data type ${input.type} sends completions only, so inference-perf refuses it with api.type chat.`,
      'Set api.type to completion, or use another data type.',
    );
  }
  const files = datasetFiles(input.type, input.place);
  if (!files.ok) return files;
  const reader = new DatasetReader(input, rules, files.value);
  const next = (): Promise<MadePrompt> => reader.next();
  return {
    ok: true,
    value: { unit: input.unit, stage: () => next, remarks: () => reader.remarks() },
    problems: [...files.problems, ...filterNotes(input)],
  };
}

/** Chats are not filtered upstream, although the config accepts the distributions. */
function filterNotes({ api, input, output, type }: DatasetInput): Problem[] {
  if (api !== 'chat' || (!input && !output)) return [];
  const key = input ? 'input_distribution' : 'output_distribution';
  return [
    {
      code: 'RUN054',
      severity: 'warning',
      path: ['data', key],
      message: `data.${key} has no effect: ${type} filters completions only, as in inference-perf; chats are sent whole and ask for 30 tokens.`,
    },
  ];
}

/** Owns the place in the data set. The first record is skipped once, at the start, as upstream. */
class DatasetReader {
  private readonly files: string[];
  private readonly fetched: Problem[] = [];
  private records: AsyncGenerator<Record<string, unknown>> | undefined;
  private fileIndex = 0;
  private isFirst = true;
  private rounds = 0;
  private usedInRound = 0;
  private given = 0;
  private skipped = 0;
  private filtered = 0;

  constructor(
    private readonly input: DatasetInput,
    private readonly rules: DatasetRules,
    files: readonly string[],
  ) {
    this.files = [...files];
  }

  async next(): Promise<MadePrompt> {
    try {
      for (;;) {
        const step = await this.record();
        if (step === undefined) return this.ended();
        if (!step.ok) return step;
        const made = this.prompt(step.value);
        if (made === undefined) continue;
        this.usedInRound++;
        this.given++;
        return made;
      }
    } catch (error) {
      if (!(error instanceof RecordsError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
      return refuse(
        ['data', 'path'],
        'RUN052',
        `Nothing was sent: ${(error as Error).message}.`,
        error instanceof RecordsError ? error.remedy : 'Check the file and the rights to read it.',
      );
    }
  }

  /** The next record, the first one skipped; undefined at an end after which nothing comes. */
  private async record(): Promise<Result<Record<string, unknown>> | undefined> {
    for (;;) {
      this.records ??= recordsOf(this.input.type, this.files[this.fileIndex]!);
      const step = await this.records.next();
      if (step.done === true) {
        this.records = undefined;
        this.fileIndex++;
        const isMore = await this.fetchNext();
        if (!isMore.ok) return isMore;
        if (this.fileIndex < this.files.length) continue;
        // The skipped first record belongs to the rounds after the first: a second round without any is the end.
        if (!this.rules.cycles || (this.usedInRound === 0 && this.rounds > 0)) return undefined;
        this.fileIndex = 0;
        this.usedInRound = 0;
        this.rounds++;
        continue;
      }
      if (!this.isFirst) return { ok: true, value: step.value, problems: [] };
      this.isFirst = false;
    }
  }

  /** Behind the last file that is at hand, the data set's next part, if it has one. */
  private async fetchNext(): Promise<Result<undefined>> {
    const more = this.input.place?.more;
    if (!more || this.fileIndex < this.files.length) return { ok: true, value: undefined, problems: [] };
    const part = await more(this.files.length);
    if (!part.ok) return part;
    if (part.value !== undefined) this.files.push(part.value);
    this.fetched.push(...part.problems);
    return { ok: true, value: undefined, problems: [] };
  }

  private prompt(record: Record<string, unknown>): MadePrompt | undefined {
    const { api, measure, input, output, unit } = this.input;
    const read = this.rules.read(record, api);
    if (!read) {
      this.skipped++;
      return undefined;
    }
    if (read.answer === undefined) return { content: read.content, maxTokens: 0 };
    const [text = ''] = textsOf(read.content);
    const length = measure(text);
    const maxTokens = measure(read.answer);
    if (!within(input, length) || !within(output, maxTokens)) {
      this.filtered++;
      return undefined;
    }
    return { content: read.content, maxTokens, ...(unit === 'tokens' ? { asked: length, length } : {}) };
  }

  private ended(): MadePrompt {
    const what = this.given === 0 ? 'no usable record' : `only ${this.given} usable records`;
    const why = `${this.skipped} without prompt and answer, ${this.filtered} outside the length filters, the first one skipped as in inference-perf`;
    const upstream =
      this.given === 0
        ? 'inference-perf would look for one for ever'
        : 'the data type does not start over, and inference-perf would abort the run there';
    return refuse(
      ['data', 'path'],
      'RUN055',
      `Nothing was sent: ${this.input.place?.configured ?? 'the data set'} has ${what} (${why}), and the stages need more; ${upstream}.`,
      'Send fewer requests, widen the filters, or use a larger data set.',
    );
  }

  remarks(): readonly Problem[] {
    if (this.given === 0) return [];
    const parts = [`${this.given} records of ${this.input.type} in order, the first one skipped as in inference-perf`];
    if (this.skipped > 0) parts.push(`${this.skipped} without prompt and answer left out`);
    if (this.filtered > 0) parts.push(`${this.filtered} outside the length filters left out`);
    const information: Problem = {
      code: 'RUN056',
      severity: 'information',
      path: ['data', 'type'],
      message: `Prompts are ${parts.join('; ')}.`,
    };
    if (this.rounds === 0) return [...this.fetched, information];
    return [
      ...this.fetched,
      information,
      {
        code: 'RUN057',
        severity: 'warning',
        path: ['data', 'path'],
        message: `The data set was used up and started over ${this.rounds} ${this.rounds === 1 ? 'time' : 'times'}: prompts repeat word for word, and a prefix cache answers whole prompts.`,
        remedy: 'Send fewer requests, or use a larger data set.',
      },
    ];
  }
}

function within(filter: LengthDistribution | undefined, length: number): boolean {
  return filter === undefined || (length >= filter.min && length <= filter.max);
}

function refuse(
  key: Problem['path'],
  code: string,
  message: string,
  remedy: string,
): Extract<Result<never>, { ok: false }> {
  return { ok: false, problems: [{ code, severity: 'error', path: key, message, remedy }] };
}
