/** The part of the interpreter that the server uses; loaded as a whole by `load.ts`. */
export { definitionRuleErrors } from './definition-rules.ts';
export { evaluateRules } from './evaluate-rules.ts';
