import { testScenarios } from './scenario-seeds.ts';

testScenarios(1, 1, 'quick');
