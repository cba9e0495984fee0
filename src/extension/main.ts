// Placeholder until its owner's first commit.
export function activate(): void {
  // filled by the extension's owner
}
