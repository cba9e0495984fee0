// vllm bench serve: where requests go and what is kept of them, in both directions. What is sent and when: vllm-data, vllm-load.
import { put, type Draft } from './draft';
import { isSecretName, withoutSecretText } from '../config/secret-names';
import { own } from '../own';
import { refuse, say } from './sheet';
import type { Back, Row } from './tool';

const COMPLETIONS = '/v1/completions';
const CHAT = '/v1/chat/completions';
const BACKENDS: Readonly<Record<string, 'completion' | 'chat'>> = {
  openai: 'completion',
  vllm: 'completion',
  'openai-chat': 'chat',
};

export const ADDRESS: Row = {
  flags: ['base-url', 'host', 'port', 'endpoint', 'backend'],
  keys: ['server.base_url', 'api.type'],
  from(draft) {
    const { given } = draft;
    const [host, port] = [given.get('host')?.[0] ?? '127.0.0.1', given.get('port')?.[0] ?? '8000'];
    const url = given.get('base-url')?.[0] ?? `http://${host}:${port}`;
    if (!URL.canParse(url))
      refuse(draft, '--base-url', `${withoutSecretText(url)} is no address.`, 'Write http://host:port.');
    else {
      put(draft, 'server.base_url', url.replace(/\/+$/, ''));
      if (given.has('base-url')) say(draft, 'lossless', '--base-url', 'server.base_url');
      else if (given.has('host') || given.has('port')) say(draft, 'lossless', '--host, --port', 'server.base_url');
      else say(draft, 'assumed', '--base-url', `not given: ${url}`);
    }
    const backend = given.get('backend')?.[0] ?? 'openai';
    const type = own(BACKENDS, backend);
    if (type === undefined) {
      refuse(
        draft,
        '--backend',
        `inference-perf does not speak ${backend}.`,
        'Use --backend openai (completions) or openai-chat.',
      );
      return;
    }
    const endpoint = given.get('endpoint')?.[0] ?? COMPLETIONS;
    const route = type === 'chat' ? CHAT : COMPLETIONS;
    if (endpoint !== route) {
      const remedy =
        type === 'chat'
          ? `Add --endpoint ${CHAT}, which this backend needs.`
          : `Leave --endpoint out: ${COMPLETIONS} is what is sent to.`;
      refuse(
        draft,
        '--endpoint',
        `With --backend ${backend} requests go to ${endpoint}, and api.type ${type} sends to ${route}.`,
        remedy,
      );
    }
    put(draft, 'api.type', type);
    // Whatever is given: it always streams.
    put(draft, 'api.streaming', true);
    put(draft, 'server.type', 'vllm');
    say(draft, given.has('backend') ? 'lossless' : 'assumed', '--backend', `api.type ${type}, api.streaming true`);
  },
  to(back) {
    const { server, api } = back.loaded.config;
    if (server) back.words.push('--base-url', server.base_url);
    else refuse(back, 'server', 'The config names no server.', 'Add server.base_url.');
    if (api.type === 'chat') back.words.push('--backend', 'openai-chat', '--endpoint', CHAT);
    else if (api.type === 'completion') back.words.push('--backend', 'openai', '--endpoint', COMPLETIONS);
    else refuse(back, 'api.type', `vllm bench serve does not speak ${api.type}.`, 'Use completion or chat.');
    if (!api.streaming) refuse(back, 'api.streaming', 'vllm bench serve always streams.', 'Set api.streaming: true.');
    say(back, 'lossless', 'server.base_url, api.type', '--base-url, --backend, --endpoint');
    if (api.response_format !== null)
      refuse(back, 'api.response_format', 'It has no flag.', 'Leave it out, or give --extra-body by hand.');
  },
};

