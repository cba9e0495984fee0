// CMP036: The server stopped before it was asked to.
import { notAsAsked, shortAnswers } from '../asked';
import { dataType, lifecycleOnly, said, type Sign } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';

const stoppedEarly: Sign = (scope, report) => {
  const found = notAsAsked(scope, report);
  return found && !found.byClient && !found.isMore
    ? said(scope.id, `${found.figures}: the server stopped early`, 'asked-length')
    : undefined;
};

const serverStops: Sign = (scope, report) => {
  const short = shortAnswers(scope, report);
  // Of a fixed length the other sign says it, with its counter.
  if (!short || short.mayEnd || (short.asked.fixed && dataType(report) === 'shared_prefix')) return undefined;
  return said(scope.id, `${short.figures}, although ignore_eos was sent: the server stopped early`);
};

export const CMP036: Pitfall = {
  code: 'CMP036',
  title: 'The server stopped before it was asked to',
  consequence: 'Shorter answers than asked make latency and throughput look better without any speed-up.',
  remedy: 'Compare TPOT instead of latency, or refuse the comparison.',
  moves: ['request_latency', 'ntpot', ...RATES],
  configPaths: ['server.ignore_eos', 'data.output_distribution', 'data.shared_prefix.output_len'],
  source: 'inference-perf: inference_perf/client/modelserver/openai_client.py',
  inReport: {
    words:
      'Answers are a tenth shorter than asked (1 % for a fixed length by the server’s count) although ignore_eos was sent.',
    parts: [stoppedEarly, lifecycleOnly(serverStops)],
  },
};
