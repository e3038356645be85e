import { testScenarios } from './scenario-seeds.ts';
import { FIRST_OF_KIND } from './scenarios/index.ts';

testScenarios(1, 1, 'quick', { which: (scenario) => FIRST_OF_KIND.has(scenario) });
