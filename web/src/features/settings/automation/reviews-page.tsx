import type { Settings } from '../types'
import { ReviewKeyCard } from './review-key-card'
import { ReviewRulesCard } from './review-rules-card'
import { AutomationSwitchesCard } from './switches-card'

export function ReviewsPage({ settings: { switches, reviews } }: { settings: Settings }) {
  return (
    <>
      <AutomationSwitchesCard switches={switches} names={['reviewCollection']} />
      <ReviewRulesCard saved={reviews} />
      <ReviewKeyCard />
    </>
  )
}
