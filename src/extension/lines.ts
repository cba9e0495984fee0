// Text as it arrives from a process -> whole lines.
import { StringDecoder } from 'node:string_decoder';

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** What came after the last line break. */
  end(): void;
}

/** Calls back once per line, without its break; a line or a character may be split over chunks. */
export function lineSplitter(onLine: (line: string) => void): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const take = (text: string): void => {
    rest += text;
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  };
  return {
    push: (chunk) => take(decoder.write(chunk)),
    end() {
      take(decoder.end());
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}
