// When IsoPerf speaks of another YAML extension, and what it then asks that extension to leave alone.

export const YAML_EXTENSION = 'redhat.vscode-yaml';

/** Once, ever: when a config is open, the other extension is there, and nothing was said before. */
export function shouldGreet(wasSaid: boolean, isInstalled: (extension: string) => boolean): boolean {
  return !wasSaid && isInstalled(YAML_EXTENSION);
}

/** `yaml.disableSchemaDetection` with one file more; the order of what stands there is kept, and nothing stands twice. */
export function withFile(listed: unknown, pattern: string): readonly string[] {
  const before = Array.isArray(listed) ? listed.filter((entry) => typeof entry === 'string') : [];
  return [...new Set([...before, pattern])];
}
