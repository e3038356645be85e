export {
  type FakeEnv,
  type FakeEnvOptions,
  FakeClock,
  fakeEnv,
  type LogLine,
  seededRandom,
  settle,
} from './fake-clock.ts';
export { EventPipe } from './event-pipe.ts';
export {
  expired,
  FakeSource,
  type FakeSourceOptions,
  type SourceCall,
  statusFailure,
  tooLarge,
} from './fake-source.ts';
export { HandlerRecorder } from './handler-recorder.ts';
