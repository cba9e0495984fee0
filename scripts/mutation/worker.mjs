// Runs the tests of one mutant after the other in one vitest: the mutated text is served in place of the file's own.
import { createVitest } from 'vitest/node';

let mutant;
const vitest = await createVitest(
  'test',
  { watch: false, bail: 1, reporters: [{}], maxWorkers: Number(process.argv[2]), testTimeout: 20_000 },
  {
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        transform: (text, id) =>
          id === mutant?.file ? text.slice(0, mutant.start) + mutant.put + text.slice(mutant.end) : undefined,
      },
    ],
  },
);
await vitest.standalone();
await vitest.globTestSpecifications();
const project = vitest.getRootProject();

process.on('message', async (next) => {
  if (mutant) vitest.invalidateFile(mutant.file);
  mutant = next;
  if (mutant.file) vitest.invalidateFile(mutant.file);
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  vitest.state.clearErrors();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    mutant.tests.map((file) => project.createSpecification(file)),
  );
  const broken = testModules.find((module) => module.state() === 'failed');
  const killer = broken?.relativeModuleId ?? (unhandledErrors.length > 0 ? 'an unhandled error' : undefined);
  process.send({ killer });
});
process.send('ready');
