// Is this YAML an inference-perf config, by its text alone? Cheap enough for every file an editor opens, and right while one is typing.
// It looks at the first part of the text only and never parses; findRegions gives the exact answer.

const HEAD = 64_000;
const SECTIONS = new Set([
  'api',
  'data',
  'load',
  'metrics',
  'report',
  'storage',
  'server',
  'tokenizer',
  'circuit_breakers',
]);

const LOAD_TYPE = 'constant|poisson|concurrent|trace_replay|trace_session_replay';
const DATA_TYPE =
  'mock|shareGPT|synthetic|random|shared_prefix|cnn_dailymail|infinity_instruct|billsum_conversations|otel_trace_replay|weka_trace_replay|conversation_replay|visionarena|synthetic_agentic';

// A key in block style (its own line) or flow style (after a brace or comma), plain or quoted.
const inside = (words: string): RegExp => new RegExp(`(?:^|[\\n{,])[ \\t]*["']?(?:${words})["']?[ \\t]*:`);
const typed = (words: string): RegExp => new RegExp(`["']?type["']?[ \\t]*:[ \\t]*["']?(?:${words})\\b`);
const LOAD_ONLY = inside('stages|sweep');
const LOAD_KEYS = inside(
  'stages|sweep|num_workers|base_seed|worker_max_concurrency|request_timeout|lora_traffic_split',
);
const LOAD_TYPED = typed(LOAD_TYPE);
const DATA_KEYS = inside(
  'input_distribution|output_distribution|shared_prefix|conversation_replay|otel_trace_replay|weka_trace_replay|synthetic_agentic',
);
const DATA_TYPED = typed(DATA_TYPE);
const SERVER_KEYS = inside('base_url|model_name|ignore_eos');
/** `load:` at any indentation, with stages or a sweep within the next lines: a config inside something else. */
const NESTED_LOAD =
  /\n[ \t]+load:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:[^ \t\r\n][^\r\n]*)?\r?\n){0,14}?[ \t]+(?:stages|sweep)[ \t]*:/;

const NESTED_SERVER =
  /\n[ \t]+server:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:[^ \t\r\n][^\r\n]*)?\r?\n){0,8}?[ \t]+(?:base_url|model_name|ignore_eos)[ \t]*:/;

/** True for configs, whole or wrapped (ConfigMap, Helm values, llm-d workload); false for files that merely look similar. */
export function looksLikeConfig(text: string): boolean {
  const head = `${text.slice(0, HEAD)}\n`;
  const json = /^\s*\{\s*["\n]/.test(head);
  if (isBenchmarkReport(head, json)) return false;
  if (json)
    return /"load"\s*:\s*\{/.test(head) && (LOAD_KEYS.test(head) || LOAD_TYPED.test(head)) && SERVER_OR_DATA.test(head);
  const blocks = topLevelBlocks(head);
  if (blocks.has('apiVersion') && blocks.has('kind')) return inManifest(head);
  if (fits(blocks)) return true;
  if (!NESTED_LOAD.test(head)) return false;
  return blocks.has('config') || blocks.has('workload') || NESTED_SERVER.test(head);
}

/** A report that keeps the config it was made with: results, nothing to run. */
function isBenchmarkReport(head: string, json: boolean): boolean {
  const key = json
    ? /"(version|scenario|metrics|results)"\s*:/g
    : /^["']?(version|scenario|metrics|results)["']?[ \t]*:/gm;
  const found = new Set([...head.matchAll(key)].map(([, name]) => name));
  return found.has('version') && found.has('scenario') && (found.has('metrics') || found.has('results'));
}

const SERVER_OR_DATA = /"(?:server|data|api)"\s*:\s*\{/;

/** A ConfigMap with the config as text, or a Job whose script writes one. */
function inManifest(head: string): boolean {
  const texts = /^kind:[ \t]*["']?(?:ConfigMap|Secret)/m.test(head);
  if (NESTED_LOAD.test(head)) return (texts && /\n[ \t]+["']?[\w.-]+["']?:[ \t]*\|/.test(head)) || HEREDOC.test(head);
  return texts && /:[ \t]*['"]\{.*\bload\b/.test(head) && /\bstages\b|\bsweep\b/.test(head);
}

const HEREDOC = /<<-?[ \t]*["']?[A-Za-z_]/;

/** Top-level keys and the text under each, in the first YAML document that has any. */
function topLevelBlocks(head: string): ReadonlyMap<string, string> {
  const blocks = new Map<string, string>();
  const key = /^["']?([A-Za-z_][\w.-]*)["']?[ \t]*:/gm;
  let last: { name: string; from: number } | undefined;
  for (let match = key.exec(head); match; match = key.exec(head)) {
    if (last && !blocks.has(last.name)) blocks.set(last.name, head.slice(last.from, match.index));
    last = { name: match[1]!, from: match.index + match[0].length };
  }
  if (last && !blocks.has(last.name)) blocks.set(last.name, head.slice(last.from));
  return blocks;
}

function fits(blocks: ReadonlyMap<string, string>): boolean {
  const load = blocks.get('load');
  const data = blocks.get('data');
  const server = blocks.get('server');
  const loadFits = load !== undefined && (LOAD_KEYS.test(load) || LOAD_TYPED.test(load));
  const dataFits = data !== undefined && (DATA_KEYS.test(data) || DATA_TYPED.test(data));
  const serverFits = server !== undefined && SERVER_KEYS.test(server);
  const strong = [loadFits, dataFits, serverFits].filter(Boolean).length;
  const sections = [...blocks.keys()].filter((name) => SECTIONS.has(name)).length;
  const only = load !== undefined && LOAD_ONLY.test(load);
  return only || (strong >= 1 && sections >= 2) || (loadFits && blocks.size === 1);
}

/** A config that is being written: nothing but sections yet, `load` or two others among them; or a directive. For completion only. */
export function mayBecomeConfig(text: string): boolean {
  if (looksLikeConfig(text)) return true;
  const head = text.slice(0, HEAD);
  if (/^\s*#\s*isoperf\s*:/im.test(head)) return true;
  const names = [...topLevelBlocks(`${head}\n`).keys()];
  const known = names.filter((name) => SECTIONS.has(name));
  return known.length === names.length && (known.includes('load') || known.length >= 2);
}
