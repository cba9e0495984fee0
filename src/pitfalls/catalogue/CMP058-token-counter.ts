// CMP058: Different counters of tokens.
import { percent, significant, whole } from '../../figures';
import { notAsAsked } from '../asked';
import { bothCounts } from '../counts';
import { off, said, type Sign } from '../in-report';
import { DECODE, type Pitfall, RATES } from '../pitfall';

const otherCount: Sign = (scope, report) => {
  const found = notAsAsked(scope, report);
  if (!found || !(found.byClient || found.isMore)) return undefined;
  const why = found.byClient
    ? 'the client tokenized the text again'
    : 'no server may send more than it was asked for, so the count or the file is wrong';
  return said(scope.id, `${found.figures}: ${why}`, 'asked-length');
};

/** The same text counted twice, and not alike: whose count a rate uses decides it. */
const twoCounts: Sign = (scope) => {
  const sure = bothCounts(scope, 'output_tokens');
  const counts = sure ?? bothCounts(scope, 'output_tokens', ['server-else-asked']);
  const [client, server] = [counts?.client['mean'], counts?.server['mean']];
  if (client === undefined || server === undefined || server === 0 || off(client, server) <= 0.01) return undefined;
  const mismatches = scope.extras?.tokenMismatches ?? 0;
  const who = sure ? 'the server' : 'the server’s count, or else the length asked for, is';
  return said(
    scope.id,
    `the client counts ${significant(client)} output tokens per answer, ${who} ${significant(server)} (${percent((client - server) / server)})${mismatches > 0 ? `, and they disagree on ${whole(mismatches)} answers` : ''}: TPOT, NTPOT and tokens/s change with the counter`,
  );
};

export const CMP058: Pitfall = {
  code: 'CMP058',
  title: 'Different counters of tokens',
  consequence:
    'Client and server counts differ by per cents, and reasoning tokens are in the server’s alone: tokens/s, TPOT and NTPOT move with the counter.',
  remedy: 'One source on both sides; the server’s usage where there is one.',
  moves: [...DECODE, ...RATES],
  configPaths: ['report.request_lifecycle.use_server_output_tokens'],
  source: 'inference-perf PR 644',
  inReport: {
    words: 'The client’s and the server’s count of output tokens differ by over 1 %; or a total or rate fits neither.',
    parts: [otherCount, twoCounts],
  },
};
