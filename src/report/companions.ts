// Files that one result file is half of the story without: a tool that writes its summary and its requests under names of one stem.

/**
 * The file, and what lies beside it and belongs to it. AIPerf and genai-perf write `X_aiperf.json` and `X.jsonl` for one run, X being
 * `profile_export` unless the user chose a prefix for it.
 * @param beside names of the files in its folder
 */
export function companions(file: string, beside: readonly string[]): readonly string[] {
  const stem = /^(.*profile_export)/.exec(file)?.[1];
  if (stem === undefined) return [file];
  return beside.filter((name) => name === file || (name.startsWith(stem) && /\.jsonl?$/.test(name)));
}
