// CMP075: NaN in JSON.
import { type ReportSign, said } from '../in-report';
import type { Pitfall } from '../pitfall';

const bareNumbers: ReportSign = ({ bareNumbers: files }) =>
  files &&
  said(
    'summary',
    `${files.join(', ')}: a bare NaN or Infinity, which is not JSON, or a number beyond all range; it is read as missing`,
  );

export const CMP075: Pitfall = {
  code: 'CMP075',
  title: 'NaN in JSON',
  consequence: 'Reports can hold NaN, which is not JSON: strict readers stop, others read something else.',
  remedy: 'Read it as missing.',
  moves: ['server_metrics'],
  configPaths: [],
  source: 'RFC 8259, section 6',
  inReport: { words: 'A bare NaN or Infinity stands in a JSON file.', whole: bareNumbers },
};
