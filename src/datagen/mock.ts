// data.type mock: numbered prompts without a length (reference 2.4).
import { DEFAULT_MAX_TOKENS } from './body';
import type { PromptSource } from './prompts';

/** inference-perf's mock server asks for three tokens, its other clients for their default of 30. */
const MOCK_SERVER_MAX_TOKENS = 3;

export function mockPrompts(api: 'completion' | 'chat', isMockServer: boolean): PromptSource {
  const maxTokens = isMockServer ? MOCK_SERVER_MAX_TOKENS : DEFAULT_MAX_TOKENS;
  return {
    unit: 'tokens',
    stage: () => (index) => ({
      content: api === 'chat' ? `mock prompt ${index + 1}` : `1 2 3 ${index + 1}`,
      maxTokens,
    }),
  };
}
