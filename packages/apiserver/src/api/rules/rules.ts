/** What the server uses of the interpreter; loaded as a whole by `load.ts`. */
export { definitionRuleErrors } from './definition-rules.ts';
export { evaluateRules } from './evaluate-rules.ts';
