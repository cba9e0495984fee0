// What uploading needs of a bucket, whichever store holds it.

export interface BucketObject {
  readonly key: string;
  /** Path of the file on the disk. */
  readonly file: string;
  readonly bytes: number;
  readonly contentType: string;
}

/** Owns connections: `close` it. Its methods reject with what the store's library throws; `explain` says what that means. */
export interface Bucket {
  /** Keys directly under `prefix` (a folder with its slash, or empty), at most a thousand; undefined when the credentials may write but not list. */
  keys(prefix: string): Promise<ReadonlySet<string> | undefined>;
  /** Never replaces an object that is there already: that is a `taken` failure. */
  put(object: BucketObject): Promise<void>;
  close(): void;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Seconds until a connection must stand. */
export const CONNECT_SECONDS = 10;
/** Seconds of silence after which an upload is given up. */
export const SILENCE_SECONDS = 60;
/** Tries in all, with the library's pauses between. */
export const TRIES = 3;
