// The catalogue as a Markdown page: docs/pitfalls.md is this, generated and checked in.
import { quantityNamed, spokenLabel, type MetricName } from '../metrics/quantities';
import { PITFALLS } from './list';
import type { Moved, Pitfall } from './pitfall';

/** What each place is called, and what is said of it there. */
const PLACES: readonly (readonly [string, (pitfall: Pitfall) => string | undefined])[] = [
  ['In a config', ({ inConfig }) => inConfig?.words],
  ['In a report, and in a comparison with that run', ({ inReport }) => inReport?.words],
  ['Between two runs', ({ between }) => between?.words],
];

const OTHERS = {
  percentiles: 'high percentiles',
  server_metrics: 'server-side metrics',
  session_metrics: 'session metrics',
} as const satisfies Readonly<Record<Exclude<Moved, MetricName>, string>>;

function isOther(moved: Moved): moved is keyof typeof OTHERS {
  return Object.hasOwn(OTHERS, moved);
}

/** The metrics an entry moves, in words. */
function movesInWords(pitfall: Pitfall): string {
  const names = [...new Set(pitfall.moves)].map((moved) =>
    isOther(moved) ? OTHERS[moved] : spokenLabel(quantityNamed(moved)),
  );
  return names.length === 0 ? 'nothing; it only misleads' : names.join(', ');
}

function entry(pitfall: Pitfall): string {
  const lines = [
    `## ${pitfall.code}`,
    '',
    `**${pitfall.title}.** ${pitfall.consequence}`,
    '',
    `- Moves: ${movesInWords(pitfall)}`,
    ...PLACES.flatMap(([place, wordsOf]) => {
      const words = wordsOf(pitfall);
      return words === undefined ? [] : [`- ${place}: ${words}`];
    }),
    `- Remedy: ${pitfall.remedy}`,
    ...(pitfall.configPaths.length === 0
      ? []
      : [`- Fields: ${pitfall.configPaths.map((path) => `\`${path}\``).join(', ')}`]),
    ...(pitfall.source === undefined ? [] : [`- Source: ${pitfall.source}`]),
    '',
  ];
  return lines.join('\n');
}

export function pitfallsPage(): string {
  const yes = (...places: readonly (object | undefined)[]): string =>
    places.some((place) => place !== undefined) ? 'yes' : '';
  const rows = PITFALLS.map(
    ({ code, title, inConfig, inReport, between }) =>
      `| [${code}](#${code.toLowerCase()}) | ${title} | ${yes(inConfig)} | ${yes(inReport)} | ${yes(inReport, between)} |`,
  );
  return [
    '# Pitfalls of comparing LLM serving benchmarks',
    '',
    '<!-- Generated from src/pitfalls/catalogue by npm run pitfalls. Do not edit. -->',
    '',
    'Each entry is one way in which two honest-looking numbers are not comparable. The codes are stable. What a config shows',
    'is in the editor and in `isoperf validate`; what a report shows is in its view, in `isoperf import` and in every',
    'comparison with it; what only two runs together show is in `isoperf compare` and its view. To accept one in a config,',
    'write `# isoperf: disable CMP008 because ...` (see directives.md): that silences the config, and a comparison lists the',
    'pitfall all the same, with the reason.',
    '',
    '| Code | Title | In a config | In a report | In a comparison |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...PITFALLS.map(entry),
  ].join('\n');
}
