// A run out of thin air as a folder on the disk.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Run } from '../../../src/readers/run';

export function writeRun(folder: string, run: Run): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'run.json'), JSON.stringify(run.manifest));
  writeFileSync(
    path.join(folder, 'records.jsonl'),
    run.records!.map((record) => `${JSON.stringify(record)}\n`).join(''),
  );
}
