// One name, unit and direction per quantity, and one way to print a number: what every table and view rests on.
import { describe, expect, it } from 'vitest';
import { rounded, signed, signedBound, signedPercent } from '../../../src/figures';
import {
  METRICS,
  printedIn,
  QUANTITIES,
  quantityNamed,
  shortLabel,
  spokenLabel,
  withUnit,
} from '../../../src/metrics/quantities';

describe('the table of quantities', () => {
  it('calls no two quantities the same', () => {
    const labels = Object.values(QUANTITIES).map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('has one quantity for each name of a comparison', () => {
    expect(METRICS).toHaveLength(13);
    expect(METRICS.map((metric) => quantityNamed(metric))).toEqual(
      METRICS.map((metric) => Object.values(QUANTITIES).find((entry) => 'metric' in entry && entry.metric === metric)),
    );
    expect(quantityNamed('request_latency')).toBe(QUANTITIES.e2e);
  });

  it('speaks of abbreviations as they are, of words in small letters', () => {
    expect(spokenLabel(QUANTITIES.ttft)).toBe('TTFT');
    expect(spokenLabel(QUANTITIES.e2e)).toBe('request latency');
    expect(shortLabel('e2e')).toBe('E2E');
    expect(shortLabel('tpot')).toBe('TPOT');
  });

  it('shows long latencies in seconds, short quantities never', () => {
    expect(printedIn(QUANTITIES.e2e, 9.99)).toEqual({ unit: 'ms', factor: 1000 });
    expect(printedIn(QUANTITIES.e2e, 10)).toEqual({ unit: 's', factor: 1 });
    expect(printedIn(QUANTITIES.ttft, 60)).toEqual({ unit: 'ms', factor: 1000 });
    expect(printedIn(QUANTITIES.prompt_tokens, 60)).toEqual({ unit: 'tokens', factor: 1 });
  });

  it('names the unit of every row but where the label has it', () => {
    expect(withUnit('Request latency p95', 's')).toBe('Request latency p95, s');
    expect(withUnit('Requests/s', 'requests/s')).toBe('Requests/s');
    expect(withUnit('Goodput', 'requests/s')).toBe('Goodput, requests/s');
  });
});

describe('figures', () => {
  it('rounds for sentences without touching the whole part', () => {
    expect([20, 1 / 3, 1234.5, 0, -0.0123456].map((value) => rounded(value))).toEqual([
      '20',
      '0.333',
      '1235',
      '0',
      '-0.0123',
    ]);
    expect([rounded(12.344, 2), rounded(1234.5, 3)]).toEqual(['12', '1230']);
  });

  it('signs a number once, and zero never', () => {
    expect([12.34, -4, 0].map((value) => signed(value))).toEqual(['+12.3', '−4.00', '0']);
    expect([0.123, -45.67, 1e7, Infinity].map(signedPercent)).toEqual([
      '+0.12 %',
      '−45.7 %',
      '+10,000,000 %',
      'over 1e300 %',
    ]);
    expect([1.234, -340.4, 0].map(signedBound)).toEqual(['+1.2', '−340', '0']);
  });
});
