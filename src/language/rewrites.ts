// Changes one may want where nothing is wrong: an older spelling to the newer one, a key out of the text.
import type { ConfigPath, TextRange } from '../problem';
import { Page } from './edits';
import { fix, type Edit, type Fix } from '../pitfalls/fix';
import { overlaps, readings, type Asked } from './place';
import { own } from '../own';

const OLD_NAMES: Readonly<Record<string, string>> = {
  num_unique_system_prompts: 'num_groups',
  num_users_per_system_prompt: 'num_prompts_per_group',
  question_distribution: 'question_len',
  output_distribution: 'output_len',
};

const SHARED = ['data', 'shared_prefix'];

/** Older spellings of shared_prefix in a range, each with the edit to the name in use. */
export function rewrites(text: string, range: TextRange, given: Asked = {}): readonly Fix[] {
  return readings(text, given).flatMap((reading) => {
    const page = Page.of(reading, text);
    if (!page) return [];
    return page.keys(SHARED).flatMap((key): readonly Fix[] => {
      const name = own(OLD_NAMES, key);
      const place = page.keyRange([...SHARED, key]);
      // A number under the newer name would be overridden by the older one: which is meant is the author's to say.
      if (name === undefined || !place || !overlaps(place, range) || page.has([...SHARED, name])) return [];
      return fix(`Change to '${name}', the name in use`, [{ range: place, newText: name }], false);
    });
  });
}

export interface WrittenKey {
  /** The secret itself: never to be shown. */
  readonly key: string;
  readonly baseUrl: string | undefined;
  readonly range: TextRange;
  /** Takes the key out of the text. */
  readonly edits: readonly Edit[];
}

const KEY: ConfigPath = ['server', 'api_key'];

/** API keys that stand in a text for everybody to read; templates are none. */
export function writtenKeys(text: string, given: Asked = {}): readonly WrittenKey[] {
  return readings(text, given).flatMap((reading): readonly WrittenKey[] => {
    const page = Page.of(reading, text);
    const key = page?.scalar(KEY);
    const range = page?.keyRange(KEY);
    if (!page || !range || key === undefined || key === '' || page.isNull(KEY)) return [];
    if (/\$\{|\$[A-Za-z_]|\{\{|REPLACE_ENV_|^<.*>$/.test(key)) return [];
    return [{ key, baseUrl: page.scalar(['server', 'base_url']), range, edits: page.remove(KEY) ?? [] }];
  });
}
