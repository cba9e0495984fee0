// Other YAML extensions: IsoPerf says once, politely, that two may comment on one file, and how to keep them apart.
import * as vscode from 'vscode';
import { shouldGreet, withFile } from './neighbour-rules';
import type { Services } from './services';

const SAID = 'isoperf.saidYamlNeighbour';

/** When a config is open beside the YAML extension: offers to keep the file out of its schemas. Asked once, ever. */
export async function greetNeighbour(services: Services, document: vscode.TextDocument): Promise<void> {
  const { globalState } = services.context;
  const isInstalled = (extension: string): boolean => vscode.extensions.getExtension(extension) !== undefined;
  if (!shouldGreet(globalState.get<boolean>(SAID, false), isInstalled)) return;
  await globalState.update(SAID, true);
  const leave = 'Leave This File to IsoPerf';
  const chosen = await vscode.window.showInformationMessage(
    'The YAML extension is installed as well. IsoPerf judges benchmark configs as inference-perf does; a schema that the YAML extension finds for the same file may say otherwise.',
    leave,
    'Keep Both',
  );
  if (chosen === leave) await keepOut(document.uri);
}

/** Adds the file to yaml.disableSchemaDetection, of the workspace when there is one. */
async function keepOut(uri: vscode.Uri): Promise<void> {
  const pattern = vscode.workspace.asRelativePath(uri, false);
  const settings = vscode.workspace.getConfiguration('yaml', uri);
  const listed = settings.get<unknown>('disableSchemaDetection');
  const target = vscode.workspace.workspaceFolders
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global;
  try {
    await settings.update('disableSchemaDetection', withFile(listed, pattern), target);
  } catch {
    // An older YAML extension does not know the setting.
    void vscode.window.showInformationMessage(
      `This version of the YAML extension has no setting for that. Put "# yaml-language-server: $schema=" above the first line of ${pattern} to the same effect.`,
    );
  }
}
