// Placeholder until its owner's first commit.
import type { Command } from './command';

export const schemaCommand: Command = { name: 'schema', summary: '', help: '', run: () => Promise.resolve(1) };
