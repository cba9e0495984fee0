// One record of a public data set -> one prompt, by inference-perf's rules for each data set and API (reference 2.1 and 2.4).
import type { ChatMessage, PromptContent } from './prompts';
import { own } from '../own';

export const DATASET_TYPES = ['shareGPT', 'cnn_dailymail', 'billsum_conversations', 'infinity_instruct'] as const;
export type DatasetType = (typeof DATASET_TYPES)[number];

/** What a record asks for: chats get inference-perf's default of 30 tokens, completions as many as the recorded answer has. */
export interface RecordPrompt {
  readonly content: PromptContent;
  /** Absent for chats. Its length decides max_tokens and is filtered by output_distribution. */
  readonly answer?: string;
}

export interface DatasetRules {
  readonly chat: boolean;
  /** Repeats from the start when it is used up; without it the run ends there upstream. */
  readonly cycles: boolean;
  /** The data set of the hub that is meant when `data.path` is not written, its files in order; absent: the path is mandatory. */
  readonly hub?: { readonly repository: string; readonly files: readonly [string, ...string[]] };
  /** What is read of a file in columns. */
  readonly columns: readonly string[];
  /** Undefined: the record is skipped. */
  read(record: Readonly<Record<string, unknown>>, api: 'completion' | 'chat'): RecordPrompt | undefined;
}

export const DATASETS: Readonly<Record<DatasetType, DatasetRules>> = {
  shareGPT: {
    chat: true,
    cycles: true,
    hub: {
      repository: 'anon8231489123/ShareGPT_Vicuna_unfiltered',
      files: ['ShareGPT_V3_unfiltered_cleaned_split.json'],
    },
    columns: ['conversations'],
    read: (record, api) => conversation(record, api, (from) => own(ROLES, from) ?? 'user'),
  },
  cnn_dailymail: {
    chat: false,
    cycles: true,
    // Configuration 3.0.0, split train, as upstream names them.
    hub: {
      repository: 'abisee/cnn_dailymail',
      files: [
        '3.0.0/train-00000-of-00003.parquet',
        '3.0.0/train-00001-of-00003.parquet',
        '3.0.0/train-00002-of-00003.parquet',
      ],
    },
    columns: ['article', 'highlights'],
    read: ({ article, highlights }) =>
      isText(article) && typeof highlights === 'string' ? { content: article, answer: highlights } : undefined,
  },
  billsum_conversations: {
    chat: true,
    cycles: true,
    columns: ['conversations'],
    // The data set's own role names go out unchanged, "human" too.
    read: (record, api) => conversation(record, api, (from) => from),
  },
  infinity_instruct: { chat: true, cycles: false, columns: ['conversations'], read: instruct },
};

const ROLES: Readonly<Record<string, string>> = { human: 'user', gpt: 'assistant' };

interface Said {
  readonly from: string;
  readonly value: string;
}

/** Completion: first turn and the length of the second. Chat: every turn, the last answer too. */
function conversation(
  record: Readonly<Record<string, unknown>>,
  api: 'completion' | 'chat',
  roleOf: (from: string) => string,
): RecordPrompt | undefined {
  const turns = turnsOf(record);
  if (!turns || turns.length < 2) return undefined;
  if (api === 'chat') {
    return { content: turns.map(({ from, value }): ChatMessage => ({ role: roleOf(from), content: value })) };
  }
  const [first, second] = turns;
  return isText(first?.value) && second ? { content: first.value, answer: second.value } : undefined;
}

/** Completion: everything before the last message of `gpt`, joined by lines. Chat: every message with a text. */
function instruct(record: Readonly<Record<string, unknown>>, api: 'completion' | 'chat'): RecordPrompt | undefined {
  const turns = turnsOf(record);
  if (!turns || turns.length === 0) return undefined;
  if (api === 'chat') {
    const messages = turns
      .filter(({ value }) => value !== '')
      .map(({ from, value }): ChatMessage => ({ role: from === 'human' ? 'user' : 'assistant', content: value }));
    return messages.length > 0 ? { content: messages } : undefined;
  }
  const last = turns.at(-1)!;
  const prompt = turns
    .slice(0, -1)
    .map(({ value }) => value)
    .join('\n');
  return last.from === 'gpt' && last.value !== '' && prompt !== ''
    ? { content: prompt, answer: last.value }
    : undefined;
}

/** The turns as objects; some copies of ShareGPT hold each as a string of JSON (upstream issue 429). */
function turnsOf({ conversations }: Readonly<Record<string, unknown>>): Said[] | undefined {
  if (!Array.isArray(conversations)) return undefined;
  const turns: Said[] = [];
  for (const entry of conversations as unknown[]) {
    const { from, value } = objectOf(entry);
    if (typeof value !== 'string') return undefined;
    turns.push({ from: typeof from === 'string' ? from : '', value });
  }
  return turns;
}

function objectOf(entry: unknown): Readonly<Record<string, unknown>> {
  if (typeof entry === 'object' && entry !== null) return entry as Record<string, unknown>;
  if (typeof entry !== 'string') return {};
  try {
    const parsed = JSON.parse(entry) as unknown;
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
