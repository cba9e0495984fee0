// CMP015: Waiting turns occupy slots.
import { type Check, type Hit, stagePath, warning } from '../in-config';
import { EVERYTHING, type Pitfall } from '../pitfall';

const slots: Check = ({ config }) => {
  const { load, data } = config;
  if (load.type === 'concurrent' && data.type === 'conversation_replay' && data.conversation_replay) {
    const conversations = data.conversation_replay.num_conversations;
    return load.stages.flatMap((stage, index): Hit[] =>
      stage.concurrency_level <= conversations
        ? []
        : [
            warning(stagePath(index, 'concurrency_level'), {
              message: `${stage.concurrency_level} slots, but only ${conversations} conversations: turns of one conversation wait for each other, so fewer requests are in flight.`,
              restsOn: [stagePath(index), ['data', 'conversation_replay', 'num_conversations']],
            }),
          ],
    );
  }
  if (load.type !== 'trace_session_replay' || load.num_workers === undefined) return [];
  const cap = Math.max(1, load.num_workers) * load.worker_max_concurrency;
  return load.stages.flatMap((stage, index): Hit[] =>
    cap >= 50 * stage.concurrent_sessions
      ? []
      : [
          warning(stagePath(index, 'concurrent_sessions'), {
            message: `${stage.concurrent_sessions} sessions share ${cap} places in flight; events that wait for others hold places too, so the real concurrency can be lower.`,
            restsOn: [stagePath(index), ['load', 'num_workers'], ['load', 'worker_max_concurrency']],
          }),
        ],
  );
};

export const CMP015: Pitfall = {
  code: 'CMP015',
  title: 'Waiting turns occupy slots',
  consequence:
    'Conversations and replayed sessions hold a slot while they wait for their turn, so fewer requests are in flight than the level says.',
  remedy:
    'As many conversations as slots; for session replay worker_max_concurrency of 50 x concurrent_sessions or more.',
  moves: EVERYTHING,
  configPaths: [
    'load.stages.concurrency_level',
    'data.conversation_replay.num_conversations',
    'load.stages.concurrent_sessions',
  ],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inConfig: {
    words:
      'concurrency_level is above num_conversations; or num_workers x worker_max_concurrency is below 50 x concurrent_sessions.',
    check: slots,
  },
  inReport: {
    words:
      'Too few requests are in flight (under 80 % of the level), and the data are conversations, multi-turn chats or replayed sessions.',
  },
};
