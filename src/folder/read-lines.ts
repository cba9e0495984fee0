// Lines of a file of JSON lines, as it is read. Node's readline also breaks at U+2028, from some version on, where JSON does not.

/** Ends are LF or CRLF; a last line without one counts. Rejects with what `chunks` rejects with. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      yield withoutReturn(text.slice(from, end));
      from = end + 1;
    }
    rest = text.slice(from);
  }
  rest += decoder.decode();
  if (rest !== '') yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
