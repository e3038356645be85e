import { testScenarios } from './scenario-seeds.ts';

testScenarios(2, 43, 'more seeds');
