// Public configs against what upstream's own loaders said of them (INDEX.md of the corpus): verdict and dropped keys, release by release.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { looksLikeConfig } from '../../../src/config/find/detect';
import { fieldAt } from '../../../src/config/model/fields';
import { readConfig, readConfigs, type Reading } from '../../../src/config/load';
import { valueAt } from '../../../src/config/model/issues';
import { isTarget, type Target } from '../../../src/config/model/target';
import { judgeValues } from '../../../src/config/model/values-of-version';
import { orEmpty } from '../../../src/config/loader';
import { formatPath } from '../../../src/problem';

const CORPUS = path.resolve(import.meta.dirname, '../../../../shared/corpus/configs');
const here = existsSync(CORPUS);

interface Said {
  /** Name of the region, empty for a whole file. */
  readonly region: string;
  readonly accepts: boolean;
  readonly releases: readonly {
    readonly target: Target;
    readonly accepts: boolean;
    readonly drops: readonly string[];
  }[];
}

/** One line of the index: `yes<br>v0.6.1=ok; v0.5.0=drops a.b,c`, or several of them, each with `doc0.<region>` in front. */
function readVerdicts(cell: string): readonly Said[] {
  const said: { region: string; accepts: boolean; releases: Said['releases'] }[] = [];
  for (const part of cell.split('<br>')) {
    const verdict = /^(?:doc\d+\.(\S+) )?(yes|NO)\b/.exec(part.trim());
    if (verdict) said.push({ region: verdict[1] ?? '', accepts: verdict[2] === 'yes', releases: [] });
    else if (said.length > 0 && /^v\d/.test(part.trim())) said.at(-1)!.releases = readReleases(part);
  }
  return said;
}

function readReleases(text: string): Said['releases'] {
  return text.split(';').flatMap((entry) => {
    const [name = '', answer = ''] = entry.trim().split('=');
    if (!isTarget(name)) return [];
    const drops = answer.startsWith('drops ') ? answer.slice(6).split(',') : [];
    return [{ target: name, accepts: answer !== 'error', drops }];
  });
}

const index = here ? readFileSync(path.join(CORPUS, 'INDEX.md'), 'utf8').split('\n') : [];
const rows = index.flatMap((line) => {
  const cells = line.split('|').map((cell) => cell.trim());
  const file = /^`(.*)`$/.exec(cells[2] ?? '')?.[1];
  return file === undefined || !existsSync(path.join(CORPUS, file))
    ? []
    : [{ file, verdict: cells.slice(5, -2).join('|') }];
});

/** Values of a region as the loader would get them: placeholders and all. */
function judge(reading: Reading, target: Target) {
  const { region } = reading;
  if (!region) return undefined;
  return judgeValues(orEmpty(valueAt(region.document.value, region.prefix)), target);
}

