// Records of a JSON data set, one after the other, from files of any size: an array of objects, or one object a line.
import { createReadStream } from 'node:fs';

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, QUOTE, BACKSLASH] = [...Buffer.from('{}[]"\\')] as [
  number,
  number,
  number,
  number,
  number,
  number,
];

/** A file that is not a data set; the message names it and the record, the remedy says how to get one that is. */
export class RecordsError extends Error {
  constructor(
    message: string,
    readonly remedy = 'The file must be a JSON array of records, or one JSON record a line.',
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/**
 * Objects in the file's order. Only the bytes of one record are held at a time, because ShareGPT alone is larger than a string may
 * be. Throws RecordsError for what is not JSON, and the file system's errors.
 */
export async function* jsonRecords(file: string): AsyncGenerator<Record<string, unknown>> {
  let index = 0;
  let isBlank = true;
  const splitter = new ObjectSplitter();
  for await (const chunk of createReadStream(file)) {
    const bytes = chunk as Buffer;
    isBlank &&= bytes.every((byte) => byte <= 0x20);
    for (const text of splitter.push(bytes)) yield parseRecord(text, file, index++);
  }
  if (!splitter.isBetweenRecords) throw new RecordsError(`${file} ends inside record ${index}: it is cut off`);
  if (index === 0 && !isBlank) throw new RecordsError(`${file} holds no JSON objects`);
}

function parseRecord(text: string, file: string, index: number): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new RecordsError(`record ${index} of ${file} is not JSON: ${(error as Error).message}`, undefined, error);
  }
}

/** Cuts a byte stream into the texts of its outermost objects; what stands between them (brackets, commas, lines) is skipped. */
class ObjectSplitter {
  private depth = 0;
  private inString = false;
  private escaped = false;
  private begun: Buffer[] = [];

  get isBetweenRecords(): boolean {
    return this.depth === 0;
  }

  /** Bytes below 0x80 never occur inside a UTF-8 sequence, so bytes can be looked at one by one. */
  push(bytes: Buffer): string[] {
    const texts: string[] = [];
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (byte === BACKSLASH) this.escaped = true;
        else if (byte === QUOTE) this.inString = false;
      } else if (byte === OPEN_OBJECT) {
        if (this.depth++ === 0) start = at;
      } else if (this.depth === 0) continue;
      else if (byte === QUOTE) this.inString = true;
      else if (byte === OPEN_ARRAY) this.depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (--this.depth > 0) continue;
        texts.push(Buffer.concat([...this.begun, bytes.subarray(start, at + 1)]).toString('utf8'));
        this.begun = [];
      }
    }
    if (this.depth > 0) this.begun.push(bytes.subarray(start));
    return texts;
  }
}
