// The Kubernetes objects that run a config of the same file: do they run it once, with room enough, and is the report kept?
import type { ConfigPath, Problem } from '../../problem';
import type { Config } from '../model/schema';
import type { Placed, RegionSearch } from './regions';
import { isObject } from '../../own';

type Mapping = Readonly<Record<string, unknown>>;

const list = (value: unknown): readonly Mapping[] => (Array.isArray(value) ? value.filter(isObject) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a Job, or another object whose pod has an inference-perf container, does to the run of this config. */
export function jobProblems(config: Config, { documents }: RegionSearch): readonly Problem[] {
  return documents.flatMap((placed) =>
    objectsIn(placed.document.value, []).flatMap((found) => judge(found, placed, config)),
  );
}

interface Found {
  readonly value: Mapping;
  readonly path: ConfigPath;
}

/** The objects of a document; those of a List, too. */
function objectsIn(value: unknown, path: ConfigPath): readonly Found[] {
  if (!isObject(value) || typeof value['kind'] !== 'string') return [];
  const items = value['items'];
  if (!Array.isArray(items)) return [{ value, path }];
  return items.flatMap((item, index) => objectsIn(item, [...path, 'items', index]));
}

/** Where each kind keeps the Job's and the pod's settings; `endless` kinds start a container again whatever it says. */
const SPECS = new Map<unknown, { readonly job?: ConfigPath; readonly pod: ConfigPath; readonly endless?: true }>([
  ['Pod', { pod: ['spec'] }],
  ['Job', { job: ['spec'], pod: ['spec', 'template', 'spec'] }],
  ['CronJob', { job: ['spec', 'jobTemplate', 'spec'], pod: ['spec', 'jobTemplate', 'spec', 'template', 'spec'] }],
]);
for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet']) {
  SPECS.set(kind, { pod: ['spec', 'template', 'spec'], endless: true });
}

function judge({ value, path }: Found, { document, toFile }: Placed, config: Config): readonly Problem[] {
  const specs = SPECS.get(value['kind']);
  const pod = specs && inside(value, specs.pod);
  if (!specs || !pod) return [];
  const containers = list(pod['containers']);
  const index = containers.findIndex(isBenchmark);
  const container = containers[index];
  if (!container) return [];
  const name = `${text(value['kind'])} ${text(inside(value, ['metadata'])?.['name'])}`.trim();
  const at = (where: ConfigPath, message: string, remedy: string): Problem => {
    const range = document.range([...path, ...where], 'key');
    return {
      code: 'CFG026',
      severity: 'warning',
      path: [],
      message: `${name}: ${message}`,
      remedy,
      ...(range ? { range: toFile(range) } : {}),
    };
  };
  const job = specs.job && inside(value, specs.job);
  const own = [...specs.pod, 'containers', index];
  return [
    ...(job
      ? retries(job, specs.job, pod, specs.pod, at)
      : restarts(specs.endless ? 'Always' : (pod['restartPolicy'] ?? 'Always'), pod, container, specs.pod, at)),
    ...(keepsReports(pod, containers, container, config)
      ? []
      : [
          at(
            'volumeMounts' in container ? [...own, 'volumeMounts'] : own,
            `the report goes to ${placeOf(config)} in the container, which no lasting volume holds, and to no bucket: with the pod it is gone.`,
            'Mount a persistentVolumeClaim and write storage.local_storage.path below it, or name a bucket under storage.',
          ),
        ]),
    ...memory(container, own, config, at),
  ];
}

type At = (where: ConfigPath, message: string, remedy: string) => Problem;

function retries(job: Mapping, jobPath: ConfigPath, pod: Mapping, podPath: ConfigPath, at: At): readonly Problem[] {
  const limit = job['backoffLimit'];
  const isLast = limit === 0 || limit === '0';
  const inPlace = pod['restartPolicy'] === 'OnFailure';
  if ((isLast && !inPlace) || (typeof limit === 'string' && Number.isNaN(Number(limit)))) return [];
  const times = isLast
    ? 'before the Job is given up (restartPolicy: OnFailure restarts the container first)'
    : limit === undefined
      ? 'up to 6 times (the default of backoffLimit)'
      : `up to ${typeof limit === 'number' ? limit : text(limit)} times`;
  return [
    at(
      limit !== undefined && !isLast ? [...jobPath, 'backoffLimit'] : inPlace ? [...podPath, 'restartPolicy'] : jobPath,
      `when it fails it is run again, ${times}: ${ANEW}`,
      'Write backoffLimit: 0 and restartPolicy: Never.',
    ),
  ];
}

const ANEW =
  'the load is sent anew, to caches that the run before has filled, and reports of both may lie in one place.';

