// Texts with media woven in: every prompt of a source becomes the content of one user message.
import type { Seed } from '../../config/model/lax';
import type { Prompt, PromptSource } from '../prompts';
import { stream, type StageName } from '../random';
import { drawMedia, joinBlocks, togetherMedia, weave, type DrawnMedia, type MediaPlans } from './media';

const NOTHING: DrawnMedia = { placed: [], media: {} };

/** Media have streams of their own, by stage and request: texts stay what they would be without them. */
export function withMedia(source: PromptSource, { payload, prefix }: MediaPlans, seed: Seed): PromptSource {
  const groups = new Map<number, DrawnMedia>();
  const prefixOf = (group: number): DrawnMedia => {
    if (!prefix) return NOTHING;
    const known = groups.get(group) ?? drawMedia(prefix, stream(seed, 'media-prefix', group));
    groups.set(group, known);
    return known;
  };
  const woven = (prompt: Prompt, name: StageName, index: number): Prompt => {
    const own = payload ? drawMedia(payload, stream(seed, 'media', name.kind, name.index, index)) : NOTHING;
    const text = prompt.content as string;
    const { shared } = prompt;
    const before = shared ? prefixOf(shared.group) : NOTHING;
    const head = shared ? weave(text.slice(0, shared.characters), before.placed) : [];
    const question = shared && shared.characters > 0 ? text.slice(shared.characters + 1) : text;
    const content = joinBlocks(head, weave(question, own.placed));
    return { ...prompt, content: [{ role: 'user', content }], media: togetherMedia(before.media, own.media) };
  };
  return {
    unit: source.unit,
    api: 'chat',
    get sharedPrefixLength() {
      return source.sharedPrefixLength;
    },
    ...(source.remarks ? { remarks: source.remarks } : {}),
    stage: (name) => {
      const prompts = source.stage(name);
      return (index) => {
        const made = prompts(index);
        if (made instanceof Promise)
          return made.then((prompt) => ('ok' in prompt ? prompt : woven(prompt, name, index)));
        return 'ok' in made ? made : woven(made, name, index);
      };
    },
  };
}
