// Guided start: one question a screen, each saved at once, and a test at the end.
import { useQuery } from '@tanstack/react-query'
import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { Navigate, useSearchParams } from 'react-router-dom'
import { isDemoMode } from '@/lib/demo'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { startMessages as texts } from './messages'
import { setupQueries } from './queries'
import { findNextStep, isStartStep, START_STEPS, type StartStep } from './start-steps'
import { type StartNav, useStartNav } from './use-start-nav'

type Screen = ComponentType<{ nav: StartNav }>

/** Each question is fetched when it is asked. */
const LOADERS: Record<StartStep, () => Promise<Screen>> = {
  business: async () => (await import('./steps/business-step')).BusinessStep,
  hours: async () => (await import('./steps/hours-step')).HoursStep,
  recipients: async () => (await import('./steps/recipients-step')).RecipientsStep,
  answer: async () => (await import('./steps/answer-step')).AnswerStep,
  number: async () => (await import('./steps/number-step')).NumberStep,
  reviews: async () => (await import('./steps/reviews-step')).ReviewsStep,
  crew: async () => (await import('./steps/crew-step')).CrewStep,
  cards: async () => (await import('./steps/cards-step')).CardsStep,
  test: async () => (await import('./steps/test-step')).TestStep,
}

const lazyStep = (step: StartStep) => lazy(async () => ({ default: await LOADERS[step]() }))

const SCREENS: Record<StartStep, Screen> = {
  business: lazyStep('business'),
  hours: lazyStep('hours'),
  recipients: lazyStep('recipients'),
  answer: lazyStep('answer'),
  number: lazyStep('number'),
  reviews: lazyStep('reviews'),
  crew: lazyStep('crew'),
  cards: lazyStep('cards'),
  test: lazyStep('test'),
}

/** So that the next question does not wait for its code. */
function fetchAhead(step: StartStep): void {
  const next = START_STEPS[START_STEPS.indexOf(step) + 1]
  // What fails here is fetched again when it is shown.
  if (next) LOADERS[next]().catch(() => undefined)
}

export function Component() {
  useDocumentTitle(texts.title)
  const [search] = useSearchParams()
  const asked = search.get('step')
  if (isDemoMode()) return <Navigate to={paths.app} replace />
  return isStartStep(asked) ? <StartScreen key={asked} step={asked} /> : <FirstMissing />
}

function StartScreen({ step }: { step: StartStep }) {
  const nav = useStartNav(step)
  const Screen = SCREENS[step]
  useEffect(() => fetchAhead(step), [step])
  return (
    <Suspense fallback={<SkeletonLines lines={5} />}>
      <Screen nav={nav} />
    </Suspense>
  )
}

/** Goes on where answers are missing. */
function FirstMissing() {
  const { orgId } = useCurrentUser()
  const steps = useQuery(setupQueries.steps(orgId))
  return (
    <QueryBoundary query={steps} skeleton={<SkeletonLines lines={5} />} errorText={texts.loadFailed}>
      {(found) => <Navigate to={paths.start(findNextStep(found))} replace />}
    </QueryBoundary>
  )
}
