// Google Cloud Storage. The one file that knows Google's library; a bundle of its own, loaded when a run uploads.
import { Storage, type Bucket as GoogleBucket } from '@google-cloud/storage';
import { SILENCE_SECONDS, TRIES, type Bucket, type BucketObject, type Env } from './bucket';
import { failureKind } from './failure';
import type { BucketPlace } from './place';

/** Larger files are sent in pieces, each of which can be sent again. */
const ONE_PIECE_BYTES = 8 * 1024 * 1024;

export function openGcs(place: BucketPlace, env: Env): Bucket {
  const emulator = env['STORAGE_EMULATOR_HOST'];
  const storage = new Storage({
    ...(emulator ? { apiEndpoint: emulator.includes('://') ? emulator : `http://${emulator}` } : {}),
    ...(env['GOOGLE_APPLICATION_CREDENTIALS'] ? { keyFilename: env['GOOGLE_APPLICATION_CREDENTIALS'] } : {}),
    retryOptions: { autoRetry: true, maxRetries: TRIES - 1, totalTimeout: SILENCE_SECONDS },
    timeout: SILENCE_SECONDS * 1000,
  });
  return new GcsBucket(storage.bucket(place.bucket));
}

/** Owns nothing: the library closes its connections itself. */
class GcsBucket implements Bucket {
  constructor(private readonly bucket: GoogleBucket) {}

  async keys(prefix: string): Promise<ReadonlySet<string> | undefined> {
    try {
      const [files] = await this.bucket.getFiles({ prefix, delimiter: '/', autoPaginate: false, maxResults: 1000 });
      return new Set(files.map(({ name }) => name));
    } catch (error) {
      if (failureKind(error) === 'forbidden') return undefined;
      throw error;
    }
  }

  async put({ key, file, bytes, contentType }: BucketObject): Promise<void> {
    await this.bucket.upload(file, {
      destination: key,
      resumable: bytes > ONE_PIECE_BYTES,
      metadata: { contentType },
      // Generation 0: only when there is no such object.
      preconditionOpts: { ifGenerationMatch: 0 },
    });
  }

  close(): void {
    // Nothing is held open.
  }
}
