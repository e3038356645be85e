import { Document, isScalar, visit } from 'yaml';
import { escapeJsonText, escapeYamlText, mustEscape } from '../text/escape.ts';
import { type Safe } from '../text/safe.ts';

/** JSON without characters a terminal would interpret; any JSON parser reads the same value. */
export function jsonObjectText(value: unknown, indent = 2): Safe {
  return escapeJsonText(JSON.stringify(value, undefined, indent));
}

/** YAML without characters a terminal would interpret; `kubectl apply` reads the same value. */
export function yamlObjectText(value: unknown): Safe {
  // Quotes what YAML 1.1 reads as a boolean (`on`, `no`): Go's parser still does.
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(_, node) {
      // Line breaks make a readable block; other invisible characters can be escaped in double quotes only.
      const isHidden = typeof node.value === 'string' && mustEscape(node.value.replaceAll('\n', ''));
      if (isScalar(node) && isHidden) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeYamlText(document.toString({ lineWidth: 0 }));
}
