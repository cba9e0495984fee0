// How readers reach a folder, whatever file system it is on.

/** How a reader reaches a folder: no paths, so that it works over VS Code's file system, Node and tests alike. */
export interface FolderAccess {
  /** As the user named it. */
  readonly name: string;
  /** Names of the files directly inside. Rejects when the folder is not there or may not be read. */
  list(): Promise<readonly string[]>;
  /** Undefined when the file is not there. */
  readText(file: string): Promise<string | undefined>;
  /** Folders directly inside; without it, only the folder itself can be a run. */
  readonly folders?: () => Promise<readonly FolderAccess[]>;
  /** Size before reading, so that a huge file is refused instead of filling the memory. */
  readonly sizeBytes?: (file: string) => Promise<number | undefined>;
  /** The folder above, for a config.yaml that several runs share. */
  readonly parent?: () => FolderAccess;
  /** Raw bytes in pieces as they come from the disk, for files too large to hold. */
  readonly readBytes?: (file: string) => AsyncIterable<Uint8Array>;
  /** Lines without their ends, as they come from the disk; without it, `readText` is split. */
  readonly readLines?: (file: string) => AsyncIterable<string>;
}
