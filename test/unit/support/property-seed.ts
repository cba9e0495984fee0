// Property tests draw the same inputs on every run of CI, and elsewhere say with which seed they can be run again.
import fc from 'fast-check';

const asked = process.env['FC_SEED'];
const seed = asked === undefined ? (process.env['CI'] ? 20261130 : Date.now() % 2 ** 31) : Number(asked);
if (!Number.isSafeInteger(seed)) throw new Error(`FC_SEED is no whole number: ${asked}`);

fc.configureGlobal({
  seed,
  // Beside the counterexample that fast-check prints: the command that brings it back.
  reporter: (details) => {
    if (!details.failed) return;
    throw new Error(
      `${fc.defaultReportMessage(details) ?? 'a property failed'}\nRun again with: FC_SEED=${seed} npm run unit`,
      {
        cause: details.errorInstance,
      },
    );
  },
});
