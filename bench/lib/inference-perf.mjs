// Finds the real inference-perf 0.7 outside the repository, or installs it there; says why it is skipped.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const WANTED = '0.7.0';
const NAMES = ['python3.13', 'python3.12', 'python3.11', 'python3'];

/** @returns {{program: string, python: string, version: string} | {skip: string}} */
export function findInferencePerf(folder) {
  const found = find(folder);
  // Whoever reads only the last line of a floor must see that nothing was held against upstream.
  if (found.skip !== undefined)
    process.on('exit', () =>
      process.stdout.write(`SKIPPED: nothing was compared with the real inference-perf: ${found.skip}\n`),
    );
  return found;
}

function find(folder) {
  const named = process.env.INFERENCE_PERF;
  if (named !== undefined) return describe(named, 'INFERENCE_PERF names no inference-perf that starts');
  const known = '/tmp/ipvenv/bin/inference-perf';
  if (existsSync(known)) return describe(known, `${known} does not start`);
  const python = findPython();
  if (python === undefined) return { skip: 'there is no Python of at least 3.11, neither on PATH nor in pyenv' };
  const venv = path.join(folder, 'venv');
  if (spawnSync(python.program, ['-m', 'venv', venv]).status !== 0)
    return { skip: 'no virtual environment could be made' };
  // The wheel asks for 3.12 and runs on 3.11; only its sums over shares differ there.
  const pin = python.minor >= 12 ? [] : ['--ignore-requires-python'];
  const pip = spawnSync(path.join(venv, 'bin/pip'), ['install', '--quiet', ...pin, `inference-perf==${WANTED}`], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (pip.status !== 0)
    return { skip: `PyPI gave no inference-perf ${WANTED}: ${(pip.stderr ?? '').trim().split('\n').at(-1)}` };
  return describe(path.join(venv, 'bin/inference-perf'), 'the installed program does not start');
}

/** The newest that starts; a shim of pyenv may stand on PATH and refuse, so its versions are looked at themselves. */
export function findPython() {
  const root = process.env.PYENV_ROOT ?? path.join(os.homedir(), '.pyenv');
  const versions = path.join(root, 'versions');
  const own = existsSync(versions)
    ? readdirSync(versions)
        .filter((name) => /^3\.1[1-9]/.test(name))
        .map((name) => path.join(versions, name, 'bin/python3'))
    : [];
  return [...NAMES, ...own]
    .map((program) => ({ program, minor: minorOf(program) }))
    .filter(({ minor }) => minor >= 11)
    .sort((a, b) => b.minor - a.minor)[0];
}

/** The 12 of Python 3.12; NaN for what is no Python 3. */
function minorOf(program) {
  const asked = spawnSync(
    program,
    ['-c', 'import sys, venv, ensurepip; print(sys.version_info.major, sys.version_info.minor)'],
    {
      encoding: 'utf8',
    },
  );
  const [, minor] = /^3 (\d+)/.exec(asked.stdout ?? '') ?? [];
  return Number(minor);
}

function describe(program, otherwise) {
  const python = path.join(path.dirname(program), 'python');
  const asked = spawnSync(python, ['-c', 'import importlib.metadata as m; print(m.version("inference-perf"))'], {
    encoding: 'utf8',
  });
  if (asked.status !== 0) return { skip: otherwise };
  return { program, python, version: asked.stdout.trim() };
}