export const MODEL: Row = {
  flags: ['model', 'served-model-name', 'tokenizer', 'tokenizer-mode', 'trust-remote-code', 'skip-tokenizer-init'],
  keys: ['server.model_name', 'tokenizer'],
  from(draft) {
    const { given } = draft;
    const model = given.get('model')?.[0];
    const name = given.get('served-model-name')?.[0] ?? model;
    if (name === undefined)
      say(draft, 'assumed', '--model', 'not given: the first name at /v1/models is asked for, by both');
    else {
      put(draft, 'server.model_name', name);
      say(draft, 'lossless', '--model', 'server.model_name');
    }
    const tokenizer = given.get('tokenizer')?.[0] ?? model;
    if (tokenizer !== undefined) put(draft, 'tokenizer.pretrained_model_name_or_path', tokenizer);
    if (given.has('tokenizer')) say(draft, 'lossless', '--tokenizer', 'tokenizer.pretrained_model_name_or_path');
    const mode = given.get('tokenizer-mode')?.[0] ?? 'auto';
    if (mode !== 'auto' && mode !== 'hf') {
      refuse(
        draft,
        '--tokenizer-mode',
        `inference-perf has no tokenizer mode ${mode}: lengths would be others.`,
        'Use a tokenizer that Hugging Face loads.',
      );
    } else if (given.has('tokenizer-mode')) say(draft, 'lossless', '--tokenizer-mode', 'the only mode there is');
    if (given.has('trust-remote-code')) {
      put(draft, 'tokenizer.trust_remote_code', true);
      say(draft, 'lossless', '--trust-remote-code', 'tokenizer.trust_remote_code');
    }
    if (given.has('skip-tokenizer-init')) {
      refuse(draft, '--skip-tokenizer-init', 'Prompts would have no length in tokens.', 'Leave it out.');
    }
  },
  to(back) {
    const { server, tokenizer } = back.loaded.config;
    const name = server?.model_name ?? undefined;
    const path = tokenizer?.pretrained_model_name_or_path ?? undefined;
    if (name !== undefined) back.words.push('--model', path ?? name);
    if (path !== undefined) back.words.push('--tokenizer', path);
    if (name !== undefined && path !== undefined && path !== name) back.words.push('--served-model-name', name);
    if (tokenizer?.trust_remote_code === true) back.words.push('--trust-remote-code');
    say(back, 'lossless', 'server.model_name, tokenizer', '--model, --served-model-name, --tokenizer');
  },
};

/** @param otherwise the tool’s seed where none is given */
export function seedRow(otherwise: string): Row {
  return {
    flags: ['seed'],
    keys: ['# isoperf: seed'],
    from(draft) {
      const seed = draft.given.get('seed')?.[0] ?? otherwise;
      if (!/^\d{1,19}$/.test(seed)) {
        refuse(draft, '--seed', `'${seed}' is no whole number from 0.`, 'Write --seed 0.');
        return;
      }
      draft.directives.push(`seed=${seed}`);
      say(
        draft,
        draft.given.has('seed') ? 'changed' : 'assumed',
        '--seed',
        `${draft.given.has('seed') ? '' : `not given: ${otherwise}; `}the same number, another stream of prompts; and one seed sends the same prompts again to a cache that may know them`,
      );
    },
    to(back) {
      const seed = back.loaded.seed ?? back.loaded.config.load.base_seed ?? undefined;
      if (seed === undefined) {
        say(back, 'changed', 'seed', `not given: inference-perf draws anew each time, the tool takes ${otherwise}`);
        return;
      }
      back.words.push('--seed', String(seed));
      say(back, 'changed', 'seed', 'the same number, another stream of prompts');
    },
  };
}

export const HEADERS: Row = {
  flags: ['header'],
  keys: ['api.headers'],
  from(draft) {
    const entries = (draft.given.get('header') ?? []).map((word) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
      if (name === undefined)
        refuse(draft, '--header', `'${withoutSecretText(word)}' is not NAME=VALUE.`, 'Write --header NAME=VALUE.');
      return [name ?? '', value ?? ''] as const;
    });
    const plain = entries.filter(([name]) => name !== '' && !isSecretName(name));
    if (plain.length > 0) {
      put(draft, 'api.headers', Object.fromEntries(plain));
      say(draft, 'lossless', '--header', 'api.headers');
    }
    for (const [name] of entries.filter(([name]) => name !== '' && isSecretName(name))) {
      say(
        draft,
        'dropped',
        `--header ${name}`,
        'a secret is written nowhere: give the key by the environment (ISOPERF_API_KEY)',
      );
    }
  },
  to(back) {
    const headers = Object.entries(back.loaded.config.api.headers ?? {});
    const plain = headers.filter(([name]) => !isSecretName(name));
    if (plain.length > 0) back.words.push('--header', ...plain.map(([name, value]) => `${name}=${value}`));
    if (plain.length > 0) say(back, 'lossless', 'api.headers', '--header');
    for (const [name] of headers.filter(([name]) => isSecretName(name))) {
      say(back, 'dropped', `api.headers.${name}`, 'a secret is written nowhere: set OPENAI_API_KEY');
    }
  },
};

