// Which engine a container runs, and what shows it. The name of an image is no evidence, in neither direction.
import { describe, expect, it } from 'vitest';
import { engineOf } from '../../../src/cluster/evidence';

const of = (container: object): ReturnType<typeof engineOf> => engineOf({ name: 'main', ...container });
const short = (container: object): unknown[] => {
  const found = of(container);
  return found ? [found.engine, found.model, found.servedName, found.port] : [];
};

describe('an engine is found by what is started', () => {
  it.each<[string, object, unknown[]]>([
    ['vllm serve', { command: ['vllm', 'serve', 'o/m', '--port', '9'] }, ['vllm', 'o/m', undefined, 9]],
    [
      'vllm’s module, of any image',
      {
        image: 'x',
        command: ['python3', '-m', 'vllm.entrypoints.openai.api_server'],
        args: ['--model=m', '--served-model-name', 's', 't'],
      },
      ['vllm', 'm', 's', 8000],
    ],
    [
      'in a script',
      {
        command: ['bash', '-c', 'ray start --head && vllm serve m --port=$PORT'],
        env: [{ name: 'PORT', value: '81' }],
      },
      ['vllm', 'm', undefined, 81],
    ],
    [
      'sglang',
      { command: ['python', '-m', 'sglang.launch_server', '--model-path', 'm'] },
      ['sglang', 'm', undefined, 30000],
    ],
    ['tgi', { args: ['text-generation-launcher', '--model-id', 'm'] }, ['tgi', 'm', undefined, 80]],
    ['trtllm-serve', { command: ['trtllm-serve'], args: ['serve', 'm'] }, ['tensorrt-llm', 'm', undefined, 8000]],
    ['triton', { args: ['tritonserver', '--model-repository=/r'] }, ['triton', '/r', undefined, 8000]],
    [
      'llama.cpp',
      { command: ['/app/llama-server', '-m', '/m.gguf', '--alias', 'a'] },
      ['llama.cpp', '/m.gguf', 'a', 8080],
    ],
    ['ollama', { command: ['ollama', 'serve'] }, ['ollama', undefined, undefined, 11434]],
    ['lmdeploy', { command: ['lmdeploy', 'serve', 'api_server', 'm'] }, ['lmdeploy', 'm', undefined, 23333]],
    ['ray serve', { command: ['sh', '-c', 'serve run app:x'] }, ['ray-serve', undefined, undefined, 8000]],
    [
      'kserve',
      { image: 'kserve/huggingfaceserver:v1', args: ['--model_name=s', '--model_id=m'] },
      ['kserve-huggingface', 'm', 's', 8080],
    ],
  ])('%s', (_, container, expected) => {
    expect(short(container)).toEqual(expected);
    expect(of(container)!.reasons.length).toBeGreaterThan(0);
  });

  it('an image’s own entrypoint needs one more sign; the model may stand in the image', () => {
    const image = 'registry.example:5000/vllm/vllm-openai:v1@sha256:aa';
    expect(of({ image, args: ['sim', '--max-num-seqs', '256'] })).toMatchObject({
      engine: 'vllm',
      reasons: ['image registry.example:5000/vllm/vllm-openai with its own entrypoint', 'flags --max-num-seqs'],
    });
    expect(of({ image })).toBeUndefined();
    expect(of({ image, ports: [{ containerPort: 8000 }] })?.reasons).toHaveLength(2);
    expect(short({ image: 'nvcr.io/nim/meta/llama-3.1-8b-instruct:1', env: [{ name: 'NIM_X', value: '1' }] })).toEqual([
      'nim',
      'meta/llama-3.1-8b-instruct',
      undefined,
      8000,
    ]);
  });

  it('a start script of any name is known by two flags of an engine', () => {
    const args = ['--model', 'm', '--gpu-memory-utilization', '0.9', '--max-model-len=4096'];
    expect(of({ image: 'corp/llm:1', command: ['/start.sh'], args })).toMatchObject({
      engine: 'vllm',
      model: 'm',
      reasons: ['flags --gpu-memory-utilization, --max-model-len'],
    });
    expect(of({ image: 'corp/llm:1', command: ['/start.sh'], args: args.slice(0, 4) })).toBeUndefined();
  });

  it.each<[string, object]>([
    [
      'a router',
      { image: 'vllm/router', command: ['vllm-router'], args: ['--port', '8000', '--served-model-name', 'm'] },
    ],
    ['a benchmark', { image: 'vllm/vllm-openai:v1', command: ['vllm', 'bench', 'serve', '--model', 'm'] }],
    [
      'a benchmark of its entrypoint',
      {
        image: 'lmsysorg/sglang',
        args: ['python', '-m', 'sglang.bench_serving'],
        resources: { limits: { 'nvidia.com/gpu': 1 } },
      },
    ],
    ['a cache server', { image: 'lmcache/vllm-openai', command: ['lmcache_server', '0.0.0.0', '81'] }],
    [
      'another command',
      { image: 'vllm/vllm-openai', command: ['sleep', 'inf'], resources: { limits: { 'nvidia.com/gpu': 1 } } },
    ],
    ['a name', { name: 'vllm-server', image: 'busybox' }],
    ['a download', { command: ['sh', '-c', 'pip install vllm; echo vllm serve m'] }],
    ['a ray worker', { image: 'vllm/vllm-openai', command: ['sh', '-c', 'ray start --address=x:6379 --block'] }],
  ])('%s is none', (_, container) => {
    expect(of(container)).toBeUndefined();
  });
});
