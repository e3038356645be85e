import { testScenarios } from './scenario-seeds.ts';

testScenarios(4, 43, 'more seeds');
