// What the benchmark drives of the engine: the real client and the real dispatcher, bundled by bench/engine.mjs.
export { createClient } from '../../src/client/http-client';
export { dispatch } from '../../src/loadgen/dispatch';
export { LiveFigures } from '../../src/loadgen/live';
export { StopControl } from '../../src/loadgen/stop';
export { WorkerPool } from '../../src/loadgen/worker-pool';
