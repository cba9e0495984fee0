// The names of a run's own files: for those who look for them without reading them.

export const MANIFEST_FORMAT = 'isoperf-run';
export const MANIFEST_FILE = 'run.json';
export const RECORDS_FILE = 'records.jsonl';
