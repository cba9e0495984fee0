// Which files of a workspace are results of a benchmark: a look at the first bytes, then the readers' own judgement.
import type { FolderAccess } from '../folder/access';
import type { KnownResult, Place } from '../reader-messages';
import { measureOf } from '../readers/canonical';
import { openForeign } from '../readers/foreign';
import { openPlace, type AskFiles } from './reader-files';

const HEAD_BYTES = 64 * 1024;
/** For a list nothing larger is read; it can be opened all the same. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Every tool's results speak of one of these near their beginning. */
const SPEAKS_OF =
  /ttft|first_token|latency|throughput|benchmark|tokens?_per|output_tok|request_rate|MLPerf|num_requests/i;

/** Undefined for a file that no reader knows, or that cannot be read. */
export async function recogniseResult(place: Place, askFiles: AskFiles): Promise<KnownResult | undefined> {
  try {
    const { access, isFile } = await openPlace(place, askFiles);
    const file = place.uri.path.split('/').at(-1)!;
    if (!isFile || !(await isWorthReading(access, file))) return undefined;
    const opened = await openForeign(access);
    const report = opened.ok ? opened.value.reports[0]?.report : undefined;
    if (!report) return undefined;
    const { tool, toolVersion, startedAt, endpoint, model, scopes, files } = report;
    const parts = scopes.filter(({ kind }) => kind !== 'summary');
    const [first] = parts.length > 0 ? parts : scopes;
    const ttft = first && measureOf(first, 'ttft')?.stats['p95'];
    return {
      tool: toolVersion === undefined ? tool : `${tool} ${toolVersion}`,
      ...(startedAt === undefined ? {} : { startedAt }),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(model === undefined ? {} : { model }),
      ...(first ? { load: parts.length > 1 ? `${parts.length} loads` : first.load.words } : {}),
      ...(ttft === undefined || parts.length > 1 ? {} : { ttftP95Seconds: ttft }),
      files,
    };
  } catch {
    return undefined;
  }
}

async function isWorthReading(access: FolderAccess, file: string): Promise<boolean> {
  const size = await access.sizeBytes?.(file);
  if (size === 0 || (size !== undefined && size > MAX_BYTES)) return false;
  if (!access.readBytes) return true;
  for await (const piece of access.readBytes(file)) {
    return SPEAKS_OF.test(new TextDecoder().decode(piece.subarray(0, HEAD_BYTES)));
  }
  return false;
}
