import { expect, it } from 'vitest'
import { getJobStatus } from './job'

it.each([
  ['Scheduled', true, false, 'Scheduled'],
  ['Scheduled', false, false, 'Not scheduled'],
  ['Scheduled', true, true, 'On the way'],
  ['In Progress', true, true, 'In Progress'],
  ['Completed', true, true, 'Completed'],
] as const)('job status %s, scheduled %s, on the way %s: %s', (status, isScheduled, isOnTheWay, label) =>
  expect(getJobStatus(status, isScheduled, isOnTheWay).label).toBe(label),
)
