// Placeholder until its owner's first commit.
import type { Command } from './command';

export const simulateCommand: Command = { name: 'simulate', summary: '', help: '', run: () => Promise.resolve(1) };
