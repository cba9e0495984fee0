// A field in words, for hover and completion alike: type, unit, default, since when, what it does, other names.
import type { FieldInfo } from '../config/model/fields';
import { formatPath } from '../problem';

/** Markdown of a few lines: the facts, then the meaning. */
export function describeField(field: FieldInfo): string {
  const name = formatPath(field.path).replace(/\[\d+\]/g, '[]');
  const facts = [field.types.join(' or '), ...(field.unit === undefined ? [] : [field.unit]), standing(field)];
  if (field.since !== undefined) facts.push(`since ${field.since}`);
  const lines = [`**\`${name}\`**: ${facts.join(', ')}`, '', field.description ?? ''];
  if (field.aliases) lines.push('', `Also written ${field.aliases.map((alias) => `\`${alias}\``).join(', ')}.`);
  return lines.join('\n');
}

function standing(field: FieldInfo): string {
  if (field.whenAbsent !== undefined) return `left out: ${field.whenAbsent}`;
  if (field.default !== undefined) return `default ${shown(field.default.value)}`;
  return field.required ? 'required' : 'defaults of its own fields';
}

function shown(value: unknown): string {
  if (value === null) return 'none';
  const text = JSON.stringify(value);
  return `\`${text.length > 60 ? `${text.slice(0, 57)}...` : text}\``;
}
