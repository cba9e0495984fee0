// S3 and what speaks like it. The one file that knows Amazon's library; a bundle of its own, loaded when a run uploads.
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ListObjectsV2Command, PutObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { CONNECT_SECONDS, SILENCE_SECONDS, TRIES, type Bucket, type BucketObject, type Env } from './bucket';
import { failureKind } from './failure';
import type { BucketPlace } from './place';

/** Smaller files are held, so that the library can send them again; larger ones are sent once, from the disk. */
const HELD_BYTES = 64 * 1024 * 1024;
/** Where a bucket is looked for when nothing names a region, as boto3 does; the store says when it is elsewhere. */
const USUAL_REGION = 'us-east-1';

/** A warning for whoever chooses the library's version: here it is pinned, and this version runs on every Node that we do. */
const NO_WARNING = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

export async function openS3(place: BucketPlace, env: Env): Promise<Bucket> {
  process.env[NO_WARNING] ??= 'true';
  let client = new S3Client(configOf(place, env));
  // Region names may also come from the AWS configuration files; that there is none is found out by asking.
  if (!(await client.config.region().catch(() => undefined))) {
    client.destroy();
    client = new S3Client({ ...configOf(place, env), region: USUAL_REGION });
  }
  return new S3Bucket(client, place.bucket);
}

function configOf(place: BucketPlace, env: Env): S3ClientConfig {
  const region = place.region ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const endpoint = place.endpoint ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  return {
    ...(region ? { region } : {}),
    // Else the library's own chain: shared files, SSO, the role of a pod, a container or a machine.
    ...(accessKeyId && secretAccessKey
      ? { credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) } }
      : {}),
    ...(endpoint ? { endpoint } : { followRegionRedirects: true }),
    // As boto3, which inference-perf uses: a store with an address of its own is asked by path unless told otherwise.
    forcePathStyle: endpoint ? place.addressing !== 'virtual' : place.addressing === 'path',
    maxAttempts: TRIES,
    // Stores that only resemble S3 refuse the checksums that newer libraries add unasked.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_SECONDS * 1000, socketTimeout: SILENCE_SECONDS * 1000 },
  };
}

/** Owns the library's connections. */
class S3Bucket implements Bucket {
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  async keys(prefix: string): Promise<ReadonlySet<string> | undefined> {
    try {
      const answer = await this.client.send(
        new ListObjectsV2Command({ Bucket: this.bucket, Prefix: prefix, Delimiter: '/' }),
      );
      return new Set((answer.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key])));
    } catch (error) {
      if (failureKind(error) === 'forbidden') return undefined;
      throw error;
    }
  }

  async put(object: BucketObject): Promise<void> {
    try {
      await this.send(object, true);
    } catch (error) {
      // A store that knows no conditions says so; whether the name is free was asked before.
      if (failureKind(error) !== 'unknown-condition') throw error;
      await this.send(object, false);
    }
  }

  private async send({ key, file, bytes, contentType }: BucketObject, onlyIfFree: boolean): Promise<void> {
    await this.client.send(
      new PutObjectCommand({
        Bucket: this.bucket,
        Key: key,
        Body: bytes <= HELD_BYTES ? await readFile(file) : createReadStream(file),
        ContentLength: bytes,
        ContentType: contentType,
        ...(onlyIfFree ? { IfNoneMatch: '*' } : {}),
      }),
    );
  }

  close(): void {
    this.client.destroy();
  }
}