/** The flag's name -> the config's, in milliseconds and seconds. */
const LIMITS = { ttft: 'ttft', tpot: 'tpot', e2el: 'request_latency' } as const;

export const REPORT: Row = {
  flags: ['metric-percentiles', 'goodput', 'save-result', 'save-detailed', 'result-dir'],
  keys: ['report.request_lifecycle', 'report.goodput', 'storage.local_storage.path'],
  from(draft) {
    const { given } = draft;
    const percentiles = given.get('metric-percentiles')?.[0]?.split(',').map(Number);
    if (percentiles?.some((value) => !(value > 0 && value <= 100))) {
      refuse(
        draft,
        '--metric-percentiles',
        'They are numbers above 0, up to 100.',
        'Write --metric-percentiles 50,99.',
      );
    } else if (percentiles) {
      put(
        draft,
        'report.request_lifecycle.percentiles',
        [...new Set([50, ...percentiles])].sort((a, b) => a - b),
      );
      say(
        draft,
        'lossless',
        '--metric-percentiles',
        'report.request_lifecycle.percentiles, the median always with them',
      );
    }
    goodputFrom(draft);
    if (given.has('save-detailed')) {
      put(draft, 'report.request_lifecycle.per_request', true);
      say(draft, 'lossless', '--save-detailed', 'report.request_lifecycle.per_request');
    }
    const folder = given.get('result-dir')?.[0];
    if (folder !== undefined) {
      put(draft, 'storage.local_storage.path', folder);
      say(
        draft,
        'changed',
        '--result-dir',
        'storage.local_storage.path: a folder of inference-perf’s files, not one JSON file',
      );
    }
    if (given.has('save-result')) say(draft, 'dropped', '--save-result', 'a report is always kept');
  },
  to(back) {
    const { report } = back.loaded.config;
    const { percentiles, per_request: perRequest } = report.request_lifecycle;
    back.words.push('--percentile-metrics', 'ttft,tpot,itl,e2el', '--metric-percentiles', percentiles.join(','));
    say(back, 'lossless', 'report.request_lifecycle.percentiles', '--metric-percentiles');
    back.words.push('--save-result', ...(perRequest === true ? ['--save-detailed'] : []));
    goodputTo(back);
  },
};

export function goodputTo(back: Back): void {
  const { report } = back.loaded.config;
  const limits = Object.entries(report.goodput?.constraints ?? {});
  const words = limits.flatMap(([name, seconds]) => {
    const flag = Object.keys(LIMITS).find((key) => LIMITS[key as keyof typeof LIMITS] === name);
    if (flag === undefined)
      refuse(
        back,
        `report.goodput.constraints.${name}`,
        'It has no limit of that name.',
        'Use ttft, tpot or request_latency.',
      );
    return flag === undefined ? [] : [`${flag}:${seconds * 1000}`];
  });
  if (words.length > 0) {
    back.words.push('--goodput', ...words);
    say(
      back,
      'changed',
      'report.goodput',
      '--goodput, in ms: it counts an answer of one token as TPOT 0, inference-perf as missed',
    );
  }
}

