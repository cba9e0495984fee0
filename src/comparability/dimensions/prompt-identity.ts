// The same prompts, or other draws of one law? Repeats and shared prefixes decide what a cache can save.
import type { ConfigPath } from '../../problem';
import type { Evidence } from '../comparison';
import { assumption, confounds, dimension, moved, same, unknown, type Context, type SideEvidence } from '../dimension';
import { jsonText, percent, rounded } from '../../figures';
import { MEDIA_NUMBERS, mediaWords } from '../../metrics/media';
import type { FactTypes } from '../../readers/facts';
import { inFact, inRecords } from '../evidence';
import { factsOn, settingOf, type Side } from '../side';
import { comparedRecords } from '../workload';

interface Prompts extends SideEvidence {
  readonly dataType: string | undefined;
  readonly hash: string | undefined;
  readonly seed: number | string | undefined;
  /** Different prompts, and how many were planned. */
  readonly distinct: number | undefined;
  readonly total: number | undefined;
  readonly prefixTokens: number | undefined;
  /** Undefined where nothing says whether media were sent. */
  readonly media: FactTypes['media'] | undefined;
  /** Keys of the config that say where prompts come from and how often they repeat. */
  readonly configured: ReadonlyMap<string, string>;
}

/** Shares of repeated prompts closer than this save a cache as much. */
const SHARE_TOLERANCE = 0.05;
const PREFIX_TOLERANCE = 0.03;

/** Two spellings of one key are one: upstream writes the long names. */
const SOURCES: readonly (readonly [what: string, paths: readonly ConfigPath[]])[] = [
  ['data.path', [['data', 'path']]],
  [
    'prefix groups',
    [
      ['data', 'shared_prefix', 'num_unique_system_prompts'],
      ['data', 'shared_prefix', 'num_groups'],
    ],
  ],
  [
    'prompts per group',
    [
      ['data', 'shared_prefix', 'num_users_per_system_prompt'],
      ['data', 'shared_prefix', 'num_prompts_per_group'],
    ],
  ],
  ['multi-turn', [['data', 'shared_prefix', 'enable_multi_turn_chat']]],
];

function promptsOf(side: Side, context: Context): Prompts {
  const { run } = side;
  const facts = factsOn(side);
  const [dataType, hash] = [facts.dataType.value, facts.promptsHash.value];
  // A seed that is only a setting is no seed that was drawn with.
  const seed = run.manifest ? facts.seed.value : undefined;
  const records = comparedRecords(side, context);
  const planned = run.manifest?.stages.reduce((sum, stage) => sum + (stage.warmup ? 0 : stage.planned), 0);
  const hashes = new Set(records?.map((record) => record.promptHash));
  // Other tools' requests are without their prompts.
  const distinct = records ? (hashes.has('') ? undefined : hashes.size) : facts.distinctPrompts.value;
  const total = records?.length ?? planned;
  const configured = new Map<string, string>();
  const media = facts.media.value;
  const evidence: Evidence[] = [
    inFact(facts.dataType),
    ...(media && mediaWords(media) !== 'none' ? [inFact(facts.media, mediaWords(media))] : []),
    inFact(facts.promptsHash, hash?.slice(0, 12)),
    inFact(facts.seed),
    records
      ? inRecords(side, 'different prompts', distinct === undefined ? undefined : `${distinct} of ${total ?? 0}`)
      : inFact(facts.distinctPrompts, distinct === undefined ? undefined : `${distinct} of ${total ?? 'unknown'}`),
  ];
  for (const [what, paths] of SOURCES) {
    for (const path of paths) {
      const setting = settingOf(run, path);
      if (setting.value === undefined || configured.has(what)) continue;
      const text = typeof setting.value === 'string' ? setting.value : jsonText(setting.value);
      configured.set(what, text);
      evidence.push(inFact(setting, text));
    }
  }
  const prefix = facts.sharedPrefixTokens.value;
  if (prefix !== undefined) evidence.push(inFact(facts.sharedPrefixTokens, rounded(prefix)));
  return {
    dataType,
    hash,
    seed,
    distinct,
    total,
    prefixTokens: prefix,
    media,
    configured,
    summary: dataType === undefined ? 'not recorded' : summaryOf(dataType, distinct, total, seed),
    evidence,
  };
}

function summaryOf(
  type: string,
  distinct: number | undefined,
  total: number | undefined,
  seed: number | string | undefined,
): string {
  const share = distinct === undefined || total === undefined ? '' : `, ${distinct} different of ${total}`;
  return `${type}${share}${seed === undefined ? '' : `, seed ${seed}`}`;
}

