// What lies beside or above a report folder and belongs to it: the config.yaml that several runs share, and the stack record.
import { parseDocument } from '../config/yaml/document';
import { redactText } from '../config/secrets';
import type { FolderAccess } from '../folder/access';
import type { Run } from './run';
import { parseStack, STACK_FILES, type StackRecord } from '../folder/stack';

/**
 * The run with what was found; a file that cannot be read is as good as none.
 * @param folder the run's own folder, or the one its single file lies in
 * @param name of that folder, under which a list of several servers' arguments has this run's
 * @param given a stack record that the user named: it wins over what lies about
 */
export async function withBeside(run: Run, folder: FolderAccess, name: string, given?: StackRecord): Promise<Run> {
  const above = folder.parent?.();
  const shared = above ? await sharedConfig(run, above) : {};
  const stack = given ?? (await stackBeside(run, folder, above, name));
  return { ...run, ...shared, ...(stack ? { stack } : {}) };
}

/** Several runs of one campaign often share the config.yaml of the folder above. */
async function sharedConfig(run: Run, above: FolderAccess): Promise<Partial<Run>> {
  if (run.manifest || run.config || run.configText !== undefined) return {};
  const text = await readIfThere(above, 'config.yaml');
  if (text === undefined) return {};
  const { value } = parseDocument(redactText(text));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return { configText: text, configFile: '../config.yaml', config: value as Record<string, unknown> };
}

/** In the run's own folder, else above it. */
async function stackBeside(
  run: Run,
  own: FolderAccess,
  above: FolderAccess | undefined,
  name: string,
): Promise<StackRecord | undefined> {
  if (run.manifest?.stack) return undefined;
  for (const [prefix, folder] of [['', own] as const, ...(above ? [['../', above] as const] : [])]) {
    for (const file of STACK_FILES) {
      const text = await readIfThere(folder, file);
      const parsed = text === undefined ? undefined : parseStack(text, `${prefix}${file}`, name);
      if (parsed?.ok === true) return parsed.value;
    }
  }
  return undefined;
}

async function readIfThere(folder: FolderAccess, file: string): Promise<string | undefined> {
  try {
    return await folder.readText(file);
  } catch {
    return undefined;
  }
}
