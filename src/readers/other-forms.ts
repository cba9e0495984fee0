// Forms of a known tool's results that hold less than its report beside them: recognised and named, not read.

interface Form {
  readonly words: string;
  readonly is: (text: string) => boolean;
  /** The file of the same run that is read. */
  readonly instead: string;
}

const GUIDELLM = 'benchmarks.json or benchmarks.yaml of the same run (guidellm --output-path)';
const AIPERF = 'profile_export_aiperf.json of the same run';

const FORMS: readonly Form[] = [
  { words: 'GuideLLM’s CSV', is: (text) => /^\uFEFF?"?Run Info"?,.*\bBenchmark\b/.test(text), instead: GUIDELLM },
  { words: 'GuideLLM’s HTML page', is: (text) => /<title>[^<]*GuideLLM/i.test(text), instead: GUIDELLM },
  { words: 'AIPerf’s CSV', is: (text) => /^\uFEFF?Metric,(?:avg|min|max|sum|p\d+|std)\b/i.test(text), instead: AIPERF },
  {
    words: 'AIPerf’s CSV of server metrics',
    is: (text) => /^\uFEFF?# AIPerf Server Metrics/i.test(text),
    instead: 'server_metrics_export.json beside profile_export_aiperf.json',
  },
];

/** @param text a file that is neither JSON nor YAML; undefined when it is no form of a tool that is known */
export function otherFormOf(text: string): { readonly words: string; readonly instead: string } | undefined {
  const head = text.slice(0, 4000);
  return FORMS.find(({ is }) => is(head));
}
