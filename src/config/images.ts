// The container image of inference-perf that a Kubernetes manifest or Helm values name, in whatever style of YAML they are written.
import { targetOf, targetOfImage, type Target } from './target';

const IMAGE = /inference-perf[^\s:@/]*:([\w.-]+)(?:@|$)/;
const NAME = /inference-perf[^\s:@/]*$/;
const MAX_VISITED = 5000;

/**
 * The target that an image beside a config means: of the config's own document first, then of the file's others, then of the text as
 * it stands (for what cannot be read as YAML). Undefined when there is none, or none with a version in its tag.
 */
export function targetOfImages(values: readonly unknown[], text: string): Target | undefined {
  if (!text.includes('inference-perf')) return undefined;
  for (const value of values) {
    const found = inValue(value);
    if (found) return found;
  }
  return targetOfImage(text);
}

function inValue(root: unknown): Target | undefined {
  // Depth first, in the order of the text.
  const open: unknown[] = [root];
  for (let visited = 0; open.length > 0 && visited < MAX_VISITED; visited += 1) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const tag = Array.isArray(value) ? undefined : tagOf(value as Readonly<Record<string, unknown>>);
    const target = tag === undefined ? undefined : targetOf(tag);
    if (target) return target;
    const inner = Object.values(value);
    for (let index = Math.min(inner.length, MAX_VISITED) - 1; index >= 0; index -= 1) open.push(inner[index]);
  }
  return undefined;
}

/** `image: name:tag`, or `repository: name` beside `tag: x`. */
function tagOf({ image, repository, tag }: Readonly<Record<string, unknown>>): string | undefined {
  const inName = typeof image === 'string' ? IMAGE.exec(image)?.[1] : undefined;
  if (inName !== undefined) return inName;
  const named = typeof repository === 'string' && NAME.test(repository);
  // 0.6 without quotes is a number.
  return named && (typeof tag === 'string' || typeof tag === 'number') ? String(tag) : undefined;
}
