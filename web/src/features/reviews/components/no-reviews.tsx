// No review yet: what brings them, and where each of it is done.
import { paths } from '@/app/paths'
import { LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { reviewsMessages } from '../messages'

export function NoReviews() {
  return (
    <div className="glass-card">
      <EmptyState
        icon="star"
        title={reviewsMessages.noneTitle}
        action={
          <div className="flex flex-wrap justify-center gap-2">
            <LinkButton to={paths.settings()} icon="external">Set your review link</LinkButton>
            <LinkButton to={paths.jobs} icon="briefcase" variant="secondary">Ask for a finished job</LinkButton>
          </div>
        }
      >
        <p>{reviewsMessages.none}</p>
        <p className="mt-2">Tell Toolbox where your public reviews stand, Google for one. Then press Request Review on a finished job, or bring the reviews that you have.</p>
      </EmptyState>
    </div>
  )
}
