// A result file as vLLM's benchmark writes it, small and consistent with itself.

export const FOREIGN_FILE = 'openai-10qps-model.json';

export const VLLM_RESULT = {
  date: '20260722-060114',
  backend: 'openai',
  model_id: 'org/model-8b',
  tokenizer_id: 'org/model-8b',
  num_prompts: 500,
  request_rate: 10,
  burstiness: 1,
  max_concurrency: null,
  duration: 50,
  completed: 500,
  failed: 0,
  total_input_tokens: 100_000,
  total_output_tokens: 50_000,
  request_throughput: 10,
  output_throughput: 1000,
  total_token_throughput: 3000,
  mean_ttft_ms: 60,
  median_ttft_ms: 55,
  p99_ttft_ms: 120,
  mean_tpot_ms: 10,
  median_tpot_ms: 10,
  p99_tpot_ms: 14,
  mean_itl_ms: 10,
  median_itl_ms: 9.8,
  p99_itl_ms: 20,
  mean_e2el_ms: 1050,
  median_e2el_ms: 1040,
  p99_e2el_ms: 1500,
};
