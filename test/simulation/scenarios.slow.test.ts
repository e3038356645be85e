import { testScenarios } from './scenario-seeds.ts';
import { FIRST_OF_KIND } from './scenarios/index.ts';

testScenarios(1, 1, 'the other scenarios', { which: (scenario) => !FIRST_OF_KIND.has(scenario) });
testScenarios(2, 43, 'more seeds');
testScenarios(1, 2, 'with the faults of the seed', { pure: false });
