// What a lifecycle or session file of inference-perf says beside its measures: evidence for pitfalls (reference 5.5 and 5.7).
import { MEDIA_KINDS, type MediaMeans } from '../../metrics/media';
import type { ScopeExtras, SessionFigures } from '../canonical';
import type { SourceDocument } from './reader';
import { at, compact, numberAt, textAt } from './values';
import { isObject } from '../../own';

/** @param value one lifecycle document, of any generation or of ours */
export function extrasOf(value: unknown): ScopeExtras {
  return compact<ScopeExtras>({
    sendSeconds: numberAt(value, 'load_summary', 'send_duration'),
    statedRate: numberAt(value, 'load_summary', 'requested_rate'),
    cachedPromptTokens: numberAt(value, 'successes', 'prompt_tokens', 'cached'),
    tokenMismatches: numberAt(value, 'successes', 'token_count_mismatches'),
    failureLabels: labelsOf(at(value, 'failures', 'by_label')),
    retried: retriedOf(at(value, 'retries')),
    media: mediaOf(at(value, 'successes')),
    imageBytesPerPixel: bytesPerPixel(at(value, 'successes', 'image')),
  });
}

function labelsOf(block: unknown): Readonly<Record<string, number>> | undefined {
  if (!isObject(block)) return undefined;
  const entries = Object.entries(block).flatMap(([label, entry]) => {
    const count = numberAt(entry, 'count');
    return count === undefined ? [] : [[label, count] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function retriedOf(block: unknown): ScopeExtras['retried'] {
  const [requests, attempts] = [numberAt(block, 'requests_retried'), numberAt(block, 'attempts')];
  return requests === undefined || attempts === undefined ? undefined : { requests, attempts };
}

/** Undefined where no kind of media is counted. */
function mediaOf(successes: unknown): MediaMeans | undefined {
  const mean = (kind: string, of: string): number | undefined => numberAt(successes, kind, of, 'mean');
  const counts = MEDIA_KINDS.map((kind) => mean(kind, 'count'));
  if (counts.every((count) => count === undefined)) return undefined;
  const [imagesPerRequest = 0, videosPerRequest = 0, soundsPerRequest = 0] = counts;
  return compact<MediaMeans>({
    imagesPerRequest,
    videosPerRequest,
    soundsPerRequest,
    bytesPerRequest: MEDIA_KINDS.reduce(
      (sum, kind) => sum + (mean(kind, 'count') ?? 0) * (mean(kind, 'bytes') ?? 0),
      0,
    ),
    pixelsPerImage: mean('image', 'pixels'),
    framesPerVideo: mean('video', 'frames'),
    pixelsPerFrame: mean('video', 'pixels'),
    secondsPerSound: mean('audio', 'seconds'),
  });
}

function bytesPerPixel(image: unknown): number | undefined {
  const bytes = numberAt(image, 'bytes', 'mean');
  const pixels = numberAt(image, 'pixels', 'mean');
  return bytes === undefined || pixels === undefined || pixels <= 0 ? undefined : bytes / pixels;
}

/** @param reports session summaries, of stages and of all @param lists per-session files */
export function sessionsOf(
  reports: readonly SourceDocument[],
  lists: readonly SourceDocument[],
): readonly SessionFigures[] {
  return [
    ...reports.map(({ file, value }) =>
      compact<SessionFigures>({
        file,
        stage: numberAt(value, 'stage_metadata', 'stage_id'),
        sessions: numberAt(value, 'num_sessions'),
        succeeded: numberAt(value, 'num_sessions_succeeded'),
        failed: numberAt(value, 'num_sessions_failed'),
        withCacheInfo: numberAt(value, 'sessions_with_cache_info'),
        status: textAt(value, 'stage_metadata', 'status'),
      }),
    ),
    ...lists.flatMap(({ file, value }): SessionFigures[] => {
      if (!Array.isArray(value)) return [];
      const ids = value.map((entry) => textAt(entry, 'session_id')).filter((id) => id !== undefined);
      // Copies are named "<id>_dup<n>" (reference 3.7).
      const copies = ids.filter((id) => /_dup\d+$/.test(id)).length;
      return [{ file, copies, originals: ids.length - copies }];
    }),
  ];
}
