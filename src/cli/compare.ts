// Placeholder until its owner's first commit.
import type { Command } from './command';

export const compareCommand: Command = { name: 'compare', summary: '', help: '', run: () => Promise.resolve(1) };
