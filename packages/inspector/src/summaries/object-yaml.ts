import { stringify } from 'yaml';
import type { KubeObject } from 'kube-informer';
import { visibleText } from '../mask/visible.ts';

/** Maximum length; a browser would be slow with more. */
const MAX_CHARACTERS = 1_000_000;
/** Maximum length of YAML. Larger objects are encoded as JSON, which is YAML too and takes a hundredth of the time. */
const MAX_YAML_CHARACTERS = 100_000;

/** An object as YAML: apiVersion, kind and metadata first, without managedFields. */
export function objectYaml(object: KubeObject): string {
  const { apiVersion, kind, metadata, ...rest } = object;
  const { managedFields: _, ...shown } = { ...metadata } as Record<string, unknown>;
  const text = writeObjectYaml({ apiVersion, kind, metadata: shown, ...rest });
  const cut =
    text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}\n# truncated: the object is too long\n` : text;
  return visibleText(cut);
}

function writeObjectYaml(value: object): string {
  try {
    if (JSON.stringify(value).length > MAX_YAML_CHARACTERS) return `${JSON.stringify(value, undefined, 2)}\n`;
    return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
  } catch (error) {
    // Nested deeper than the stack allows. Kubernetes stores no such objects, but the page must not fail on one.
    return `# the object cannot be written as YAML: ${error instanceof Error ? error.message : 'unknown'}\n`;
  }
}
