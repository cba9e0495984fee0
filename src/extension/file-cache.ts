// What is known of the workspace's files of one kind: a file is read when it is new or has changed, and what is left out is counted.

export interface FileCacheParts<T> {
  /** URIs of all files of the kind. */
  readonly list: () => Promise<readonly string[]>;
  /** What each file is; undefined for one that is none of ours. */
  readonly read: (uris: readonly string[]) => Promise<readonly (T | undefined)[]>;
  /** At most so many files are looked at. */
  readonly limit: () => number;
}

export interface Found<T> {
  readonly entries: readonly T[];
  /** Files beyond the limit, which nobody looked at. */
  readonly leftOut: number;
}

export class FileCache<T> {
  private uris: Set<string> | undefined;
  private readonly known = new Map<string, T | undefined>();
  private reading: Promise<Found<T>> | undefined;
  private isStale = true;

  constructor(private readonly parts: FileCacheParts<T>) {}

  /** In the order of their places, those nearest to the top first. Reads nothing twice that did not change. */
  all(): Promise<Found<T>> {
    if (this.isStale || !this.reading) {
      this.isStale = false;
      this.reading = this.lookAfter(this.reading);
    }
    return this.reading;
  }

  /** A file was written or made. */
  changed(uri: string): void {
    this.uris?.add(uri);
    this.known.delete(uri);
    this.isStale = true;
  }

  removed(uri: string): void {
    this.uris?.delete(uri);
    this.known.delete(uri);
    this.isStale = true;
  }

  /** Everything is looked at again: another folder, another limit. */
  reset(): void {
    this.uris = undefined;
    this.known.clear();
    this.isStale = true;
  }

  /** One look at a time: a second one would read what the first is at. */
  private async lookAfter(before: Promise<unknown> | undefined): Promise<Found<T>> {
    await before?.catch(() => undefined);
    const uris = (this.uris ??= new Set(await this.parts.list()));
    const ordered = [...uris].sort((a, b) => depth(a) - depth(b) || a.localeCompare(b));
    const seen = ordered.slice(0, this.parts.limit());
    const fresh = seen.filter((uri) => !this.known.has(uri));
    const values = fresh.length === 0 ? [] : await this.parts.read(fresh);
    fresh.forEach((uri, index) => this.known.set(uri, values[index]));
    const entries = seen.flatMap((uri) => {
      const value = this.known.get(uri);
      return value === undefined ? [] : [value];
    });
    return { entries, leftOut: ordered.length - seen.length };
  }
}

function depth(uri: string): number {
  return uri.split('/').length;
}
