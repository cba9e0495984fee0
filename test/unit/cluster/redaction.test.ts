// Redaction both ways: in no form does a secret stay, and what only sounds like one is kept letter by letter.
import { expect, it } from 'vitest';
import { commandLine, withoutSecretVariables } from '../../../src/cluster/argv';
const S = 'zqzq1Aq9zq';
const pem = `-----BEGIN RSA PRIVATE KEY-----\nMII${S}\nabc/${S}==\n-----END RSA PRIVATE KEY-----`;

const secretArguments: string[][] = [
  ['--hf_token', S],
  ['--huggingface-token=' + S],
  ['--ssl-keyfile-password', S],
  ['--admin-key', S],
  ['--jwt-secret', S],
  ['--wandb-key=' + S],
  ['--dsn', 'postgres://u:' + S + '@h/d'],
  ['--header', `Authorization: Bearer ${S}`],
  ['--header', `X-Api-Key: ${S}`],
  ['-H', `Cookie: a=${S}`],
  ['--x', `{"remote_url":"redis://:${S}@h"}`],
  ['--x', `{"auths":{"r":{"auth":"${S}"}}}`],
  ['--x', `{'password': '${S}'}`],
  ['--x', pem],
  ['--url', `https://a.blob/x?sv=1&sig=${S}`],
  ['--api-key', S, S],
  ['--api_keys', S, S],
  ['--api-key', `["${S}"]`],
  ['sh', '-c', `vllm serve m --api-key "${S} b"`],
  ['sh', '-c', `echo ${S} | login --password-stdin; vllm serve m`],
  ['sh', '-c', `KEY_API_TOKEN='${S}' vllm serve m`],
  ['sh', '-c', `curl -u user:${S} https://h; vllm serve m`],
  ['sh', '-c', `curl -H "Authorization: Token ${S}" h; vllm serve m`],
  ['sh', '-c', `huggingface-cli login --token ${S} && vllm serve m`],
  ['sh', '-c', `git clone https://oauth2:${S}@h/x; vllm serve m`],
  ['sh', '-c', `export PASS=${S}; vllm serve m`],
  ['sh', '-c', `cat > /root/.netrc <<X\nmachine h login u password ${S}\nX\nvllm serve m`],
  ['sh', '-c', `aws configure set aws_secret_access_key ${S}; vllm serve m`],
  ['sh', '-c', `read -r T <<< "${S}"; vllm serve m --api-key $T`],
  ['--config-json', `{"a":[{"name":"API_KEY","value":"${S}"}]}`],
  ['--env', `HF_TOKEN=${S}`],
  ['-e', 'HF_TOKEN=' + S],
  ['--set=auth.token=' + S],
  ['--api-key', '-' + S],
];

