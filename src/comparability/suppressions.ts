// What the configs of two runs accepted with `# isoperf: disable`: it silences the editor, never a comparison.
import { readConfigs } from '../config/load';
import { pitfallByCode } from '../pitfalls/catalogue';
import type { Side } from './side';

interface Accepted {
  readonly codes: readonly string[];
  readonly reason: string;
}

/** As the run recorded it, else as the config in its folder says it. */
export function suppressionsOf({ run }: Side): readonly Accepted[] {
  const recorded = run.manifest?.config.suppressions;
  if (recorded) return recorded;
  if (run.configText === undefined || !/isoperf\s*:\s*disable/i.test(run.configText)) return [];
  return readConfigs(run.configText).flatMap(({ loaded }) => loaded?.suppressions ?? []);
}

/** One note per suppression: who accepts what, and why. */
export function suppressionNotes(a: Side, b: Side): string[] {
  return [a, b].flatMap((side) =>
    suppressionsOf(side).map(({ codes, reason }) => {
      const names = codes.map((code) => {
        const title = pitfallByCode(code)?.title;
        return title === undefined ? code : `${code} (${title})`;
      });
      return `${side.name}’s config accepts ${names.join(', ')} because ${reason}. That silences a warning about the config; it changes nothing here.`;
    }),
  );
}
