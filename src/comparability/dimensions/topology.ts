// On how much hardware, in how many copies? No client can see it: only a stack record says it.
import type { StackRecord } from '../../folder/stack';
import { sameAddress } from '../address';
import { ALL, assumption, confounds, dimension, same, unknown, type Context, type SideEvidence } from '../dimension';
import { inReport, inSetting } from '../evidence';
import { stackOf, type Side } from '../side';
import { stackChanges, unrecorded } from '../stack-diff';

interface Topology extends SideEvidence {
  readonly stack: StackRecord | undefined;
}

const KEYS = ['accelerator', 'replicas', 'parallelism'] as const;

function says({ stack }: Topology): boolean {
  return stack !== undefined && KEYS.some((key) => stack[key] !== undefined);
}

export const topology = dimension<Topology>({
  id: 'topology',
  title: 'Topology',
  question: 'The same accelerators, replicas and parallelism?',
  tolerance:
    'The same accelerator, replicas and parallelism (keys of the stack record and parallel-size flags), word by word. Recorded on neither side of one address, it is assumed equal, and that is named.',
  pitfall: 'CMP080',
  affects: ALL,
  remedy: 'Write accelerator, replicas and parallelism into a stack.yaml beside both configs, or give --stack.',
  evidence: (side: Side) => {
    const stack = stackOf(side);
    const source = stack?.source ?? 'stack.yaml';
    const said = KEYS.flatMap((key) => (stack?.[key] === undefined ? [] : [`${key} ${String(stack[key])}`]));
    return {
      stack,
      summary: said.length === 0 ? 'not recorded' : said.join(', '),
      evidence: [...KEYS.map((key) => inReport(source, key, stack?.[key])), inSetting(side, ['server', 'base_url'])],
    };
  },
  judge: (a, b, context) => judge(a, b, context),
});

function judge(a: Topology, b: Topology, context: Context) {
  const changes =
    a.stack && b.stack
      ? stackChanges(a.stack, b.stack).flatMap((change) => (change.of === 'topology' ? [change.words] : []))
      : [];
  if (changes.length > 0) return confounds(`The hardware or its layout differs: ${changes.join('; ')}.`, { changes });
  if (says(a) !== says(b)) return unknown('The topology (accelerator, replicas, parallelism)', says(a), says(b));
  if (a.stack && b.stack && says(a)) {
    const missing = unrecorded(a.stack, b.stack, 'topology');
    if (missing.length === 0) {
      // Flags that are recorded say the parallelism: what is not among them is the engine's default of one.
      const open = KEYS.filter((key) => a.stack![key] === undefined && !(key === 'parallelism' && a.stack!.args));
      if (open.length === 0) return same(`The same topology: ${a.summary}.`);
      return assumption(
        `The same ${a.summary}; ${open.join(' and ')} ${open.length > 1 ? 'are' : 'is'} recorded on neither side.`,
        `that ${open.join(' and ')} ${open.length > 1 ? 'were' : 'was'} the same`,
      );
    }
    const has = (side: Topology): boolean =>
      missing.every((key) => side.stack?.[key as (typeof KEYS)[number]] !== undefined);
    return unknown(`In the stack record, ${missing.join(', ')}`, has(a), has(b));
  }
  if (sameAddress(context.a, context.b) === false) {
    return {
      state: 'unknown' as const,
      message:
        'A and B were sent to different addresses, and neither side says on which accelerators, in how many replicas the model ran.',
    };
  }
  return assumption(
    'Accelerators, replicas and parallelism are recorded on neither side: no client can see them.',
    'that accelerators, replicas and parallelism were the same',
  );
}
