// The verbs of the command line, each loaded when it is asked for.
import type { Verb } from './command';

export const VERBS: readonly Verb[] = [
  {
    name: 'validate',
    summary: 'check configs as inference-perf would, and for what cannot run',
    load: async () => (await import('./validate')).validateCommand,
  },
  {
    name: 'plan',
    summary: 'say what a run will really send, and freeze it for any server',
    load: async () => (await import('./plan')).planCommand,
  },
  {
    name: 'run',
    summary: 'run a benchmark and write its report folder',
    load: async () => (await import('./run')).runCommand,
  },
  {
    name: 'compare',
    summary: 'judge whether two runs may be compared, and compare them',
    load: async () => (await import('./compare')).compareCommand,
  },
  {
    name: 'experiment',
    summary: 'answer a question: alternate two sides in blocks, with an interval and a verdict',
    load: async () => (await import('./experiment')).experimentCommand,
  },
  {
    name: 'import',
    summary: "read anybody's results: what they are, what the numbers mean, what is wrong with them",
    load: async () => (await import('./import')).importCommand,
  },
  {
    name: 'convert',
    summary: "anybody's results as Markdown, CSV, HTML or an llm-d Benchmark Report",
    load: async () => (await import('./convert')).convertCommand,
  },
  {
    name: 'translate',
    summary: "another tool's benchmark command as a config.yaml, and back",
    load: async () => (await import('./translate')).translateCommand,
  },
  {
    name: 'targets',
    summary: 'which servers stand in what kubectl printed, and how each is reached',
    load: async () => (await import('./targets')).targetsCommand,
  },
  {
    name: 'simulate',
    summary: 'serve a simulated model whose truth is set by flags',
    load: async () => (await import('./simulate')).simulateCommand,
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of a config, a run or a comparison',
    load: async () => (await import('./schema')).schemaCommand,
  },
  {
    name: 'completion',
    summary: 'print a script that completes verbs and options in bash, zsh or fish',
    load: async () => (await import('./completion')).completionOf(LISTED),
  },
  {
    name: 'reader',
    summary: 'reads and judges reports for the extension',
    isInner: true,
    load: async () => (await import('./reader')).readerCommand,
  },
];
export const LISTED = VERBS.filter(({ isInner }) => isInner !== true);
