// Where a config sends its reports besides the local folder, and what each file is called there.
import { MANIFEST_FILE, RECORDS_FILE } from '../manifest';

export interface BucketPlace {
  readonly kind: 's3' | 'gcs';
  /** Key of the config's `storage` section. */
  readonly section: 'google_cloud_storage' | 'simple_storage_service';
  readonly bucket: string;
  /** Object names begin with it; without slashes at its ends, empty for the top of the bucket. */
  readonly folder: string;
  readonly prefix: string;
  /** Address of an S3-compatible store. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly addressing?: 'auto' | 'virtual' | 'path';
}

interface Entry {
  readonly path?: string | undefined;
  readonly report_file_prefix?: string | null;
  readonly bucket_name: string;
}

/** The config's `storage` section, as far as it names buckets. */
export interface StorageSection {
  readonly google_cloud_storage?: Entry | null;
  readonly simple_storage_service?:
    | (Entry & {
        readonly endpoint_url?: string | null;
        readonly region_name?: string | null;
        readonly addressing_style?: 'auto' | 'virtual' | 'path' | null;
      })
    | null;
}

/** @param storage with its paths filled in: `{timestamp}` is replaced when the config is loaded */
export function bucketPlaces(storage: StorageSection | null | undefined): readonly BucketPlace[] {
  const places: BucketPlace[] = [];
  const gcs = storage?.google_cloud_storage;
  if (gcs) places.push({ kind: 'gcs', section: 'google_cloud_storage', ...common(gcs) });
  const s3 = storage?.simple_storage_service;
  if (s3) {
    places.push({
      kind: 's3',
      section: 'simple_storage_service',
      ...common(s3),
      ...(s3.endpoint_url ? { endpoint: s3.endpoint_url } : {}),
      ...(s3.region_name ? { region: s3.region_name } : {}),
      ...(s3.addressing_style ? { addressing: s3.addressing_style } : {}),
    });
  }
  return places;
}

function common(entry: Entry): Pick<BucketPlace, 'bucket' | 'folder' | 'prefix'> {
  return {
    bucket: entry.bucket_name,
    folder: (entry.path ?? '').replace(/^\/+|\/+$/g, ''),
    prefix: entry.report_file_prefix ?? '',
  };
}

/** `s3://bucket/folder/`: as the stores' own tools write it. */
export function bucketUrl({ kind, bucket, folder }: BucketPlace): string {
  return `${kind === 's3' ? 's3' : 'gs'}://${bucket}/${folder === '' ? '' : `${folder}/`}`;
}

/**
 * What a file of the report folder is called in the bucket: the bucket's prefix stands for the local one. The manifest and the
 * records keep their names, as they do in the folder, so that what is downloaded opens as a run. Undefined for files that are no
 * part of the report: a folder may hold others, and those are nobody's business.
 */
export function objectName(file: string, localPrefix: string, place: BucketPlace): string | undefined {
  if (file === MANIFEST_FILE || file === RECORDS_FILE) return file;
  if (!file.startsWith(localPrefix)) return undefined;
  const name = file.slice(localPrefix.length);
  return REPORT_FILE.test(name) ? `${place.prefix}${name}` : undefined;
}

const REPORT_FILE = /^(?:config\.yaml|(?:.+_)?(?:lifecycle|prometheus)_metrics\.json)$/;

/** Under which name the object lies in the bucket. */
export function objectKey(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
