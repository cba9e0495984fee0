// `isoperf targets`: which servers stand in what kubectl printed, what shows it, and every way to each.
import path from 'node:path';
import { discover } from '../cluster/discover';
import { documentsOf } from '../cluster/manifests';
import type { Target } from '../cluster/types';
import { routeWords, targetWords } from '../cluster/words';
import { isObject } from '../own';
import { EXIT, UsageError, type CliIo, type Command } from './command';
import { parseOptions } from './options';
import { readInput } from './read-input';
import { bullet } from './text-layout';

const HELP = `isoperf targets: which servers stand in what kubectl printed, what shows it, and every way to each

Usage: isoperf targets FILE [options]
       kubectl get pods,services,deployments -o json | isoperf targets -

FILE is what "kubectl get ... -o json" or "-o yaml" prints of any kinds: a list, several documents, one object. The more kinds,
the more is known: EndpointSlices, ReplicaSets, StatefulSets, Gateways, HTTPRoutes, InferencePools, LeaderWorkerSets,
InferenceServices, RayServices, Nodes. Nothing is asked of a cluster, and Secrets are of no use here: leave them out.

A server is found by what its containers start (scripts are read as a shell reads them), or by its image together with its own
flags, variables, ports or probes; never by a name alone.

Options:
  --json       everything as JSON, pods of each route included
  -h, --help   this text

Exit codes:
  0  at least one server was found
  1  none was found
  2  unusable: the file cannot be read, or the command line is wrong

Examples:
  isoperf targets llm.json        # of: kubectl get pods,svc,deploy,rs -n llm -o json > llm.json
  kubectl get pods,svc,httproutes,gateways,inferencepools -o json | isoperf targets - --json
`;

export const targetsCommand: Command = {
  name: 'targets',
  summary: 'which servers stand in what kubectl printed, and how each is reached',
  help: HELP,
  // eslint-disable-next-line @typescript-eslint/require-await -- every verb is awaited
  async run(args, io) {
    const { values, positionals } = parseOptions({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' } },
    });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0)
      throw new UsageError('one file is needed that holds what kubectl printed, or - for standard input');
    const targets = discover(objectsOf(textOf(file, io), file));
    io.out(values.json === true ? `${JSON.stringify({ targets }, null, 2)}\n` : listing(targets, io.columns));
    return targets.length > 0 ? EXIT.ok : EXIT.failed;
  },
};

function textOf(file: string, io: CliIo): string {
  try {
    const read = readInput(file === '-' ? 0 : path.resolve(io.cwd, file));
    if ('refused' in read) throw new UsageError(`${file} ${read.refused}`);
    return read.bytes.toString('utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function objectsOf(text: string, file: string): Readonly<Record<string, unknown>>[] {
  const documents = documentsOf(text);
  const objects = documents.map(({ value }) => value).filter(isObject);
  const [problem] = documents.flatMap(({ problems }) => problems);
  if (objects.length > 0) return objects;
  // kubectl's empty list is an answer.
  if (documents.length === 0) return [];
  throw new UsageError(`${file} holds no Kubernetes object: ${problem?.message ?? 'it has no keys'}`);
}

function listing(targets: readonly Target[], room: number): string {
  if (targets.length === 0)
    return 'No server was found: no container starts a known engine, and none has an engine’s image with its flags, variables or ports.\n';
  const blocks = targets.map((target) =>
    [
      `${target.kind} ${target.namespace}/${target.name}: ${targetWords(target)}`,
      bullet('found by', target.evidence.reasons.join('; '), room, 2),
      ...target.routes.map((route) => bullet(route.spelling, routeWords(route), room, 2)),
    ].join('\n'),
  );
  return `${blocks.join('\n\n')}\n`;
}
