import { compileCel, type Environment, type Program } from '../../cel/expression.ts';
import { DYN, isSameType, type Type } from '../../cel/types/type.ts';
import { type Declared, declaredVariables, policyEnvironment } from './declarations.ts';

/** A compiled expression of a policy, or the reason it does not compile. */
export interface PolicyExpression {
  readonly text: string;
  readonly program: Program | undefined;
  /** The reason the expression does not compile; `program` is undefined then. */
  readonly error: string | undefined;
  /** The type of its value; `dyn` if it does not compile. */
  readonly type: Type;
}

/** Compiles an expression whose value must have one of these types, or any type if there are none. */
export function policyExpression(
  text: string,
  declared: Declared,
  returns: readonly Type[],
  environment: Environment = policyEnvironment,
): PolicyExpression {
  const failed = (error: string): PolicyExpression => ({ text, program: undefined, error, type: DYN });
  const compiled = compileCel(text, environment, declaredVariables(declared));
  if ('issues' in compiled) return failed(`compilation failed: ${compiled.issues}`);
  if ('fault' in compiled) return failed(`program instantiation failed: ${compiled.fault}`);
  const { program } = compiled;
  if (returns.length > 0 && !returns.some((type) => isSameType(type, program.type))) {
    const wanted = returns.map(goTypeOfPolicyExpression);
    const choice = wanted.length === 1 ? wanted[0] : `one of [${wanted.join(' ')}]`;
    return failed(`must evaluate to ${choice} but got ${goTypeOfPolicyExpression(program.type)}`);
  }
  return { text, program, error: undefined, type: program.type };
}

/** The name of a type as Go prints it here; messages of the checker have shorter ones. */
const goTypeOfPolicyExpression = ({ name, parameters }: Type): string =>
  parameters.length === 0 ? name : `${name}(${parameters.map(goTypeOfPolicyExpression).join(', ')})`;
