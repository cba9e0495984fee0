// Entry of the sending threads: a bundle of its own, started by the worker pool.
import { parentPort, workerData } from 'node:worker_threads';
import { serveLoad } from './worker-thread';
import type { WorkerSetup } from './worker-messages';

if (parentPort) serveLoad(parentPort, workerData as WorkerSetup);
