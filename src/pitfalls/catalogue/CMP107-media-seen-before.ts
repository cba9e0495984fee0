// CMP107: The server has seen these media before.
import { mediaOf, type Check, note } from '../in-config';
import type { Pitfall } from '../pitfall';

const seen: Check = (loaded) =>
  mediaOf(loaded).flatMap(({ path, value: { audio, video }, isPrefix }) => {
    if (isPrefix) {
      return [
        note(path, {
          message:
            'Media of a prefix are one per group: from a group’s second request on the server has them in its cache.',
        }),
      ];
    }
    return [
      ...(audio?.count
        ? [
            note([...path, 'audio'], {
              message:
                'Sounds are silence, byte for byte the same for each duration: all but the first come out of the server’s media cache.',
            }),
          ]
        : []),
      ...(video?.count && video.representation === 'mp4'
        ? [
            note([...path, 'video'], {
              message:
                'Videos come from a pool of four per size and worker: nearly all come out of the server’s media cache.',
            }),
          ]
        : []),
    ];
  });

export const CMP107: Pitfall = {
  code: 'CMP107',
  title: 'The server has seen these media before',
  consequence:
    'Servers keep pictures and sounds that they have processed. Silence of one length, videos from a pool and media of a prefix are the same bytes again and again: the encoder hardly runs, and TTFT is that of a cache.',
  remedy:
    'Read the server’s media cache counters (vLLM: vllm:mm_cache_queries and vllm:mm_cache_hits) beside TTFT; send images or frames per request where the encoder is the question.',
  moves: ['ttft', 'request_latency', 'ntpot', 'requests_per_sec'],
  configPaths: ['data.multimodal.audio', 'data.multimodal.video', 'data.shared_prefix.multimodal'],
  source: 'inference-perf: inference_perf/datagen (synthetic media); vLLM: metrics vllm:mm_cache_*',
  inConfig: { words: 'Sounds, mp4 videos or media of a prefix.', check: seen },
};
