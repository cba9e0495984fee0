// Every dimension that is asked of two runs.
import type { Finding } from './comparison';
import type { Context, Dimension } from './dimension';
import { arrivalProcess } from './dimensions/arrival-process';
import { clientLimit } from './dimensions/client-limit';
import { completeness } from './dimensions/completeness';
import { endpointMode } from './dimensions/endpoint-mode';
import { inputLength } from './dimensions/input-length';
import { loadModel } from './dimensions/load-model';
import { offeredLoad } from './dimensions/offered-load';
import { outputLength } from './dimensions/output-length';
import { sampleSize } from './dimensions/sample-size';
import { stopBehaviour } from './dimensions/stop-behaviour';
import { tokenSource } from './dimensions/token-source';
import { steadyState } from './dimensions/steady-state';
import { warmupWindow } from './dimensions/warmup-window';
import { metricDefinition } from './dimensions/metric-definition';
import { promptIdentity } from './dimensions/prompt-identity';
import { sampling } from './dimensions/sampling';
import { cacheState } from './dimensions/cache-state';
import { server } from './dimensions/server';
import { topology } from './dimensions/topology';
import { networkPath } from './dimensions/network-path';
import { clientHost } from './dimensions/client-host';
import { goodputDefinition } from './dimensions/goodput-definition';
import { telemetry } from './dimensions/telemetry';

/** In the order a reader would ask; findings of one state keep it. */
export const DIMENSIONS: readonly Dimension[] = [
  metricDefinition,
  loadModel,
  arrivalProcess,
  offeredLoad,
  clientLimit,
  warmupWindow,
  steadyState,
  completeness,
  inputLength,
  outputLength,
  stopBehaviour,
  promptIdentity,
  sampling,
  tokenSource,
  endpointMode,
  cacheState,
  server,
  topology,
  networkPath,
  clientHost,
  sampleSize,
  goodputDefinition,
  telemetry,
];

/** In that order; states are as found, before any declaration. */
export function examine(context: Context): Finding[] {
  return DIMENSIONS.map((dimension) => dimension.examine(context));
}
