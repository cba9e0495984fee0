// What a stopped preparation ends with.
import type { Problem } from '../problem';

export const STOPPED: Problem = {
  code: 'RUN017',
  severity: 'error',
  path: [],
  message: 'Nothing was sent: the run was stopped before it began.',
};

export const STOPPED_EARLY = { ok: false, problems: [STOPPED] } as const;
