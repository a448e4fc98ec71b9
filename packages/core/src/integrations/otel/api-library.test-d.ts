import type * as api from '@opentelemetry/api';
import { expectTypeOf } from 'vitest';
import type { OtelApi, OtelMeter, OtelTracer } from './api-library.ts';

// The package has the members that the structural types describe.
expectTypeOf<typeof api>().toExtend<OtelApi>();

// Its tracers and meters are accepted as options.
expectTypeOf<api.Tracer>().toExtend<OtelTracer>();
expectTypeOf<api.Meter>().toExtend<OtelMeter>();
