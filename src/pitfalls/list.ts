// Every pitfall, in the order of their codes. Written by `npm run pitfalls` from the folder catalogue/.
import { CMP001 } from './catalogue/CMP001-constant-is-bursty';
import { CMP002 } from './catalogue/CMP002-open-against-closed';
import { CMP003 } from './catalogue/CMP003-late-client';
import { CMP004 } from './catalogue/CMP004-hidden-cap';
import { CMP005 } from './catalogue/CMP005-hidden-wait';
import { CMP006 } from './catalogue/CMP006-workers-of-machine';
import { CMP007 } from './catalogue/CMP007-busy-event-loop';
import { CMP008 } from './catalogue/CMP008-no-warm-up';
import { CMP009 } from './catalogue/CMP009-mixed-summary';
import { CMP010 } from './catalogue/CMP010-ramp-and-drain';
import { CMP011 } from './catalogue/CMP011-stage-length';
import { CMP012 } from './catalogue/CMP012-few-requests';
import { CMP013 } from './catalogue/CMP013-stated-rate';
import { CMP014 } from './catalogue/CMP014-real-concurrency';
import { CMP015 } from './catalogue/CMP015-waiting-turns';
import { CMP016 } from './catalogue/CMP016-sweep-rates';
import { CMP017 } from './catalogue/CMP017-sweep-probe';
import { CMP018 } from './catalogue/CMP018-geometric-sweep';
import { CMP019 } from './catalogue/CMP019-half-a-trace';
import { CMP020 } from './catalogue/CMP020-trace-times';
import { CMP021 } from './catalogue/CMP021-raised-pause';
import { CMP022 } from './catalogue/CMP022-stopped-early';
import { CMP023 } from './catalogue/CMP023-whole-requests';
import { CMP024 } from './catalogue/CMP024-filled-in-lengths';
import { CMP025 } from './catalogue/CMP025-clamped-lengths';
import { CMP026 } from './catalogue/CMP026-two-laws';
import { CMP027 } from './catalogue/CMP027-ignored-type';
import { CMP028 } from './catalogue/CMP028-same-seed';
import { CMP029 } from './catalogue/CMP029-clock-seed';
import { CMP030 } from './catalogue/CMP030-prefix-seed';
import { CMP031 } from './catalogue/CMP031-repeated-prompts';
import { CMP032 } from './catalogue/CMP032-common-beginning';
import { CMP033 } from './catalogue/CMP033-warm-cache';
import { CMP034 } from './catalogue/CMP034-thirty-tokens';
import { CMP035 } from './catalogue/CMP035-ignore-eos';
import { CMP036 } from './catalogue/CMP036-server-stops';
import { CMP037 } from './catalogue/CMP037-sharegpt-lengths';
import { CMP038 } from './catalogue/CMP038-chat-template';
import { CMP039 } from './catalogue/CMP039-begin-token';
import { CMP040 } from './catalogue/CMP040-other-tokenizer';
import { CMP041 } from './catalogue/CMP041-dropped-requests';
import { CMP042 } from './catalogue/CMP042-few-lengths';
import { CMP043 } from './catalogue/CMP043-prefix-route';
import { CMP044 } from './catalogue/CMP044-multi-turn';
import { CMP045 } from './catalogue/CMP045-tool-time';
import { CMP046 } from './catalogue/CMP046-wait-caps';
import { CMP047 } from './catalogue/CMP047-live-answers';
import { CMP048 } from './catalogue/CMP048-tagged-copies';
import { CMP049 } from './catalogue/CMP049-dead-options';
import { CMP050 } from './catalogue/CMP050-flat-media';
import { CMP051 } from './catalogue/CMP051-no-sampling';
import { CMP052 } from './catalogue/CMP052-no-streaming';
import { CMP053 } from './catalogue/CMP053-one-streams';
import { CMP054 } from './catalogue/CMP054-visible-text';
import { CMP055 } from './catalogue/CMP055-first-connections';
import { CMP056 } from './catalogue/CMP056-joined-chunks';
import { CMP057 } from './catalogue/CMP057-itl-basis';
import { CMP058 } from './catalogue/CMP058-token-counter';
import { CMP059 } from './catalogue/CMP059-input-counter';
import { CMP060 } from './catalogue/CMP060-tpot-meaning';
import { CMP061 } from './catalogue/CMP061-empty-answers';
import { CMP062 } from './catalogue/CMP062-means-of-two';
import { CMP063 } from './catalogue/CMP063-percentiles';
import { CMP064 } from './catalogue/CMP064-default-timeout';
import { CMP065 } from './catalogue/CMP065-failures-left-out';
import { CMP066 } from './catalogue/CMP066-goodput-share';
import { CMP067 } from './catalogue/CMP067-goodput-time';
import { CMP068 } from './catalogue/CMP068-slo-headers';
import { CMP069 } from './catalogue/CMP069-errors-in-200';
import { CMP070 } from './catalogue/CMP070-null-content';
import { CMP071 } from './catalogue/CMP071-two-timeouts';
import { CMP072 } from './catalogue/CMP072-prometheus-zeros';
import { CMP073 } from './catalogue/CMP073-prometheus-lengths';
import { CMP074 } from './catalogue/CMP074-unnamed-model';
import { CMP075 } from './catalogue/CMP075-nan-in-json';
import { CMP076 } from './catalogue/CMP076-sweep-summary';
import { CMP077 } from './catalogue/CMP077-lora-shares';
import { CMP078 } from './catalogue/CMP078-saved-config';
import { CMP079 } from './catalogue/CMP079-one-place';
import { CMP080 } from './catalogue/CMP080-no-stack';
import { CMP081 } from './catalogue/CMP081-mock-server';
import { CMP082 } from './catalogue/CMP082-cut-sessions';
import { CMP083 } from './catalogue/CMP083-cache-figures';
import { CMP084 } from './catalogue/CMP084-few-connections';
import { CMP085 } from './catalogue/CMP085-unmarked-warm-up';
import { CMP086 } from './catalogue/CMP086-port-forward';
import { CMP087 } from './catalogue/CMP087-chunk-is-no-token';
import { CMP088 } from './catalogue/CMP088-end-of-request';
import { CMP089 } from './catalogue/CMP089-same-name';
import { CMP090 } from './catalogue/CMP090-single-runs';
import { CMP091 } from './catalogue/CMP091-ignored-keys';
import { CMP092 } from './catalogue/CMP092-unused-cap';
import { CMP093 } from './catalogue/CMP093-first-token';
import { CMP094 } from './catalogue/CMP094-clock-start';
import { CMP095 } from './catalogue/CMP095-percentile-method';
import { CMP096 } from './catalogue/CMP096-weighting';
import { CMP097 } from './catalogue/CMP097-sent-not-answered';
import { CMP098 } from './catalogue/CMP098-other-model';
import { CMP099 } from './catalogue/CMP099-joined-flag';
import { CMP100 } from './catalogue/CMP100-other-lengths';
import { CMP101 } from './catalogue/CMP101-other-data';
import { CMP102 } from './catalogue/CMP102-sent-again';
import { CMP103 } from './catalogue/CMP103-one-token-answers';
import { CMP104 } from './catalogue/CMP104-python-filter';
import { CMP105 } from './catalogue/CMP105-webp-is-png';
import { CMP106 } from './catalogue/CMP106-media-counts';
import { CMP107 } from './catalogue/CMP107-media-seen-before';
import type { Pitfall } from './pitfall';

