import { testScenarios } from './scenario-seeds.ts';

testScenarios(2, 43, 'more seeds');
testScenarios(1, 2, 'with the faults of the seed', false);