/** `ttft:200 tpot:50 e2el:3000`, in milliseconds. */
export function goodputFrom(draft: Draft): void {
  const words = draft.given.get('goodput');
  if (!words) return;
  const constraints: Record<string, number> = {};
  for (const word of words) {
    const [, name = '', value] = /^(\w+):(\d+(?:\.\d+)?)$/.exec(word) ?? [];
    const key = own(LIMITS, name);
    if (key === undefined || value === undefined) {
      refuse(draft, '--goodput', `'${word}' is no limit.`, 'Write ttft:MS, tpot:MS or e2el:MS.');
    } else constraints[key] = Number(value) / 1000;
  }
  put(draft, 'report.goodput.constraints', constraints);
  say(
    draft,
    'changed',
    '--goodput',
    'report.goodput.constraints, in seconds: an answer of one token counts as TPOT 0 there and as missed here; failures are left out of the share here',
  );
}

export const LORA: Row = {
  flags: ['lora-modules', 'lora-assignment'],
  keys: ['load.lora_traffic_split'],
  from(draft) {
    const names = draft.given.get('lora-modules');
    const how = draft.given.get('lora-assignment')?.[0] ?? 'random';
    if (!names) {
      if (draft.given.has('lora-assignment')) say(draft, 'dropped', '--lora-assignment', 'there are no adapters');
      return;
    }
    if (how !== 'random') {
      refuse(
        draft,
        '--lora-assignment',
        `${how}: inference-perf draws adapters by chance only.`,
        'Use --lora-assignment random.',
      );
      return;
    }
    // Shares of few binary digits, so that they add up to exactly 1: the last takes what is left.
    const share = Math.floor(2 ** 40 / names.length) / 2 ** 40;
    const rest = 1 - share * (names.length - 1);
    put(
      draft,
      'load.lora_traffic_split',
      names.map((name, i) => ({ name, split: i === names.length - 1 ? rest : share })),
    );
    say(draft, 'changed', '--lora-modules', 'load.lora_traffic_split with equal shares: the same law, another draw');
  },
  to(back) {
    const split = back.loaded.config.load.lora_traffic_split;
    if (!split) return;
    const equal = split.every(({ split: share }) => Math.abs(share * split.length - 1) < 1e-6);
    if (!equal) {
      refuse(back, 'load.lora_traffic_split', 'vllm bench serve knows equal shares only.', 'Make the shares equal.');
      return;
    }
    back.words.push('--lora-modules', ...split.map(({ name }) => name), '--lora-assignment', 'random');
    say(back, 'changed', 'load.lora_traffic_split', '--lora-modules: the same law, another draw');
  },
};

export const SAMPLING: Row = {
  flags: ['temperature', 'extra-body'],
  keys: ['# isoperf: greedy'],
  from(draft) {
    const temperature = draft.given.get('temperature')?.[0];
    if (temperature !== undefined) sampled(draft, '--temperature', { temperature: Number(temperature) });
    const body = draft.given.get('extra-body')?.[0];
    if (body !== undefined) sampled(draft, '--extra-body', jsonOf(body));
  },
  to(back) {
    if (!back.loaded.directives.some(({ name }) => name === 'greedy')) {
      say(back, 'lossless', 'sampling', 'neither sends any: the server’s defaults apply');
      return;
    }
    back.words.push('--temperature', '0');
    say(back, 'lossless', '# isoperf: greedy', '--temperature 0');
  },
};

/** Parameters of a body: what a config can say of them, the rest refused. */
export function sampled(draft: Draft, flag: string, body: unknown): void {
  if (typeof body !== 'object' || body === null) {
    refuse(draft, flag, 'It is no JSON object.', 'Write for instance \'{"ignore_eos": true}\'.');
    return;
  }
  for (const [key, value] of Object.entries(body)) {
    if (key === 'temperature' && value === 0) {
      draft.directives.push('greedy');
      say(draft, 'changed', flag, 'temperature 0 as # isoperf: greedy: IsoPerf sends it, inference-perf does not');
    } else if (key === 'ignore_eos' && typeof value === 'boolean') {
      put(draft, 'server.ignore_eos', value);
      say(draft, 'lossless', flag, `server.ignore_eos ${value}`);
    } else
      refuse(
        draft,
        flag,
        `inference-perf sends no ${key}.`,
        'Leave it out on both sides, or set it as the server’s default.',
      );
  }
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