const secretVariables: [string, string][] = [
  ['WANDB_API_KEY', S],
  ['NGC_API_KEY', S],
  ['MY_PAT', S],
  ['SENTRY_DSN', `https://${S}@sentry.io/1`],
  ['SLACK_WEBHOOK_URL', `https://hooks.slack.com/services/T0/B0/${S}`],
  ['REDIS_URL', `redis://:${S}@h`],
  ['CONN', `Server=h;User=u;Password=${S};`],
  ['AZ', `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${S};E=x`],
  ['LICENSE', pem],
  ['LICENSE_KEY', S],
  ['ENCRYPTION_KEY', S],
  ['DOCKER_CONFIG_JSON', `{"auths":{"r":{"auth":"${S}"}}}`],
  ['X_CREDS', S],
  ['HF_AUTH', S],
  ['AWS_SESSION_TOKEN', S],
  ['AWS_ACCESS_KEY_ID', 'AKIAABCDEFGHIJKLMNOP'],
  ['PGPASSWORD', S],
  ['MYSQL_PWD', S],
  ['TOKEN_1', S],
  ['KEY', S],
  ['VLLM_API_KEY', S],
  ['GITLAB', 'glpat-' + S + 'abcdefghijkl'],
  ['JWT_STRING', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkw.${S}`],
  ['SIGNING_SALT', S],
  ['COOKIE', S],
  ['SECRET1', S],
  ['OTEL_EXPORTER_OTLP_HEADERS', `api-key=${S}`],
  ['OTEL_HEADERS', `authorization=Basic ${S}`],
  ['PRIVATEKEY', S],
  ['BASIC_AUTH', 'u:' + S],
  ['DATADOG_APP_KEY', S],
  ['PASSPHRASE', S],
  ['HFTOKEN', S],
  ['HUGGINGFACEHUB_API_TOKEN', S],
];

const openArguments: string[][] = [
  ['--kv-transfer-config', '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'],
  ['--tokenizer', 'a/b'],
  ['--revision', 'a'.repeat(10) + '0123456789abcdef0123456789abcd'],
  ['--chat-template', '{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}'],
  ['--hf-overrides', '{"rope_scaling":{"rope_type":"yarn","factor":4.0}}'],
  ['--max-tokens', '4'],
  ['--ssl-keyfile', '/x'],
  ['--ssl-ca-certs', '/y'],
  ['--speculative-config', '{"method":"eagle3","num_speculative_tokens":3}'],
  ['--override-generation-config', '{"max_new_tokens":5,"temperature":0.1}'],
  ['--allowed-origins', '["*"]'],
  ['--served-model-name', 'a:b'],
  ['--max-num-batched-tokens', '1'],
  ['--enable-auto-tool-choice'],
  ['--tool-call-parser', 'hermes'],
  ['--lora-modules', '{"name":"a","path":"b"}'],
  ['--token-usage', 'x'],
  ['--reasoning-start-token', '<think>'],
  ['--pad-token', 'x'],
  ['--api-key-unused', 'x'],
  ['--kv-events-config', '{"endpoint":"tcp://*:5557","topic":"kv@10.0.0.1@m"}'],
  ['--url', 'http://user-svc.ns.svc:80/v1'],
  ['--model', 's3://bucket/key/model'],
  ['--limit-mm-per-prompt', 'image=4,video=1'],
  ['--generation-tokens', '5'],
  ['--hash-algorithm', 'sha256'],
  ['--load-format', 'runai_streamer'],
  ['--model-loader-extra-config', '{"concurrency":16,"memory_limit":5}'],
  ['--dist-init-addr', 'host:50000'],
  ['--stop-token-ids', '1', '2'],
  ['--mm-processor-kwargs', '{"max_pixels":1}'],
  ['--compilation-config', '{"level":3,"cudagraph_capture_sizes":[1,2]}'],
  ['--num-tokens-per-page', '16'],
  ['--password-file', '/etc/pw'],
  ['--log-config', '/x'],
  ['--author', 'me'],
  ['--cache-key-prefix', 'z'],
  ['--authorized-keys-path', '/x'],
  ['--disable-tokenizer'],
  ['--monkey', 'z'],
];

const openVariables: [string, string][] = [
  ['PYTHONHASHSEED', '0'],
  ['VLLM_USE_FLASHINFER_SAMPLER', '1'],
  ['CUDA_VISIBLE_DEVICES', 'GPU-8a1b2c3d-1234-5678-9abc-def012345678'],
  ['HF_HUB_ENABLE_HF_TRANSFER', '1'],
  ['LMCACHE_LOCAL_CPU', 'True'],
  ['TOKENIZERS_PARALLELISM', 'false'],
  ['VLLM_ATTENTION_BACKEND', 'FLASH_ATTN'],
  ['NCCL_SOCKET_IFNAME', 'eth0'],
  ['UCX_TLS', 'cuda_ipc,cuda_copy,tcp'],
  ['VLLM_NIXL_SIDE_CHANNEL_HOST', '(field status.podIP)'],
  ['HF_TOKEN', '(secret s/k)'],
  ['KEY_PATH', '/x'],
  ['MAX_TOTAL_TOKENS', '4096'],
  ['MAX_BATCH_PREFILL_TOKENS', '1'],
  ['LD_LIBRARY_PATH', '/usr/local/nvidia/lib64:/x'],
  ['SIM_FLAGS', '--ttft-ms 20 --tpot-ms 10'],
  ['NIM_MODEL_PROFILE', 'a'.repeat(64)],
  ['VLLM_ALLOW_LONG_MAX_MODEL_LEN', '1'],
  ['SGLANG_TOKENIZER', 'x'],
  ['AUTHOR', 'x'],
  ['KEYCLOAK_REALM', 'r'],
  ['PASSTHROUGH', '1'],
  ['MODEL_URI', 'gs://b/k'],
  ['VLLM_LOGGING_LEVEL', 'DEBUG'],
  ['POD_IP', '(field status.podIP)'],
  ['VLLM_TORCH_PROFILER_DIR', '/x'],
  ['TOKEN_LIMIT', '5'],
  ['AWS_REGION', 'us'],
  ['S3_KEY_PREFIX', 'x'],
  ['COMPASS', 'n'],
  ['BYPASS', '1'],
];

it.each(secretArguments.map((args) => [args.join(' '), args]))('no secret stays of %j', (_, args) => {
  expect(JSON.stringify(commandLine(args))).not.toContain(S);
});

it.each(secretVariables)('no secret stays of %s=%j', (name, value) => {
  const kept = JSON.stringify(withoutSecretVariables([[name, value]]));
  expect(kept).not.toContain(S);
  expect(kept).not.toContain('AKIAABC');
});

it.each(openArguments.map((args) => [args.join(' '), args]))('nothing is lost of %j', (_, args) => {
  expect(commandLine(args).args).toEqual(args);
});

it.each(openVariables)('nothing is lost of %s=%j', (name, value) => {
  expect(withoutSecretVariables([[name, value]])).toEqual({ [name]: value });
});