export const promptIdentity = dimension<Prompts>({
  id: 'prompt-identity',
  title: 'Prompts',
  question: 'The same prompts, or draws of the same law with as many repeats and as long a shared prefix?',
  tolerance: `The same data.type, data set and prefix groups; the share of prompts that are sent once within ${SHARE_TOLERANCE * 100} percentage points; shared prefixes within ${PREFIX_TOLERANCE * 100} %. Other seeds are other draws of one law: no difference.`,
  pitfall: 'CMP028',
  affects: moved([
    'ttft',
    'request_latency',
    'ntpot',
    'requests_per_sec',
    'input_tokens_per_sec',
    'output_tokens_per_sec',
    'total_tokens_per_sec',
    'request_goodput',
  ]),
  remedy: 'Give both configs the same data section and the same load.base_seed.',
  evidence: promptsOf,
  judge: (a, b) => {
    if (a.dataType === undefined || b.dataType === undefined) {
      return unknown('Where the prompts come from (data.type)', a.dataType !== undefined, b.dataType !== undefined);
    }
    if (a.dataType !== b.dataType) {
      return confounds(
        `A’s prompts are ${a.dataType}, B’s are ${b.dataType}: other texts, other lengths, other repeats.`,
        { pitfall: 'CMP101' },
      );
    }
    if (a.hash !== undefined && a.hash === b.hash) return same('The very same prompts, in the same order.');
    const changes = [...new Set([...a.configured.keys(), ...b.configured.keys()])].flatMap((what) => {
      const [left, right] = [a.configured.get(what) ?? 'not set', b.configured.get(what) ?? 'not set'];
      return left === right ? [] : [`${what} ${left} on A, ${right} on B`];
    });
    const [x, y] = [a.prefixTokens, b.prefixTokens];
    if (x !== undefined && y !== undefined && Math.abs(x - y) > PREFIX_TOLERANCE * Math.max(x, y)) {
      changes.push(`shared prefix ${rounded(x)} tokens on A, ${rounded(y)} on B`);
    }
    const media = a.media && b.media ? mediaDiffer(a.media, b.media) : undefined;
    if (media !== undefined) changes.push(media);
    if (changes.length > 0) {
      return confounds(
        `Prompts are drawn from other sources: ${changes.join('; ')}. What a prefix cache saves changes with it.`,
        { changes, pitfall: 'CMP101' },
      );
    }
    const told = a.media ?? b.media;
    if ((a.media === undefined) !== (b.media === undefined) && told && mediaWords(told) !== 'none') {
      return unknown('Images, videos and sounds', a.media !== undefined, b.media !== undefined);
    }
    const repeats = repeatsDiffer(a, b);
    if (repeats !== undefined) return confounds(repeats, { pitfall: 'CMP031' });
    if ((a.distinct === undefined) !== (b.distinct === undefined)) {
      return unknown('How often prompts repeat', a.distinct !== undefined, b.distinct !== undefined);
    }
    if (a.distinct === undefined) {
      // Reports without records or manifest: same source and settings is all that can be said.
      return assumption(
        `The same source of prompts (${a.dataType}) with the same settings; which prompts were drawn, and how often they repeat, is recorded on neither side.`,
        'that as many prompts repeat on both sides',
      );
    }
    const other = a.seed === b.seed ? '' : ` (seeds ${a.seed ?? 'not recorded'} and ${b.seed ?? 'not recorded'})`;
    return same(`Other draws of the same law${other}, with as many repeats.`);
  },
});

/** A pool of prompts that is used up more often by a longer run is one pool: then the counts agree, not the shares. */
function repeatsDiffer(a: Prompts, b: Prompts): string | undefined {
  if (a.distinct === undefined || b.distinct === undefined || !a.total || !b.total) return undefined;
  const [x, y] = [a.distinct / a.total, b.distinct / b.total];
  const pools = Math.abs(a.distinct - b.distinct) <= SHARE_TOLERANCE * Math.max(a.distinct, b.distinct);
  if (Math.abs(x - y) <= SHARE_TOLERANCE || pools) return undefined;
  return `${percent(1 - x)} of A’s and ${percent(1 - y)} of B’s requests repeat a prompt: a server that caches prefixes does less work for repeats.`;
}

/** Counts, sizes and bytes within this are draws of one law. */
const MEDIA_TOLERANCE = 0.03;

function mediaDiffer(a: FactTypes['media'], b: FactTypes['media']): string | undefined {
  const apart = MEDIA_NUMBERS.some(([key]) => {
    const [x, y] = [a[key] ?? 0, b[key] ?? 0];
    return Math.abs(x - y) > MEDIA_TOLERANCE * Math.max(x, y);
  });
  const filled = a.filling !== undefined && b.filling !== undefined && a.filling !== b.filling;
  return apart || filled ? `media: ${mediaWords(a)} on A, ${mediaWords(b)} on B` : undefined;
}
