// Guided start: one question a screen, each saved at once, and a test at the end.
import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { Navigate, useSearchParams } from 'react-router-dom'
import { isDemoMode } from '@/lib/demo'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { startMessages as texts } from './messages'
import { setupQueries } from './queries'
import { findNextStep, isStartStep, type StartStep } from './start-steps'
import { AnswerStep } from './steps/answer-step'
import { BusinessStep } from './steps/business-step'
import { CardsStep } from './steps/cards-step'
import { CrewStep } from './steps/crew-step'
import { HoursStep } from './steps/hours-step'
import { NumberStep } from './steps/number-step'
import { RecipientsStep } from './steps/recipients-step'
import { ReviewsStep } from './steps/reviews-step'
import { TestStep } from './steps/test-step'
import { type StartNav, useStartNav } from './use-start-nav'

const SCREENS: Record<StartStep, ComponentType<{ nav: StartNav }>> = {
  business: BusinessStep,
  hours: HoursStep,
  recipients: RecipientsStep,
  answer: AnswerStep,
  number: NumberStep,
  reviews: ReviewsStep,
  crew: CrewStep,
  cards: CardsStep,
  test: TestStep,
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
  return <Screen nav={nav} />
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
