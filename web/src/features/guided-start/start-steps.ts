// The questions of the guided start, in their order, and the test at its end.
import type { SetupStep } from './queries'

export const QUESTIONS = [
  'business',
  'hours',
  'recipients',
  'answer',
  'number',
  'reviews',
  'crew',
  'cards',
] as const satisfies readonly SetupStep['key'][]

export type Question = (typeof QUESTIONS)[number]
export type StartStep = Question | 'test'

export const START_STEPS: readonly StartStep[] = [...QUESTIONS, 'test']

export const isStartStep = (name: string | null): name is StartStep => START_STEPS.some((step) => step === name)

/** Where to go on: the first question without an answer, else the test. */
export function findNextStep(steps: readonly SetupStep[]): StartStep {
  return QUESTIONS.find((question) => steps.some(({ key, isDone }) => key === question && !isDone)) ?? 'test'
}
