// Placeholder until its owner's first commit.
import type { Command } from './command';

export const runCommand: Command = { name: 'run', summary: '', help: '', run: () => Promise.resolve(1) };
