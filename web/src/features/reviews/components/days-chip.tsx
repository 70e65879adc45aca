// Says to which days a list is narrowed, and takes that away.
import { Button } from '@/ui/button'
import { daysWords } from '../lib/days'
import { ALL_DAYS, type Days } from '../queries'

export function DaysChip({ days, onChange }: { days: Days; onChange: (days: Days) => void }) {
  const words = daysWords(days)
  if (words === undefined) return null
  return (
    <Button variant="secondary" icon="close" className="min-h-11! w-fit text-note!" onClick={() => onChange(ALL_DAYS)}>
      {words}
    </Button>
  )
}
