// data.use_chat_template: the tokenizer whose prompts are wrapped by its chat template, or why there is none.
import { ChatTemplateError, findChatTemplate } from '../datagen/chat-template-files';
import type { TextTokenizer } from '../datagen/tokenizer';
import type { Problem, Result } from '../problem';

const KEY = ['data', 'use_chat_template'];

/**
 * Prompts of this tokenizer carry the template's special tokens, so none are added when they are counted. Error RUN027 says why there is
 * no template to use; RUN028 says which one is, RUN029 that it depends on the date.
 */
export async function withChatTemplate(tokenizer: TextTokenizer): Promise<Result<TextTokenizer>> {
  // Only runs with a template need the interpreter.
  const { compileChatTemplate } = await import('../datagen/chat-template');
  try {
    const source = findChatTemplate(tokenizer.identity.source);
    const { wrap, hasDate } = compileChatTemplate(source);
    const wrapped = { ...withOwnSpecialTokens(tokenizer), wrap };
    const overhead = tokenizer.count(wrap(''));
    const used: Problem = {
      code: 'RUN028',
      severity: 'information',
      path: KEY,
      message: `Every prompt is one user turn of the chat template in ${source.file} (sha256 ${source.sha256}), ${overhead} tokens of it around the text and counted in its length; add_special_tokens: false is sent, as in inference-perf.`,
    };
    return { ok: true, value: wrapped, problems: hasDate ? [used, DATE] : [used] };
  } catch (error) {
    if (!(error instanceof ChatTemplateError)) throw error;
    return { ok: false, problems: [noChatTemplate(error.message)] };
  }
}

/** For texts that hold their special tokens already. */
export function withOwnSpecialTokens(tokenizer: TextTokenizer): TextTokenizer {
  return { ...tokenizer, specialTokens: 0 };
}

export function noChatTemplate(why: string): Problem {
  return {
    code: 'RUN027',
    severity: 'error',
    path: KEY,
    message: `Nothing was sent: data.use_chat_template cannot be followed, because ${why}.`,
    remedy:
      'Name the tokenizer of a chat model in tokenizer.pretrained_model_name_or_path, or set use_chat_template to false.',
  };
}

const DATE: Problem = {
  code: 'RUN029',
  severity: 'warning',
  path: KEY,
  message: 'The chat template writes the date into the prompt: on another day the same seed gives other prompts.',
  remedy: 'Freeze the stream (isoperf plan --freeze) to send the same prompts on other days.',
};
