// Real runs for a comparison: the engine against the embedded simulator, over loopback, differing only in what a test plants.
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { diskFolder } from '../../../src/cli/folder';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import type { StackRecord } from '../../../src/folder/stack';
import type { SimulatorOptions } from '../../../src/simulator/options';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { memoryFolder } from './memory-folder';
import { harness, SAMPLE_TOKENIZER } from '../run/harness';

/** Parts of a config, as YAML flow mappings; what is not given is the same for everybody. */
export interface ConfigParts {
  /** Lines before everything: directives of the document. */
  readonly head?: string;
  readonly load?: string;
  readonly api?: string;
  readonly data?: string;
  readonly report?: string;
}

export interface RealOptions {
  readonly config?: ConfigParts;
  readonly server?: Partial<SimulatorOptions>;
  readonly stack?: Partial<StackRecord>;
  readonly seed?: number;
  /** Between client and server: what it does to a line of a streamed answer. */
  readonly way?: (line: string) => string;
  /** A server that is running already. */
  readonly at?: Simulator;
  /** What the files say afterwards, where only another tool or machine could have made them. */
  readonly rewrite?: (run: Run) => Run | Promise<Run>;
}

export const RATE = 40;
export const REQUESTS = 80;

export const lengths = (input: number, output: number): string =>
  `{ type: random, input_distribution: ${fixed(input)}, output_distribution: ${fixed(output)} }`;
const fixed = (tokens: number): string =>
  `{ type: fixed, min: ${tokens}, max: ${tokens}, mean: ${tokens}, std_dev: 0 }`;

export const open = (rate: number, duration: number, more = ''): string =>
  `{ type: constant, interval: 0, num_workers: 1, worker_max_concurrency: 128, ${more} stages: [{ rate: ${rate}, duration: ${duration} }] }`;

function yamlOf({ head = '', load, api, data, report }: ConfigParts, url: string, seed: number): string {
  return `# isoperf: seed=${seed}
${head}
load: ${load ?? open(RATE, REQUESTS / RATE)}
api: ${api ?? '{ type: completion, streaming: true }'}
server: { type: vllm, model_name: sim-model, base_url: "${url}", ignore_eos: true }
tokenizer: { pretrained_model_name_or_path: "${SAMPLE_TOKENIZER}" }
data: ${data ?? lengths(48, 8)}
report: ${report ?? '{ request_lifecycle: { per_request: true } }'}
`;
}

const STACK: StackRecord = {
  source: 'stack.yaml',
  model: 'sim-model',
  engine: 'isoperf simulate',
  engineVersion: '0.1.0',
  image: 'isoperf/simulator:v1',
  args: ['--ttft-ms', '40', '--tpot-ms', '5'],
  env: {},
  accelerator: 'none',
  replicas: 1,
  parallelism: 'none',
  route: 'direct',
};

export const SERVER: Partial<SimulatorOptions> = { port: 0, ttftSeconds: 0.04, tokenSeconds: 0.005 };

/** Two to three seconds; what it opened is closed again. */
export async function realRun({ config = {}, server, stack, seed = 1, way, at, rewrite }: RealOptions): Promise<Run> {
  const simulator = at ?? (await startSimulator({ ...SERVER, ...server }));
  const forwarder = way && (await startForwarder(simulator.port, way));
  const own = harness();
  try {
    const { folder } = await own.ran(yamlOf(config, forwarder?.url ?? simulator.url, seed), {
      stack: { ...STACK, ...stack },
      endpointKind: 'simulator',
    });
    const place = path.resolve(own.folder, folder);
    const read = await readRun(diskFolder(path.basename(own.folder), place));
    if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
    return rewrite ? await rewrite(read.value) : read.value;
  } finally {
    own.remove();
    await forwarder?.close();
    if (!at) await simulator.close();
  }
}

/** A process between client and server, as a gateway or a port-forward is; it sees answers line by line. */
async function startForwarder(port: number, way: (line: string) => string) {
  const server: Server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: target = '/', headers } = incoming;
    const onward = request({ host: '127.0.0.1', port, method, path: target, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      let rest = '';
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) outgoing.write(`${way(line)}\n`);
      });
      answer.on('end', () => outgoing.end(rest === '' ? undefined : way(rest)));
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** The same run as the files of inference-perf would show it: reports and config, no run.json, no requests. */
export async function asReports(run: Run, change: (report: LooseReport) => void = () => undefined): Promise<Run> {
  const changed = (report: unknown): string => {
    const copy = structuredClone(report) as LooseReport;
    change(copy);
    return JSON.stringify(copy);
  };
  const read = await readRun(
    memoryFolder({
      'config.yaml': run.configText ?? '',
      'summary_lifecycle_metrics.json': changed(run.summary),
      'stage_0_lifecycle_metrics.json': changed(run.stages.get(0)),
    }),
  );
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return { ...read.value, stack: run.manifest!.stack! };
}

export interface LooseReport {
  successes: { latency: Record<string, Record<string, number> | null> };
}
