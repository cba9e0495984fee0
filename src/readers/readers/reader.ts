// What every reader of another tool's results looks like: it recognises a document by its content and translates it.
import type { CanonicalReport } from '../canonical';
import type { Problem } from '../../problem';

/** One file, parsed. Readers see documents, never paths or disks. */
export interface SourceDocument {
  /** Name inside the folder. */
  readonly file: string;
  readonly format: 'json' | 'jsonl' | 'yaml' | 'text';
  /** JSON and YAML: the value. JSONL: the list of its lines' values. Text: the text. */
  readonly value: unknown;
}

/** What a reader says of a document it knows. */
export interface Recognition {
  /** What the document is to its tool: `summary`, `stage`, `records`, ... */
  readonly role: string;
  /** The keys it was recognised by, in words. */
  readonly evidence: string;
}

export interface ReaderInput {
  /** Folder or file as the user named it. */
  readonly place: string;
  readonly documents: readonly (SourceDocument & { readonly recognition: Recognition })[];
  /** A config.yaml found with the documents, parsed and masked. */
  readonly config?: ConfigDocument;
}

export interface ConfigDocument {
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** True when it lay beside or above the report and nothing in it says that it belongs to it. */
  readonly assumed: boolean;
}

export interface ReportReader {
  readonly tool: string;
  /** Undefined when the document is not this tool's. Must not throw, whatever the value is. */
  recognise(document: SourceDocument): Recognition | undefined;
  /** One report per run the documents hold. */
  read(input: ReaderInput): { readonly reports: readonly CanonicalReport[]; readonly problems: readonly Problem[] };
}
