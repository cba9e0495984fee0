// Configs with nothing to say about them, and the one change that a test makes in them.

/** A config with nothing to say about it. */
export const CLEAN = `# isoperf: seed=1
load:
  type: poisson
  num_workers: 4
  worker_max_concurrency: 100
  request_timeout: 60
  stages:
    - { rate: 5, duration: 20 } # isoperf: warmup
    - { rate: 5, duration: 100 }
api: { type: completion, streaming: true }
server: { base_url: http://h:1, model_name: org/model }
tokenizer: { pretrained_model_name_or_path: org/model }
data:
  type: random
  input_distribution: { type: fixed, mean: 64 }
  output_distribution: { type: fixed, mean: 32 }
`;

export const CLOSED = CLEAN.replace(
  /load:[\s\S]*?api:/,
  'load:\n  type: concurrent\n  num_workers: 4\n  request_timeout: 60\n  stages:\n    - { num_requests: 50, concurrency_level: 4 } # isoperf: warmup\n    - { num_requests: 400, concurrency_level: 4 }\napi:',
);
export const SHARED = CLEAN.replace('{ rate: 5, duration: 20 } # isoperf: warmup\n    - ', '')
  .replace('duration: 100 }', 'duration: 100 } # isoperf: warmup')
  .replace(
    /data:[\s\S]*/,
    'data:\n  type: shared_prefix\n  shared_prefix: { seed: 1, num_groups: 100, num_prompts_per_group: 10, question_len: 50 }\n',
  );
export const with_ = (text: string, from: string | RegExp, to: string): string => {
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`nothing to replace: ${String(from)}`);
  return changed;
};
