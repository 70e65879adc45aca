// Merged records, with unmerge for 30 days.
import { formatDate } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { useUnmergeCustomers } from '../mutations'
import type { MergedFrom } from '../types'

type Merge = { record: string; day: string; by: string | null | undefined }

const describeMerge = ({ record, day, by }: Merge): string =>
  by
    ? t('{record} was merged into this record on {day} by {by}.', { record, day, by })
    : t('{record} was merged into this record on {day}.', { record, day })

export function MergedRecordsNotice({ merged, timeZone }: { merged: readonly MergedFrom[]; timeZone: string }) {
  const unmerge = useUnmergeCustomers()
  const isOnline = useOnline()
  if (merged.length === 0) return null
  return (
    <ul aria-label={t('Merged records')} className="grid gap-2">
      {merged.map(({ mergeId, name, phoneShown, at, by, until, undoable }) => (
        <li
          key={mergeId}
          className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 rounded-field sm:flex-nowrap border border-primary/22 py-1 pr-1 pl-3"
        >
          <p className="flex min-w-0 items-start gap-2 py-1 text-note">
            <Icon name="copy" className="mt-0.5 size-4 text-primary" />
            <span className="min-w-0 wrap-anywhere">
              {describeMerge({
                record: phoneShown ? `${name}, ${phoneShown},` : name,
                day: formatDate(at, timeZone),
                by,
              })}
              {undoable && (
                <span className="text-muted">
                  {' '}
                  {t('You can separate it until {day}.', { day: formatDate(until, timeZone) })}
                </span>
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
              pendingText={t('Separating...')}
              onClick={() => unmerge.mutate(mergeId)}
            >
              {t('Separate again')}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
