import { Document, isScalar, visit } from 'yaml';
import { escapeJson, escapeYaml, isUnsafe } from '../text/escape.ts';

/** JSON that a terminal can show and any program can read. */
export function jsonText(value: unknown, indent = 2): string {
  return escapeJson(JSON.stringify(value, undefined, indent));
}

/** YAML that a terminal can show and `kubectl apply` reads as it was meant. */
export function yamlText(value: unknown): string {
  // What YAML 1.1 would take for a boolean (`on`, `no`) is quoted: Go's reader still does.
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(_, node) {
      // Line breaks make a readable block; anything else that cannot be seen needs quotes to be escaped in.
      const isHidden = typeof node.value === 'string' && isUnsafe(node.value.replaceAll('\n', ''));
      if (isScalar(node) && isHidden) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeYaml(document.toString({ lineWidth: 0 }));
}
