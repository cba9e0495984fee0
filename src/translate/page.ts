// docs/translate.md from the tables: every flag of every tool, with what it is in a config.yaml. Written by `npm run translations`.
import type { Tool } from './tool';
import { TOOLS } from './translate';

export function translationsPage(): string {
  return [
    '# Commands of other tools',
    '',
    '`isoperf translate --from vllm@0.32 -- vllm bench serve ...` writes a config.yaml, `isoperf translate config.yaml --to vllm@0.32` a',
    'command. Both walk the same rows. Every line of the result says whether it is lossless, changed in its meaning (and how), a default',
    'that was written out, or without effect on what is measured; what has no counterpart is refused. This page is written from the tables.',
    '',
    ...TOOLS.flatMap(toolPage),
  ].join('\n');
}

function toolPage({ title, versions, rows, refused, flags, dropped }: Tool): string[] {
  const read = new Set(rows.flatMap((row) => row.flags));
  const names = Object.keys(flags).sort();
  const without = names.filter((name) => !read.has(name));
  return [
    `## ${title} ${versions.join(', ')}`,
    '',
    '| flags | config.yaml |',
    '| --- | --- |',
    ...rows.map((row) => `| ${row.flags.map(flag).join(', ')} | ${row.keys.map((key) => `\`${key}\``).join(', ')} |`),
    '',
    '### Without a counterpart',
    '',
    '| flag | why |',
    '| --- | --- |',
    ...without
      .filter((name) => refused[name] !== undefined)
      .map((name) => `| ${flag(name)} | refused: ${refused[name]![0]} ${refused[name]![1]} |`),
    ...without
      .filter((name) => refused[name] === undefined)
      .map((name) => `| ${flag(name)} | dropped: ${dropped[name] ?? ''} |`),
    '',
  ];
}

function flag(name: string): string {
  return `\`--${name}\``;
}
