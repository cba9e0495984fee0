// Files that one result file is half of the story without: a tool that writes its summary and its requests under names of one stem.

/**
 * The file, and what lies beside it and belongs to it: AIPerf writes `X_aiperf.json` and `X.jsonl` for one run, X being
 * `profile_export` unless the user chose a prefix for it.
 * @param beside names of the files in its folder
 */
export function companions(file: string, beside: readonly string[]): readonly string[] {
  const stem = /^(.+)_aiperf\.json$/.exec(file)?.[1] ?? /^(.+)\.jsonl$/.exec(file)?.[1];
  if (stem === undefined) return [file];
  const others = [`${stem}_aiperf.json`, `${stem}.jsonl`].filter((name) => name !== file && beside.includes(name));
  // Two lines of JSON of one name are a run only with AIPerf's summary among them.
  return file.endsWith('_aiperf.json') || others.some((name) => name.endsWith('_aiperf.json'))
    ? [file, ...others]
    : [file];
}
