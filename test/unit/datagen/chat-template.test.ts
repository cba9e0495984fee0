// Chat templates: found where transformers finds them, rendered as one user turn, counted into the prompt's length, held in bounds.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compileChatTemplate, type ChatTemplate } from '../../../src/datagen/chat-template';
import { ChatTemplateError, findChatTemplate } from '../../../src/datagen/chat-template-files';
import type { LengthDistribution } from '../../../src/datagen/lengths';
import { loadTokenizer, type TextTokenizer } from '../../../src/datagen/tokenizer';
import { prepareWorkload } from '../../../src/datagen/workload';
import { temporaryFolder, writeTokenizer } from './tokenizer-fixture';

const { folder, remove } = temporaryFolder();
afterAll(remove);
let made = 0;

/** A tokenizer with a BOS of its own in a folder with these files. */
function tokenizerWith(files: Readonly<Record<string, unknown>>): string {
  const place = path.join(folder, String(made++));
  mkdirSync(place);
  const file = writeTokenizer(place, { bos: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(path.join(place, name), typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const compiled = (files: Readonly<Record<string, unknown>>): ChatTemplate =>
  compileChatTemplate(findChatTemplate(tokenizerWith(files)));
const ofConfig = (chat_template: unknown, more = {}): Readonly<Record<string, unknown>> => ({
  'tokenizer_config.json': { chat_template, ...more },
});

const PLAIN = '{{ messages[0].content }}';
const MARKED =
  "{{ bos_token }}{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}";

describe('the template', () => {
  it('is one user turn with the generation prompt; tokens by name, as a text or as an object', () => {
    for (const bos_token of ['<s>', { content: '<s>', special: true }]) {
      expect(compiled(ofConfig(MARKED, { bos_token })).wrap('Hi {{ bos_token }} "there"')).toBe(
        '<s>[user] Hi {{ bos_token }} "there"\n[assistant]',
      );
    }
  });

  it('takes tokens from special_tokens_map.json that the config does not name; one that nobody names is empty', () => {
    const map = { 'special_tokens_map.json': { bos_token: '<m>', eos_token: '<e>' } };
    const text = '{{ bos_token }}{{ messages[0].content }}{{ eos_token }}{{ pad_token }}';
    expect(compiled({ ...ofConfig(text, { bos_token: '<s>' }), ...map }).wrap('x')).toBe('<s>x<e>');
  });

  it('comes from chat_template.jinja before the config, there from the one called default', () => {
    const named = [
      { name: 'tool_use', template: `tool ${PLAIN}` },
      { name: 'default', template: `default ${PLAIN}` },
    ];
    expect(compiled(ofConfig(named)).wrap('x')).toBe('default x');
    expect(compiled({ ...ofConfig(named), 'chat_template.jinja': `alone ${PLAIN}` }).wrap('x')).toBe('alone x');
  });

  it('has blocks that leave no blank lines, tools that are none, and dates that are said', () => {
    const text = `{% if tools is none %}\n  {% set a = 'none' %}\n{% endif %}\n{{ a }} ${PLAIN}{{ strftime_now('') }}`;
    const { wrap, hasDate } = compiled(ofConfig(text));
    expect(wrap('x')).toBe('none x');
    expect(hasDate).toBe(true);
    expect(compiled(ofConfig(PLAIN)).hasDate).toBe(false);
  });

  it.each([
    ['none at all', {}, /has no chat template: there is no chat_template\.jinja/],
    ['null', ofConfig(null), /has no chat template/],
    ['no default', ofConfig([{ name: 'rag', template: 'x' }]), /none of them is called "default"/],
    ['a config that is not JSON', { 'tokenizer_config.json': '{' }, /tokenizer_config\.json is not JSON/],
    ['not a template', ofConfig('{% if %}'), /tokenizer_config\.json cannot be rendered/],
    ['one that refuses the turn', ofConfig("{{ raise_exception('only systems talk') }}"), /only systems talk/],
    ['one that leaves out the text', ofConfig('Hello.'), /leaves out what the user says/],
    [
      'one beyond all sizes',
      { 'chat_template.jinja': 'x'.repeat(1024 * 1024 + 1) },
      /more than a chat template may have/,
    ],
    [
      'one that makes too much',
      ofConfig(`{{ messages[0].content }}{% for i in range(60) %}${'x'.repeat(20_000)}{% endfor %}`),
      /makes 12000\d\d characters/,
    ],
    [
      'one without an end',
      ofConfig(`{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}${PLAIN}`),
      /did not end within 2 s/,
    ],
  ])('that cannot be used: %s', (_, files, says) => {
    let error: unknown;
    try {
      compiled(files);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ChatTemplateError);
    expect((error as Error).message).toMatch(says);
  });

  it('reaches nothing of the program: no globals, no constructors', () => {
    for (const way of [
      'process',
      'globalThis',
      'require',
      "messages.constructor.constructor('return 1')()",
      "''.constructor",
    ]) {
      let rendered: string;
      try {
        rendered = compiled(ofConfig(`${PLAIN}{{ ${way} }}`)).wrap('x');
      } catch (error) {
        expect(error).toBeInstanceOf(ChatTemplateError);
        continue;
      }
      expect(rendered).toBe('x');
    }
  });
});

const fixed = (value: number): LengthDistribution => ({
  type: 'fixed',
  min: value,
  max: value,
  mean: value,
  std_dev: 0,
  skew: 0,
});

async function prompts(
  template: string,
  length: number,
): Promise<{ tokenizer: TextTokenizer; bodies: { prompt: string; add_special_tokens?: boolean }[] }> {
  const file = tokenizerWith(ofConfig(template, { bos_token: '<s>' }));
  const { wrap } = compileChatTemplate(findChatTemplate(file));
  const tokenizer = { ...loadTokenizer(file), specialTokens: 0, wrap };
  const workload = await prepareWorkload({
    data: { type: 'random', inputDistribution: fixed(length), outputDistribution: fixed(4) },
    body: { model: 'm', api: 'completion', streaming: false, ignoreEos: true, addSpecialTokens: false },
    isMockServer: false,
    seed: 3,
    tokenizer,
    stages: [{ name: { kind: 'measured', index: 0 }, count: 20 }],
  });
  if (!workload.ok) throw new Error(`${workload.problems[0]!.code} ${workload.problems[0]!.message}`);
  const bodies = workload.value.stages.flat().map(({ body }) => JSON.parse(String(body)) as { prompt: string });
  return { tokenizer, bodies };
}

describe('random prompts with a template', () => {
  it('have the asked length with the template, its BOS counted once, and ask the server to add nothing', async () => {
    const { tokenizer, bodies } = await prompts(MARKED, 60);
    const exact = bodies.filter(({ prompt }) => tokenizer.count(prompt) === 60).length;
    expect(exact).toBeGreaterThanOrEqual(19); // this vocabulary of bytes has lengths without a text
    for (const body of bodies) {
      expect(body.prompt).toMatch(/^<s>\[user\] [^]+\n\[assistant\]$/);
      expect(body.add_special_tokens).toBe(false);
    }
    expect(new Set(bodies.map(({ prompt }) => prompt)).size).toBe(20);
  });

  it('are as long as asked where the template trims the text', async () => {
    const { tokenizer, bodies } = await prompts('{{ bos_token }}<{{ messages[0].content | trim }}>', 40);
    expect(bodies.filter(({ prompt }) => tokenizer.count(prompt) === 40).length).toBeGreaterThanOrEqual(18);
  });

  it('are refused where the template leaves no room, as upstream', async () => {
    const { tokenizer } = await prompts(MARKED, 60);
    const overhead = tokenizer.count(tokenizer.wrap!(''));
    await expect(prompts(MARKED, overhead)).rejects.toThrow(new RegExp(`RUN012.*${overhead} tokens has no room`));
    await expect(prompts(MARKED, overhead + 1)).resolves.toBeDefined();
  });
});
