// A report's notices in one line, and the figures they throw doubt on.
import { counted } from '../../figures';
import type { Moved } from '../../pitfalls/pitfall';
import { pitfallByCode } from '../../pitfalls/catalogue';
import type { ColumnGroup, ColumnId, Figure, StageTable, Tone, ViewNote } from './model';

/** Notices that the line names; it counts the others. */
const NAMED = 2;
/** A title longer than this is not named whole: its pitfall's is. */
const LONGEST = 90;

const KINDS: readonly (readonly [Tone, string])[] = [
  ['bad', 'error'],
  ['caution', 'warning'],
  ['neutral', 'note'],
];

/** "1 error, 2 warnings: the client was the bottleneck in stage 1; some requests were never sent; 1 more". */
export function noticeLine(notes: readonly ViewNote[]): string | undefined {
  if (notes.length === 0) return undefined;
  const counts = KINDS.flatMap(([tone, noun]) => {
    const count = notes.filter((note) => note.tone === tone).length;
    return count === 0 ? [] : [counted(count, noun)];
  });
  const names = [...new Set(notes.map(nameOf))];
  const more = names.length - NAMED;
  return `${counts.join(', ')}: ${[...names.slice(0, NAMED), ...(more > 0 ? [`${more} more`] : [])].join('; ')}`;
}

function nameOf({ title, code }: ViewNote): string {
  if (title.length <= LONGEST) return title;
  const known = code === undefined ? undefined : pitfallByCode(code)?.title;
  return known ?? `${title.slice(0, LONGEST).replace(/\s+\S*$/, '')} …`;
}

const COLUMNS: Readonly<Record<ColumnId, readonly Moved[]>> = {
  load: ['requests_per_sec'],
  requests: ['error_rate'],
  ttft: ['ttft'],
  ttfc: ['ttfc'],
  tpot: ['tpot'],
  token_gap: ['itl'],
  chunk_gap: ['itl'],
  e2e: ['request_latency'],
  tokens: ['input_tokens_per_sec', 'output_tokens_per_sec', 'total_tokens_per_sec'],
  schedule_delay: ['schedule_delay'],
};

/** The same table with the figures marked that a notice affects: those of its pitfall, in the stages it speaks of. */
export function withDoubts(table: StageTable, notes: readonly ViewNote[]): StageTable {
  const serious = notes.filter(({ tone, code }) => (tone === 'bad' || tone === 'caution') && code !== undefined);
  if (serious.length === 0) return table;
  return {
    ...table,
    rows: table.rows.map((row) => {
      const mine = serious.filter(({ stages }) => stages?.includes(row.stage));
      const groups = table.groups.flatMap((group) => group.columns.map(() => group));
      return { ...row, cells: row.cells.map((cell, index) => doubted(cell, groups[index]!, mine)) };
    }),
  };
}

function doubted(cell: Figure, group: ColumnGroup, notes: readonly ViewNote[]): Figure {
  if (!/\d/.test(cell.text)) return cell;
  const about = notes.filter(({ code }) => pitfallByCode(code!)?.moves.some((one) => COLUMNS[group.id].includes(one)));
  if (about.length === 0) return cell;
  const names = about.map(({ code }) => `${pitfallByCode(code!)!.title} (${code!})`);
  return { ...cell, doubted: true, note: `Affected: ${[...new Set(names)].join('; ')}. ${cell.note ?? ''}`.trim() };
}
