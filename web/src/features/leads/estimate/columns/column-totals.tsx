// What an option comes to, and how it compares with the one before.
import { TotalRows } from '@/features/documents/total-rows'
import { formatMoney } from '@/lib/format/money'
import { useShownTotals } from '../use-estimate-totals'
import { columnTexts as texts } from './messages'
import { formatDifference } from './option-structure'

type ColumnTotalsProps = { optionId: string; before?: { optionId: string; name: string } | undefined }

export function ColumnTotals({ optionId, before }: ColumnTotalsProps) {
  const all = useShownTotals()
  const sums = all.find((one) => one.optionId === optionId)
  const earlier = before && all.find((one) => one.optionId === before.optionId)
  if (!sums) return null
  return (
    <div className="grid gap-1">
      <TotalRows sums={sums} />
      {before && earlier && (
        <p className="text-right text-note text-muted tabular-nums wrap-anywhere">
          {describeDifference(sums.total - earlier.total, before.name)}
        </p>
      )}
    </div>
  )
}

function describeDifference(dollars: number, before: string): string {
  const amount = formatDifference(Math.round(dollars * 100), formatMoney)
  return amount === undefined ? texts.samePrice(before) : texts.difference(amount, before)
}
