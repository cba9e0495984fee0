// What run.json keeps of a cluster: the stack at the start and at the end, what changed between, and the way that was used.
import * as z from 'zod';

const count = z.int().nonnegative();
const text = z.string().optional();

const container = z.object({
  role: z.string().meta({ description: 'server, prefill, decode, leader, worker, router, endpoint-picker, sidecar.' }),
  workload: z.string().meta({ description: 'Topmost owner that was read: "Deployment vllm".' }),
  name: z.string(),
  engine: text,
  model: text,
  image: z.string().optional().meta({ description: 'As written in the pod.' }),
  digests: z
    .array(z.object({ digest: z.string(), pods: count }))
    .meta({ description: 'Digests that run, by the pods’ status: several during a rollout.' }),
  args: z.array(z.string()).meta({ description: 'Command and arguments after un-shelling, without secrets.' }),
  env: z.record(z.string(), z.string()).meta({ description: 'Without secrets; a reference is kept as a reference.' }),
  resources: z.record(z.string(), z.string()).optional().meta({ description: 'Limits, else requests.' }),
  injected: z.boolean().optional().meta({ description: 'In the pod and not in its template: an admission hook’s.' }),
});
export type StackContainer = z.infer<typeof container>;

const workload = z.object({
  kind: z.string(),
  name: z.string(),
  role: z.string(),
  wanted: count.optional(),
  ready: count.optional(),
  podsEach: count.optional().meta({ description: 'Pods of one replica: a LeaderWorkerSet’s size.' }),
  autoscaler: z.string().optional().meta({ description: '"HorizontalPodAutoscaler vllm, 1 to 4".' }),
  rollout: z.string().optional().meta({ description: 'Why pods and template differ; absent when they do not.' }),
});

const pod = z.object({
  name: z.string(),
  uid: z.string(),
  role: z.string(),
  workload: z.string(),
  node: text,
  ready: z.boolean(),
  qos: text,
  containers: z.array(
    z.object({
      name: z.string(),
      restarts: count,
      containerId: text,
      digest: text,
      lastEnd: z.string().optional().meta({ description: 'Why it ended the last time: OOMKilled, Error (exit 1).' }),
    }),
  ),
});
export type StackPod = z.infer<typeof pod>;

const accelerator = z.object({
  role: z.string(),
  resource: z.string().meta({ description: 'nvidia.com/gpu, google.com/tpu, ...; or a resource claim.' }),
  perPod: z.number(),
  product: text,
  driver: text,
  shared: z.string().optional().meta({ description: 'Time slicing or MIG, as the node says it.' }),
  from: z.enum(['node', 'selector', 'unknown']).meta({ description: 'Who says which product it is.' }),
});

export const stackSnapshotSchema = z.object({
  atSeconds: z.number().meta({ description: 'On the run’s clock; negative before its zero.' }),
  namespace: z.string(),
  target: z.string().meta({ description: 'What was sent to: "svc/vllm:80".' }),
  clusterVersion: text,
  containers: z.array(container),
  workloads: z.array(workload),
  pods: z.array(pod),
  accelerators: z.array(accelerator),
  nodes: z.array(z.object({ name: z.string(), facts: z.record(z.string(), z.string()) })),
  routing: z.record(z.string(), z.string()).meta({
    description: 'Service type and affinity, Gateway class, HTTPRoute, InferencePool, endpoint picker.',
  }),
  missing: z
    .array(z.object({ what: z.string(), reason: z.string() }))
    .meta({ description: 'What could not be read and is therefore not known.' }),
});
export type StackSnapshot = z.infer<typeof stackSnapshotSchema>;

const CHANGES = [
  'restart',
  'pod-gone',
  'pod-new',
  'not-ready',
  'ready',
  'scaled',
  'image',
  'flags',
  'environment',
  'template',
  'autoscaler',
  'routing',
  'node',
  'event',
] as const;

export const changeSchema = z.object({
  atSeconds: z.number().meta({ description: 'On the run’s clock: when it was seen.' }),
  kind: z.enum(CHANGES),
  object: z.string().meta({ description: '"Pod vllm-7f9c-x".' }),
  words: z.string(),
  before: text,
  after: text,
});
export type Change = z.infer<typeof changeSchema>;

const milliseconds = z.object({ p50: z.number(), p99: z.number() });

export const routeFactsSchema = z.object({
  kind: z.enum(['port-forward', 'in-cluster', 'gateway', 'direct']),
  target: z.string().optional().meta({ description: '"k8s://prod/llm/svc/vllm:80".' }),
  url: z.string().optional().meta({ description: 'The address inside the cluster.' }),
  pod: z.string().optional().meta({ description: 'The one pod a port-forward goes to.' }),
  client: z.string().optional().meta({ description: '"kubectl 1.32.4".' }),
  rttMilliseconds: milliseconds.optional().meta({ description: 'Of small requests before the run.' }),
  setUpMilliseconds: milliseconds.optional().meta({ description: 'Of new connections before the run.' }),
  probes: z
    .array(z.object({ atSeconds: z.number(), milliseconds: z.number().optional() }))
    .optional()
    .meta({ description: 'One a second during the run; without milliseconds it failed.' }),
  losses: z
    .array(z.object({ fromSeconds: z.number(), toSeconds: z.number().optional(), reason: z.string() }))
    .optional()
    .meta({ description: 'When the route was lost; without an end it did not come back.' }),
});
export type RouteFacts = z.infer<typeof routeFactsSchema>;

/** `stack.kubernetes` of run.json. */
export const kubernetesFactsSchema = z.object({
  start: stackSnapshotSchema,
  end: stackSnapshotSchema.optional().meta({ description: 'Absent when the run was killed.' }),
  changes: z.array(changeSchema).meta({ description: 'Between the two, in the order they were seen.' }),
});
export type KubernetesFacts = z.infer<typeof kubernetesFactsSchema>;
