// What the extension is before anything was asked of it.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { CONFIG, eventually, extension, openText } from './support';

describe('activation', () => {
  it('wakes for YAML, registers its commands, and leaves the language id alone', async () => {
    const document = await openText(CONFIG);
    await eventually('the extension to be active', () => (extension().isActive ? true : undefined));
    assert.equal(document.languageId, 'yaml');
    const commands = await vscode.commands.getCommands(true);
    const { contributes } = extension().packageJSON as { contributes: { commands: { command: string }[] } };
    const missing = contributes.commands.map(({ command }) => command).filter((command) => !commands.includes(command));
    assert.deepEqual(missing, []);
  });
});
