// CMP017: The sweep’s probe misjudges saturation.
import { significant } from '../../figures';
import { statisticOf } from '../../readers/canonical';
import { at } from '../../readers/readers/values';
import { measuredStages, type ReportSign, said, SMALLEST_WAIT_SECONDS } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';
import { isObject } from '../../own';

/** The last stage of a sweep should just not keep up: the probe's idea of saturation against what the stage achieved. */
const probe: ReportSign = (report) => {
  const top = measuredStages(report).at(-1);
  const asked = top?.load.requestedRateRps;
  const sent = top && statisticOf(top, 'sends_per_sec', 'value');
  if (!isObject(at(report.config, 'load', 'sweep')) || !top || asked === undefined || sent === undefined)
    return undefined;
  const wait = statisticOf(top, 'schedule_delay', 'p50') ?? statisticOf(top, 'schedule_delay', 'mean');
  const share = sent / asked;
  if (share < 0.9)
    return said(
      top.id,
      `the sweep asked for ${significant(asked)} requests/s and ${significant(sent)} were sent: what the probe took for saturation was out of reach, of the server or of the client`,
    );
  if (share < 0.99 || wait === undefined || wait >= SMALLEST_WAIT_SECONDS) return undefined;
  return said(
    top.id,
    `the sweep’s highest stage of ${significant(asked)} requests/s was kept up with: saturation lies above what the probe found`,
  );
};

export const CMP017: Pitfall = {
  code: 'CMP017',
  title: 'The sweep’s probe misjudges saturation',
  consequence:
    'The top stage lies far below or above what the server can do; a cold server or a small client makes it worse.',
  remedy: 'Take the sweep for a hint and run a ladder around it.',
  moves: RATES,
  configPaths: ['load.sweep.num_requests', 'load.sweep.timeout', 'load.sweep.saturation_percentile'],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inReport: {
    words: 'The highest stage of a sweep sent under 90 % of its rate; or 99 % of it with a median wait under 10 ms.',
    whole: probe,
  },
};
