// CMP079: Reports of two runs in one place.
import { fix } from '../fix';
import { type Check, type Hit, warning } from '../in-config';
import { EVERYTHING, type Pitfall } from '../pitfall';

const storage: Check = ({ config }) => {
  const { storage: places } = config;
  return (['google_cloud_storage', 'simple_storage_service'] as const).flatMap((name): Hit[] => {
    const place = places?.[name];
    if (place?.path === undefined || place.path.includes('{timestamp}')) return [];
    return [warning(['storage', name, 'path'])];
  });
};

export const CMP079: Pitfall = {
  code: 'CMP079',
  title: 'Reports of two runs in one place',
  consequence:
    'A fixed path or prefix in a bucket keeps files of an older run beside the new ones, or skips the upload because they exist.',
  remedy: 'Put {timestamp} into the path.',
  moves: EVERYTHING,
  configPaths: [
    'storage.google_cloud_storage.path',
    'storage.simple_storage_service.path',
    'storage.local_storage.path',
  ],
  source: 'inference-perf: inference_perf/client/filestorage/gcs.py',
  inConfig: { words: 'A bucket’s path without {timestamp}.', check: storage },
  inReport: { words: 'The stages do not add up to the summary, or successes and failures not to the requests.' },
  mend: (problem, page) => {
    const path = page.scalar(problem.path);
    return path === undefined
      ? []
      : fix('Add {timestamp} to the path', page.set(problem.path, JSON.stringify(`${path}-{timestamp}`)), false);
  },
};
