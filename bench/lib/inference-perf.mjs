// Finds the real inference-perf 0.7 outside the repository, or installs it there; says why it is skipped.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const WANTED = '0.7.0';
const PYTHONS = ['python3.13', 'python3.12', 'python3'];

/** @returns {{program: string, python: string, version: string} | {skip: string}} */
export function findInferencePerf(folder) {
  const named = process.env.INFERENCE_PERF;
  if (named !== undefined) return describe(named, 'INFERENCE_PERF names no inference-perf that starts');
  const known = '/tmp/ipvenv/bin/inference-perf';
  if (existsSync(known)) return describe(known, `${known} does not start`);
  const python = PYTHONS.find(
    (name) => spawnSync(name, ['-c', 'import sys; sys.exit(sys.version_info < (3, 12))']).status === 0,
  );
  if (python === undefined) return { skip: 'there is no Python of at least 3.12' };
  const venv = path.join(folder, 'venv');
  if (spawnSync(python, ['-m', 'venv', venv]).status !== 0) return { skip: 'no virtual environment could be made' };
  const pip = spawnSync(path.join(venv, 'bin/pip'), ['install', '--quiet', `inference-perf==${WANTED}`], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (pip.status !== 0)
    return { skip: `PyPI gave no inference-perf ${WANTED}: ${(pip.stderr ?? '').trim().split('\n').at(-1)}` };
  return describe(path.join(venv, 'bin/inference-perf'), 'the installed program does not start');
}

function describe(program, otherwise) {
  const python = path.join(path.dirname(program), 'python');
  const asked = spawnSync(python, ['-c', 'import importlib.metadata as m; print(m.version("inference-perf"))'], {
    encoding: 'utf8',
  });
  if (asked.status !== 0) return { skip: otherwise };
  return { program, python, version: asked.stdout.trim() };
}
