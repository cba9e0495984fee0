// What the translation knows of a tool: its versions, its flags, and one row for everything that both sides can say.
import type { LoadedConfig } from '../config/load';
import type { Draft } from './draft';
import type { FlagList } from './flags';
import type { Sheet } from './sheet';

/** A command line in the making, of one stage of the config. */
export interface Back extends Sheet {
  readonly loaded: LoadedConfig;
  /** Index of the measured stage. */
  readonly stage: number;
  readonly words: string[];
}

export interface Row {
  /** Of the tool, without dashes. */
  readonly flags: readonly string[];
  /** Dotted, for the documents. */
  readonly keys: readonly string[];
  readonly from: (draft: Draft) => void;
  readonly to: (back: Back) => void;
}

export interface Tool {
  readonly name: string;
  /** What it is called on the command line, newest version last. */
  readonly title: string;
  readonly versions: readonly string[];
  /** How its commands begin: `vllm bench serve`. */
  readonly command: readonly string[];
  /** Other ways to start it. */
  readonly aliases: readonly (readonly string[])[];
  readonly flags: FlagList;
  readonly rows: readonly Row[];
  /** By flag: it changes nothing that is measured. */
  readonly dropped: Readonly<Record<string, string>>;
  /** By flag: why it has no counterpart, and what to do. */
  readonly refused: Readonly<Record<string, readonly [why: string, remedy: string]>>;
}