/** A dropped key whose value is what the release does anyway: we are silent about it, the index is not. */
function isNoNews(reading: Reading, drop: string): boolean {
  const written = (value: unknown, path: readonly string[]): boolean => {
    const name = path.slice(1).join('.');
    const scalar = typeof value !== 'object' || value === null || Array.isArray(value);
    if (path.length > 0 && scalar && (name.startsWith(drop) || path.join('.').endsWith(drop))) {
      const field = fieldAt(path) ?? fieldAt(path, 'constant');
      return JSON.stringify(field?.default?.value) === JSON.stringify(value);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return Object.entries(value).some(([key, entry]) => written(entry, [...path, key]));
  };
  return written(valueAt(reading.region!.document.value, reading.region!.prefix), []);
}

describe.skipIf(!here)('the public corpus, release by release', () => {
  const cases = rows.flatMap(({ file, verdict }) => readVerdicts(verdict).map((said) => ({ file, said })));
  const readOne = (file: string, region: string): Reading => {
    const text = readFileSync(path.join(CORPUS, file), 'utf8');
    const first = readConfig(text);
    return region === '' || first.search.regions.length < 2 ? first : readConfig(text, { region });
  };

  it('finds the region of the index', () => {
    const wrapped = cases.filter(({ said }) => said.region !== '');
    expect(wrapped.length).toBeGreaterThan(30);
    for (const { file, said } of wrapped) expect(readOne(file, said.region).region?.name, file).toBe(said.region);
  });

  it('accepts and refuses what each version accepts and refuses', () => {
    const different = cases.flatMap(({ file, said }) => {
      const reading = readOne(file, said.region);
      if (!reading.region) return [];
      const answers = [{ target: 'main' as const, accepts: said.accepts }, ...said.releases];
      return answers
        .filter(({ target, accepts }) => judge(reading, target)?.accepts !== accepts)
        .map(({ target, accepts }) => `${file} ${target}: upstream ${accepts ? 'accepts' : 'refuses'}`);
    });
    expect(different).toEqual([]);
    expect(cases.flatMap(({ said }) => said.releases).length).toBeGreaterThan(300);
  });

  it('names the keys that each release ignores', () => {
    let compared = 0;
    for (const { file, said } of cases) {
      const reading = readOne(file, said.region);
      for (const { target, accepts, drops } of reading.region ? said.releases : []) {
        if (!accepts) continue;
        const ignored = judge(reading, target)!
          .findings.filter((finding) => finding.rule === 'ignored')
          .map(({ problem }) => problem.path.filter((step) => typeof step === 'string').join('.'));
        // The index leaves the section out and cuts long lists: what it shows must be there, and nothing when it shows none.
        for (const drop of drops) {
          compared += 1;
          const named = ignored.some(
            (name) => name.startsWith(drop) || name.split('.').slice(1).join('.').startsWith(drop),
          );
          if (!named && isNoNews(reading, drop)) continue;
          expect(named, `${file} ${target} ${drop}, ours: ${ignored.join(' ')}`).toBe(true);
        }
        if (drops.length === 0) expect(ignored, `${file} ${target}`).toEqual([]);
      }
    }
    expect(compared).toBeGreaterThan(60);
  });

  it('has no error for a file that main accepts, save what cannot run', () => {
    const RUNS = /^CFG01[1-4]$|^YML007$/;
    const folders = [CORPUS, path.join(CORPUS, 'upstream')];
    const files = folders.flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)));
    let accepted = 0;
    for (const place of files.filter((file) => /\.ya?ml$/.test(file))) {
      const text = readFileSync(place, 'utf8');
      const first = readConfig(text);
      const names = first.search.regions.length > 1 ? first.search.regions.map((region) => region.name) : [undefined];
      for (const region of names) {
        const reading = region === undefined ? first : readConfig(text, { region });
        if (!reading.region || judge(reading, 'main')?.accepts !== true) continue;
        accepted += 1;
        const errors = reading.problems.filter((problem) => problem.severity === 'error' && !RUNS.test(problem.code));
        expect(errors, `${place} ${region ?? ''}`).toEqual([]);
      }
    }
    expect(accepted).toBeGreaterThan(120);
  });
});

if (!here) console.log('skipped: ../shared/corpus is not here, public configs are not judged');

// Read through by eye whenever it changes: every line must be true, and none may be missing. `npx vitest run -u` writes it anew.
it.skipIf(!here)('the listing of findings in public configs is the one that was read', async () => {
  const folders = ['', 'upstream'];
  const lines = folders.flatMap((folder) =>
    readdirSync(path.join(CORPUS, folder))
      .filter((name) => /\.(?:ya?ml|json)$/.test(name))
      .sort()
      .flatMap((name) => listing(path.join(folder, name))),
  );
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../fixtures/corpus-findings.txt');
});

function listing(name: string): readonly string[] {
  const text = readFileSync(path.join(CORPUS, name), 'utf8');
  return readConfigs(text).flatMap(({ region, target, problems }) => {
    const what = region ? `${region.kind} ${region.name}`.trim() : 'no config';
    const judged = target && target.from !== 'default' ? ` (${target.target} by ${target.from})` : '';
    const found = problems.map(({ code, severity, path: at, range }) => {
      const place = range ? `${range.startLine + 1}:${range.startColumn + 1}` : '-';
      return `  ${place} ${severity} ${code} ${formatPath(at)}`.trimEnd();
    });
    return [
      `${name.replaceAll('\\', '/')}: ${what}${judged}${looksLikeConfig(text) ? '' : ', not recognised by its look'}`,
      ...found,
    ];
  });
}

const SAVED = new URL('../../../../shared/corpus/reports-2026-11/', import.meta.url);

it.skipIf(!existsSync(SAVED))(
  'what inference-perf 0.7.0 saves beside its reports is a config without a mistake',
  () => {
    const files = readdirSync(SAVED)
      .filter((name) => name.startsWith('inference-perf-0.7.0-'))
      .map((name) => new URL(`${name}/config.yaml`, SAVED))
      .filter((file) => existsSync(file));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      expect(readConfig(text).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(readConfig(text, { target: 'main' }).problems.some(({ severity }) => severity === 'error')).toBe(true);
    }
  },
);
