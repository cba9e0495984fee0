// What else lies in an inference-perf folder: session reports, adapters, and its own validation.json.
import type { CanonicalReport } from '../canonical';
import type { SourceDocument } from './reader';
import { at, numberAt, textAt } from './values';
import { isObject } from '../../own';

export function sessionFacts(documents: readonly SourceDocument[]): CanonicalReport['facts'] {
  return documents.flatMap(({ file, value }) => {
    const all = numberAt(value, 'num_sessions');
    const good = numberAt(value, 'num_sessions_succeeded');
    const failed = numberAt(value, 'num_sessions_failed');
    const cached = numberAt(value, 'sessions_with_cache_info');
    const hit = numberAt(value, 'kv_cache_hit_percent');
    const status = textAt(value, 'stage_metadata', 'status');
    const parts = [
      `${all ?? '?'} sessions, ${good ?? '?'} succeeded, ${failed ?? '?'} failed`,
      ...(status === undefined ? [] : [`stage ${status}`]),
      ...(hit === undefined || cached === 0
        ? ['no cache figures from the server']
        : [`${hit} % of prompt tokens cached, by ${cached ?? '?'} sessions that say so`]),
      'only sessions that finished are counted',
    ];
    return [{ label: 'Sessions', value: parts.join('; '), source: file }];
  });
}

export function adapterFacts(files: number): CanonicalReport['facts'] {
  if (files === 0) return [];
  return [
    {
      label: 'Adapters',
      value: `${files} adapter reports; the split over adapters is drawn anew in each run`,
      source: 'adapter_*_lifecycle_metrics.json',
    },
  ];
}

/** inference-perf's findings about its own files, in words; a clean file says so too. */
export function validationVerdict(value: unknown, file: string): string[] {
  const groups: readonly (readonly [string, unknown])[] = [
    ['', at(value, 'global')],
    ...(isObject(at(value, 'reports')) ? Object.entries(at(value, 'reports') as object) : []),
  ];
  const findings = groups.flatMap(([report, group]) =>
    ['errors', 'warnings'].flatMap((severity) => {
      const list = at(group, severity);
      if (!Array.isArray(list)) return [];
      return list.flatMap((entry: unknown) => {
        const message = textAt(entry, 'message');
        return message === undefined
          ? []
          : [`${severity.slice(0, -1)}${report === '' ? '' : ` in ${report}`}: ${message}`];
      });
    }),
  );
  return findings.length > 0
    ? findings.map((finding) => `${file}: ${finding}`)
    : [`${file}: inference-perf found no error and no warning in its files`];
}
