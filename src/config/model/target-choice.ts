// Who chooses the inference-perf version that judges a config, and what is to be said when the version asked for is none of ours.
import type { Problem } from '../../problem';
import type { Directive } from '../directives';
import type { Image } from '../find/images';
import {
  KNOWN_TARGETS,
  MAIN_IS_DATED,
  matchTarget,
  NEWEST,
  targetName,
  type Target,
  type TargetChoice,
} from './target';

interface Wishes {
  readonly target?: Target;
  readonly defaultTarget?: Target;
}

/** Who asks last wins: the caller, the file's directive, the image beside it, the setting, the newest. */
export function chooseTarget(
  directives: readonly Directive[],
  image: Image | undefined,
  options: Wishes,
): TargetChoice {
  if (options.target !== undefined) return { target: options.target, from: 'option' };
  const directive = targetDirective(directives);
  const written = directive && matchTarget(directive.value ?? '');
  if (directive && written) return { target: written.target, from: 'directive', range: directive.range };
  if (image?.match) return { target: image.match.target, from: 'image' };
  if (options.defaultTarget !== undefined) return { target: options.defaultTarget, from: 'setting' };
  return { target: NEWEST, from: 'default' };
}

function targetDirective(directives: readonly Directive[]): Directive | undefined {
  return directives.find((each) => each.name === 'target');
}

/** Does a `target` directive name a version at all? One that does not is reported and has no effect. */
export function isVersion({ name, value = '' }: Directive): boolean {
  return name !== 'target' || matchTarget(value) !== undefined;
}

/** What is to be said of the version a directive asks for; nothing when it is one of ours. */
export function targetProblems(directives: readonly Directive[], choice: TargetChoice): readonly Problem[] {
  const directive = targetDirective(directives);
  if (!directive) return [];
  const { value = '', range } = directive;
  const match = matchTarget(value);
  const base = { code: 'CFG022', path: [], range } as const;
  const known = `Known: ${KNOWN_TARGETS}.`;
  if (!match) {
    const message = `The directive 'target' needs an inference-perf version, and '${value}' is none: ${targetName(choice.target)} judges instead.`;
    return [{ ...base, severity: 'error', message, remedy: known }];
  }
  if (match.how === 'unknown') {
    const message = `IsoPerf knows no inference-perf ${value}: ${targetName(choice.target)} judges instead.`;
    return [{ ...base, severity: 'warning', message, remedy: known }];
  }
  // Another one asked, and was heard: nothing is judged as the directive says.
  if (match.how === 'exact' || match.how === 'moving' || choice.from !== 'directive') return [];
  if (match.how === 'dated') return [{ ...base, severity: 'information', message: MAIN_IS_DATED, remedy: known }];
  const message = `inference-perf ${value} is judged as ${choice.target}, the nearest version that IsoPerf knows.`;
  return [{ ...base, severity: 'information', message, remedy: known }];
}