export const PITFALLS: readonly Pitfall[] = [
  CMP001,
  CMP002,
  CMP003,
  CMP004,
  CMP005,
  CMP006,
  CMP007,
  CMP008,
  CMP009,
  CMP010,
  CMP011,
  CMP012,
  CMP013,
  CMP014,
  CMP015,
  CMP016,
  CMP017,
  CMP018,
  CMP019,
  CMP020,
  CMP021,
  CMP022,
  CMP023,
  CMP024,
  CMP025,
  CMP026,
  CMP027,
  CMP028,
  CMP029,
  CMP030,
  CMP031,
  CMP032,
  CMP033,
  CMP034,
  CMP035,
  CMP036,
  CMP037,
  CMP038,
  CMP039,
  CMP040,
  CMP041,
  CMP042,
  CMP043,
  CMP044,
  CMP045,
  CMP046,
  CMP047,
  CMP048,
  CMP049,
  CMP050,
  CMP051,
  CMP052,
  CMP053,
  CMP054,
  CMP055,
  CMP056,
  CMP057,
  CMP058,
  CMP059,
  CMP060,
  CMP061,
  CMP062,
  CMP063,
  CMP064,
  CMP065,
  CMP066,
  CMP067,
  CMP068,
  CMP069,
  CMP070,
  CMP071,
  CMP072,
  CMP073,
  CMP074,
  CMP075,
  CMP076,
  CMP077,
  CMP078,
  CMP079,
  CMP080,
  CMP081,
  CMP082,
  CMP083,
  CMP084,
  CMP085,
  CMP086,
  CMP087,
  CMP088,
  CMP089,
  CMP090,
  CMP091,
  CMP092,
  CMP093,
  CMP094,
  CMP095,
  CMP096,
  CMP097,
  CMP098,
  CMP099,
  CMP100,
  CMP101,
  CMP102,
  CMP103,
  CMP104,
  CMP105,
  CMP106,
  CMP107,
];
