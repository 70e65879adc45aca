// The rows of a view, with their keys.
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { formatCount } from '@/lib/format/number'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { useNow } from '@/lib/hooks/use-now'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { focusNeighbor, useWorkKeys } from '../lib/use-work-keys'
import type { WorkListState, WorkRows as Rows } from '../lib/use-work-list'
import { WorkClock } from '../lib/work-clock'
import { worklistMessages as texts } from '../messages'
import { canMark, type WorkMarks } from '../mutations'
import type { WorkItem, WorkView } from '../types'
import { type RowActions, WorkRow } from './work-row'

const SnoozeSheet = lazy(async () => ({ default: (await import('../actions/snooze-sheet')).SnoozeSheet }))
const AssignSheet = lazy(async () => ({ default: (await import('../actions/assign-sheet')).AssignSheet }))

const CLOCK_INTERVAL_MS = 15_000

type WorkRowsProps = { rows: Rows; list: WorkListState; view: WorkView; marks: WorkMarks }
type OpenSheet = { name: 'snooze' | 'assign'; item: WorkItem }

/** Actions that stay the same object, so that a row renders again only when its own item changes. */
function useStableActions(actions: RowActions): RowActions {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  return useMemo(
    () => ({
      done: (item) => latest.current.done(item),
      snooze: (item) => latest.current.snooze(item),
      assign: (item) => latest.current.assign(item),
      undo: (item) => latest.current.undo(item),
    }),
    [],
  )
}

export function WorkRows({ rows: { items, total }, list, view, marks }: WorkRowsProps) {
  const box = useRef<HTMLUListElement>(null)
  const now = useNow(CLOCK_INTERVAL_MS)
  const [sheet, setSheet] = useState<OpenSheet>()
  const hasKeys = useMediaQuery('(hover: hover) and (pointer: fine)', true)
  const actions: RowActions = {
    done: (item) => {
      focusNeighbor(box.current, item.key)
      marks.done(item)
    },
    snooze: (item) => canMark() && setSheet({ name: 'snooze', item }),
    assign: (item) => canMark() && setSheet({ name: 'assign', item }),
    undo: marks.undo,
  }
  const onKeyDown = useWorkKeys(
    box,
    (name, key) => {
      // Nothing happens to an item that is gone.
      const item = view === 'next' ? items.find((one) => one.key === key) : undefined
      if (item) actions[name](item)
    },
    marks.undoLast,
  )
  const stable = useStableActions(actions)
  const close = () => setSheet(undefined)
  return (
    <WorkClock value={now}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its links take the focus */}
      <ul
        ref={box}
        aria-label={texts.lists[view]}
        onKeyDown={onKeyDown}
        className="glass-card divide-y divide-primary/15 overflow-hidden"
      >
        {items.map((item) => (
          <WorkRow key={item.key} item={item} view={view} actions={stable} />
        ))}
      </ul>
      {list.hasMore && (
        <div className="grid justify-items-center gap-2 p-3">
          <p className="text-note text-muted">
            {t('{count} of {total} shown', { count: formatCount(items.length), total: formatCount(total) })}
          </p>
          <Button
            variant="secondary"
            pending={list.isLoadingMore}
            pendingText={t('Loading...')}
            onClick={list.loadMore}
          >
            {t('Show more')}
          </Button>
        </div>
      )}
      {hasKeys && view === 'next' && <p className="mt-2 text-caption text-muted">{texts.keys}</p>}
      <Suspense fallback={null}>
        {sheet?.name === 'snooze' && (
          <SnoozeSheet
            item={sheet.item}
            onClose={close}
            onPick={(until) => {
              focusNeighbor(box.current, sheet.item.key)
              marks.snooze(sheet.item, until)
            }}
          />
        )}
        {sheet?.name === 'assign' && (
          <AssignSheet item={sheet.item} onClose={close} onPick={(to) => marks.assign(sheet.item, to)} />
        )}
      </Suspense>
    </WorkClock>
  )
}
