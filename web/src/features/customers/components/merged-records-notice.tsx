// Merged records, with unmerge for 30 days.
import { formatDate } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { useUnmergeCustomers } from '../mutations'
import type { MergedFrom } from '../types'

export function MergedRecordsNotice({ merged, timeZone }: { merged: readonly MergedFrom[]; timeZone: string }) {
  const unmerge = useUnmergeCustomers()
  const isOnline = useOnline()
  if (merged.length === 0) return null
  return (
    <ul aria-label="Merged records" className="grid gap-2">
      {merged.map(({ mergeId, name, phoneShown, at, by, until, undoable }) => (
        <li
          key={mergeId}
          className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 rounded-field sm:flex-nowrap border border-primary/22 py-1 pr-1 pl-3"
        >
          <p className="flex min-w-0 items-start gap-2 py-1 text-note">
            <Icon name="copy" className="mt-0.5 size-4 text-primary" />
            <span className="min-w-0 wrap-anywhere">
              {name}
              {phoneShown && `, ${phoneShown},`} was merged into this record on {formatDate(at, timeZone)}
              {by && ` by ${by}`}.
              {undoable && (
                <span className="text-muted"> You can separate it until {formatDate(until, timeZone)}.</span>
              )}
            </span>
          </p>
          {undoable && (
            <Button
              variant="ghost"
              icon="undo"
              className="shrink-0"
              disabled={!isOnline}
              pending={unmerge.isPending}
              pendingText="Separating..."
              onClick={() => unmerge.mutate(mergeId)}
            >
              Separate again
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
