// What an identity check says: two ways to one number, how far they are apart, and what that means.
import type { PitfallCode } from '../pitfalls/code';
import type { Caution } from '../pitfalls/in-report';

export type IdentityId =
  | 'latency-sum'
  | 'token-total'
  | 'token-rate'
  | 'request-rate'
  | 'rate-parts'
  | 'rate-length'
  | 'counts'
  | 'stage-sum'
  | 'in-flight'
  | 'pooled-gaps'
  | 'tiny-gaps'
  | 'same-as-gap'
  | 'server-decode'
  | 'server-ttft'
  | 'server-count'
  | 'order'
  | 'clock';

export interface Identity {
  readonly id: IdentityId;
  /** Scope of the report, e.g. `stage 6`. */
  readonly scope: string;
  readonly holds: boolean;
  /** The equation, in words. */
  readonly statement: string;
  /** The number as reported, or the left side. */
  readonly left: number;
  /** The number it should be. */
  readonly right: number;
  readonly unit: string;
  /** right / left: by how much the reported number is too small. */
  readonly factor?: number;
  readonly tolerance: string;
  /** What is wrong, with its figures; only where it does not hold. */
  readonly message?: string;
  readonly cause?: string;
  /** Code of the pitfall it belongs to. */
  readonly pitfall?: PitfallCode;
}

export interface Judgement {
  readonly identities: readonly Identity[];
  readonly cautions: readonly Caution[];
}
