// A tool's command line by its own list of flags: what was given, how often, with which words; and what it does not know.
import { nearest } from '../config/model/suggest';
import { own } from '../own';
import { refuse, type Sheet } from './sheet';

/** How many words a flag takes after it: none, one, or all up to the next flag. */
export type Takes = 'none' | 'one' | 'some';
export type FlagList = Readonly<Record<string, Takes>>;

/** Flags by name without dashes; one that is given several times has its last words, as argparse does. */
export type Given = ReadonlyMap<string, readonly string[]>;

const FLAG = /^--([A-Za-z][\w-]*)(?:=(.*))?$/s;
/** A value that a shell would have filled in. */
const UNFILLED = /\$(?:\w+|\{[^}]*\}|\()/;

/** @param words behind the tool's own name; everything it does not take is refused in `sheet` */
export function flagsIn(words: readonly string[], known: FlagList, sheet: Sheet): Given {
  const given = new Map<string, readonly string[]>();
  for (let at = 0; at < words.length; at++) {
    const [, written, value] = FLAG.exec(words[at]!) ?? [];
    if (written === undefined) {
      refuse(
        sheet,
        words[at]!,
        'It is no flag, and this tool takes nothing else.',
        'Leave it out, or quote a value with blanks.',
      );
      continue;
    }
    // vLLM and its relatives take both spellings.
    const name = written.replaceAll('_', '-');
    const takes = own(known, name);
    if (takes === undefined) {
      const near = nearest(name, Object.keys(known));
      refuse(
        sheet,
        `--${written}`,
        'This version of the tool has no such flag, or it is not known here what it does.',
        near === undefined ? 'Leave it out, or drop it knowingly with --drop.' : `Did you mean --${near}?`,
      );
      while (at + 1 < words.length && !FLAG.test(words[at + 1]!)) at++;
      continue;
    }
    const values = value === undefined ? [] : [value];
    const room = takes === 'none' ? 0 : takes === 'one' ? 1 : Infinity;
    while (values.length < room && at + 1 < words.length && !FLAG.test(words[at + 1]!)) values.push(words[++at]!);
    if (takes !== 'none' && values.length === 0) {
      refuse(sheet, `--${written}`, 'It has no value.', `Write --${name} VALUE.`);
      continue;
    }
    if (takes === 'none' && value !== undefined) {
      refuse(sheet, `--${written}`, 'It is a switch and takes no value.', `Write --${name} alone, or leave it out.`);
      continue;
    }
    const open = values.find((one) => UNFILLED.test(one));
    if (open !== undefined) {
      refuse(sheet, `--${written}`, `Its value ${open} is filled in by a shell.`, 'Write the value itself.');
      continue;
    }
    given.set(name, values);
  }
  return given;
}

/** Words of one shell line. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