/** Without a Job. A container whose script stays alive at its end is kept for somebody, and not started again. */
function restarts(policy: unknown, pod: Mapping, container: Mapping, podPath: ConfigPath, at: At): readonly Problem[] {
  if ((policy !== 'Always' && policy !== 'OnFailure') || STAYS.test(scriptOf(container))) return [];
  const when =
    policy === 'Always'
      ? 'when it ends, well or not, it is started again, without end'
      : 'when it fails it is started again, without end';
  const place = 'restartPolicy' in pod ? [...podPath, 'restartPolicy'] : podPath;
  return [
    at(
      place,
      `${when}: ${ANEW}`,
      'Run it as a Job with backoffLimit: 0 and restartPolicy: Never, or as a Pod with restartPolicy: Never.',
    ),
  ];
}

const STAYS = /\b(?:sleep\s+\S|tail\s+-)/;

function scriptOf({ command, args }: Mapping): string {
  return [command, args].flat().map(text).join(' ');
}

/** A container that runs the tool: by its image, or by what it is told to run. */
function isBenchmark({ image, command, args }: Mapping): boolean {
  const words = [command, args].flatMap((part): readonly unknown[] => (Array.isArray(part) ? part : [part]));
  return (
    /inference-perf/.test(text(image)) || words.some((word) => /(?:^|[\s/])inference-perf(?:\s|$)/m.test(text(word)))
  );
}

/** Commands that carry files away, or keep the pod so that somebody can. */
const CARRIES = /\b(?:gsutil|gcloud|aws|rclone|rsync|scp|curl|sleep|tail|s3cmd|mc)\b/;
const PASSING = ['configMap', 'secret', 'emptyDir', 'downwardAPI', 'projected', 'ephemeral'];

function keepsReports(pod: Mapping, containers: readonly Mapping[], container: Mapping, { storage }: Config): boolean {
  // Nothing is to be kept, or a bucket keeps it.
  if (storage === null || storage.google_cloud_storage || storage.simple_storage_service) return true;
  if (CARRIES.test(scriptOf(container))) return true;
  const volumes = new Map(list(pod['volumes']).map((volume) => [volume['name'], volume]));
  const mounts = list(container['volumeMounts']);
  const isShared = mounts.some(
    ({ name }) =>
      'emptyDir' in (volumes.get(name) ?? {}) &&
      containers.some(
        (other) => other !== container && list(other['volumeMounts']).some((mount) => mount['name'] === name),
      ),
  );
  if (isShared) return true;
  const lasting = mounts.filter(({ name }) => {
    const volume = volumes.get(name);
    // One that another template brings may be anything.
    return volume === undefined || !PASSING.some((kind) => kind in volume);
  });
  const { path } = storage.local_storage;
  if (!path?.startsWith('/')) return lasting.length > 0;
  return lasting.some(({ mountPath }) => {
    const folder = text(mountPath).replace(/\/+$/, '');
    return path === folder || path.startsWith(`${folder}/`);
  });
}

function placeOf({ storage }: Config): string {
  const path = storage?.local_storage.path;
  return path === undefined ? 'a folder of its own' : `'${path}'`;
}

const MIB = 2 ** 20;
/** Measured with v0.7.0: the first process with a tokenizer takes 230 MiB before any prompt is made; workers are forks of it. */
const LEAST_BYTES = 512 * MIB;
const WORKER_BYTES = 64 * MIB;

function memory({ resources }: Mapping, own: ConfigPath, { load }: Config, at: At): readonly Problem[] {
  const limits = isObject(resources) && isObject(resources['limits']) ? resources['limits'] : undefined;
  const bytes = quantity(limits?.['memory']);
  const workers = load.num_workers ?? 1;
  const needed = LEAST_BYTES + WORKER_BYTES * Math.max(1, workers);
  if (bytes === undefined || bytes >= needed) return [];
  const many = load.num_workers === undefined ? 'one worker for each CPU of the node' : `${workers} workers`;
  return [
    at(
      [...own, 'resources', 'limits', 'memory'],
      `${text(limits!['memory']) || String(limits!['memory'])} of memory is little: inference-perf takes about 230 MiB before its first prompt, and ${many} and the records come on top. A pod that is killed for its memory leaves no report.`,
      `Allow ${Math.ceil(needed / MIB / 256) * 256}Mi or more, and write load.num_workers.`,
    ),
  ];
}

const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '': 1,
    k: 1e3,
    M: 1e6,
    G: 1e9,
    T: 1e12,
    Ki: 2 ** 10,
    Mi: MIB,
    Gi: 2 ** 30,
    Ti: 2 ** 40,
  }),
);

/** A quantity of Kubernetes in bytes; undefined when it is none, as a template's is. */
function quantity(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const match = /^(\d+(?:\.\d+)?)(k|M|G|T|Ki|Mi|Gi|Ti)?$/.exec(text(value).trim());
  return match ? Number(match[1]) * UNITS.get(match[2] ?? '')! : undefined;
}

function inside(value: Mapping, path: ConfigPath): Mapping | undefined {
  let current: unknown = value;
  for (const step of path) current = isObject(current) ? current[step] : undefined;
  return isObject(current) ? current : undefined;
}
