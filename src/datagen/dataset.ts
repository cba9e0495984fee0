// Data types that read a data set from disk: records in order, filtered, as many as the stages need (reference 2.4).
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Problem, Result } from '../problem';
import { DATASETS, type DatasetRules, type DatasetType } from './dataset-records';
import { jsonRecords, RecordsError } from './json-records';
import type { LengthDistribution } from './lengths';
import { textsOf, type MadePrompt, type PromptSource } from './prompts';
import type { LengthUnit } from './text';

export interface DatasetInput {
  readonly type: DatasetType;
  readonly api: 'completion' | 'chat';
  /** Absolute path of a .json or .jsonl file or of a folder of them; undefined when the config names none. */
  readonly path: string | undefined;
  /** As the config has it, for messages. */
  readonly configured: string | undefined;
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
  const files = filesOf(input, rules);
  if (!files.ok) return files;
  const reader = new DatasetReader(input, rules, files.value);
  const next = (): Promise<MadePrompt> => reader.next();
  return {
    ok: true,
    value: { unit: input.unit, stage: () => next, remarks: () => reader.remarks() },
    problems: [...files.problems, ...filterNotes(input)],
  };
}

function filesOf({ type, path: place, configured }: DatasetInput, rules: DatasetRules): Result<readonly string[]> {
  const key = ['data', 'path'];
  if (place === undefined) {
    const download = rules.hub?.repository ?? rules.unreadable;
    const from = download ? ` (inference-perf would download ${download})` : '';
    return refuse(
      key,
      'RUN050',
      `Nothing was sent: data type ${type} needs data.path, a JSON file or a folder of them${from}.`,
      rules.hub ? 'Download the data set and set data.path, or allow the download with --download.' : 'Set data.path.',
    );
  }
  const stat = statSync(place, { throwIfNoEntry: false });
  if (!stat)
    return refuse(key, 'RUN051', `Nothing was sent: ${configured ?? place} does not exist.`, 'Correct data.path.');
  if (stat.isFile() && /\.jsonl?$/.test(place)) return { ok: true, value: [place], problems: [] };
  const names = stat.isDirectory()
    ? readdirSync(place)
        .filter((name) => name.endsWith('.json'))
        .sort()
    : [];
  if (names.length === 0) {
    const what = stat.isDirectory() ? 'holds no .json file' : 'is neither a .json file nor a folder';
    return refuse(
      key,
      'RUN051',
      `Nothing was sent: ${configured ?? place} ${what}.`,
      'Name a .json file (an array of records, or one record a line), or a folder of such files.',
    );
  }
  const note: Problem = {
    code: 'RUN053',
    severity: 'warning',
    path: key,
    message: `The ${names.length} .json files of the folder are read in alphabetical order; inference-perf looks for them in its working directory instead, in the file system's order.`,
    remedy: 'Name one file to have the same records in both tools.',
  };
  return { ok: true, value: names.map((name) => path.join(place, name)), problems: [note] };
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
    private readonly files: readonly string[],
  ) {}

  async next(): Promise<MadePrompt> {
    try {
      for (;;) {
        const record = await this.record();
        if (record === undefined) return this.ended();
        const made = this.prompt(record);
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
        'The file must be a JSON array of records, or one JSON record a line.',
      );
    }
  }

  /** The next record, the first one skipped; undefined at an end after which nothing comes. */
  private async record(): Promise<Record<string, unknown> | undefined> {
    for (;;) {
      this.records ??= jsonRecords(this.files[this.fileIndex]!);
      const step = await this.records.next();
      if (step.done === true) {
        this.records = undefined;
        if (++this.fileIndex < this.files.length) continue;
        // The skipped first record belongs to the rounds after the first: a second round without any is the end.
        if (!this.rules.cycles || (this.usedInRound === 0 && this.rounds > 0)) return undefined;
        this.fileIndex = 0;
        this.usedInRound = 0;
        this.rounds++;
        continue;
      }
      if (!this.isFirst) return step.value;
      this.isFirst = false;
    }
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
      `Nothing was sent: ${this.input.configured ?? 'the data set'} has ${what} (${why}), and the stages need more; ${upstream}.`,
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
    if (this.rounds === 0) return [information];
    return [
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
