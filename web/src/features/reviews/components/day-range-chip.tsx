import { Button } from '@/ui/button'
import { formatReviewDays } from '../lib/review-days'
import { ALL_DAYS, type ReviewDays } from '../queries'

export function DayRangeChip({ days, onChange }: { days: ReviewDays; onChange: (days: ReviewDays) => void }) {
  const label = formatReviewDays(days)
  if (label === undefined) return null
  return (
    <Button variant="secondary" icon="close" className="min-h-11! w-fit text-note!" onClick={() => onChange(ALL_DAYS)}>
      {label}
    </Button>
  )
}
