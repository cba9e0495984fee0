// Identities between the client's numbers and those the server itself kept of the same time.
import { significant, whole } from '../figures';
import type { PitfallCode } from '../pitfalls/code';
import { hiddenTokens } from '../pitfalls/counts';
import { measureOf, type ReportScope, statisticOf } from '../readers/canonical';
import type { Identity } from './identity';
import { off } from './identity-math';

const ms = (seconds: number): string => `${significant(seconds * 1000)} ms`;

export function serverCount(scope: ReportScope): Identity[] {
  const server = scope.server?.count;
  const client = scope.counts.total;
  if (server === undefined || client === undefined || client === 0) return [];
  const holds = off(server, client) <= 0.05;
  const factor = server / client;
  return [
    {
      id: 'server-count',
      scope: scope.id,
      holds,
      statement: 'requests counted by the server = requests counted by the client',
      left: server,
      right: client,
      unit: 'requests',
      factor: client / server,
      tolerance: '5 %',
      ...(holds
        ? {}
        : {
            message: `the server counted ${whole(server)} requests, the client ${whole(client)}: ${significant(factor)} times as many`,
            cause:
              server === 0
                ? 'the metric is missing or renamed, or the query asks for another model: 0 is no data here'
                : 'the scrape window reaches over other stages, or counts are extrapolated, or other clients were at work',
            pitfall: 'CMP072',
          }),
    },
  ];
}

/** A client that is slower than the server: waits for visible text where the server counts hidden tokens, else its own delay. */
function pitfallOf(quantity: 'tpot' | 'ttft', factor: number, scope: ReportScope): PitfallCode {
  if (quantity === 'tpot') return factor > 1 ? 'CMP060' : 'CMP007';
  if (factor >= 1) return 'CMP072';
  return hiddenTokens(scope) === undefined ? 'CMP007' : 'CMP054';
}

/** Only where the counts agree is a difference of means a finding; elsewhere it is noted with that reservation. */
export function serverLatencies(scope: ReportScope): Identity[] {
  const server = scope.server;
  if (!server) return [];
  const counted =
    server.count !== undefined && scope.counts.total !== undefined && off(server.count, scope.counts.total) <= 0.05;
  const reservation = counted ? '' : ' (the server’s window is not the client’s: see the counts)';
  const pair = (
    id: 'server-decode' | 'server-ttft',
    quantity: 'tpot' | 'ttft',
    limit: number,
    cause: (factor: number) => string,
  ): Identity[] => {
    const left = statisticOf(scope, quantity, 'mean');
    const right = measureOf(server, quantity)?.stats['mean'];
    if (left === undefined || right === undefined || left <= 0 || right <= 0) return [];
    const factor = right / left;
    const holds = off(left, right) <= limit;
    return [
      {
        id,
        scope: scope.id,
        holds,
        statement: `mean ${quantity === 'tpot' ? 'decode time per token' : 'TTFT'} of the client = the server's`,
        left,
        right,
        unit: 's',
        factor,
        tolerance: `${limit * 100} %`,
        ...(holds
          ? {}
          : {
              message: `the client says ${ms(left)}, the server ${ms(right)}: a factor of ${significant(factor)}${reservation}`,
              cause: cause(factor),
              pitfall: pitfallOf(quantity, factor, scope),
            }),
      },
    ];
  };
  return [
    ...pair('server-decode', 'tpot', 0.15, (factor) =>
      factor > 1
        ? 'the client divided by too many tokens or time stamps'
        : 'the client received tokens later than the server made them (network, a slow client, chunks of several tokens)',
    ),
    // A TTFT is another in another window; a decode time hardly is.
    ...(counted
      ? pair('server-ttft', 'ttft', 0.25, (factor) =>
          factor < 1
            ? 'time outside the server: network, connection set-up, gateway, or waiting in the client'
            : 'the server’s window is another, or its metric contains requests of others',
        )
      : []),
  ];
}
