// The worklist: everybody who waits for the business, the most urgent first.
import { useState } from 'react'
import { isDemoMode } from '@/lib/demo'
import { formatCount } from '@/lib/format/number'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { ChipToggle } from '@/ui/chip-choice'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { Skeleton } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import { TabList, TabPanel } from '@/ui/tabs'
import { useWaitingCount } from '../lib/use-waiting-count'
import { useWorkList } from '../lib/use-work-list'
import { worklistMessages as texts } from '../messages'
import { useWorkMarks } from '../mutations'
import type { WorkCount, WorkView } from '../types'
import { AlertSummary } from './alert-summary'
import { CaughtUp } from './caught-up'
import { PendingMarkList } from './pending-mark-list'
import { WorkRows } from './work-rows'

const ID = 'worklist'
const TABS = (['next', 'snoozed', 'done'] as const).map((name) => ({ name, label: texts.views[name] }))

export function Worklist() {
  const { orgTimezone } = useCurrentUser()
  const [view, setView] = useState<WorkView>('next')
  const [isMine, setIsMine] = useState(false)
  const isOnline = useOnline()
  const count = useWaitingCount()
  const marks = useWorkMarks()
  const list = useWorkList(view, isMine ? 'me' : 'all')
  return (
    <section aria-labelledby={`${ID}-title`} className="grid grid-cols-[minmax(0,1fr)] content-start gap-3">
      <header className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 id={`${ID}-title`} className="text-section">
          {texts.title}
        </h2>
        {count && <p className="text-note text-muted tabular-nums">{describeCount(count)}</p>}
      </header>
      <AlertSummary />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <TabList small id={ID} label={t('Show')} tabs={TABS} current={view} onChange={setView} />
        <ChipToggle label={t('Mine')} checked={isMine} onChange={setIsMine} />
      </div>
      {!isOnline && (
        <StatusLine tone="warning" icon="offline">
          {isDemoMode() ? texts.offline.demoHint : texts.offline.hint}
        </StatusLine>
      )}
      <PendingMarkList />
      <TabPanel id={ID} name={view}>
        <QueryBoundary
          query={list.query}
          skeleton={<WorklistSkeleton />}
          errorText={texts.failed}
          timeZone={orgTimezone}
          isEmpty={({ items }) => items.length === 0 && !list.hasMore}
          empty={<Empty view={view} isMine={isMine} />}
        >
          {(rows) => <WorkRows key={view} rows={rows} list={list} view={view} marks={marks} />}
        </QueryBoundary>
      </TabPanel>
    </section>
  )
}

/** `12 waiting, 2 late`; `2,000+ waiting` */
function describeCount({ waiting, late, isCapped }: WorkCount): string {
  const count = `${formatCount(waiting)}${isCapped ? '+' : ''}`
  return late > 0
    ? t('{count} waiting, {late} late', { count, late: formatCount(late) })
    : t('{count} waiting', { count })
}

function Empty({ view, isMine }: { view: WorkView; isMine: boolean }) {
  if (view === 'next') return <CaughtUp isMine={isMine} />
  const { title, text } = texts.empty[view]
  return (
    <div className="glass-card">
      <EmptyState icon={view === 'done' ? 'check' : 'moon'} title={title}>
        <p>{text}</p>
      </EmptyState>
    </div>
  )
}

const ROWS = [0, 1, 2, 3] as const

export function WorklistSkeleton() {
  return (
    <div className="glass-card grid gap-px overflow-hidden">
      {ROWS.map((row) => (
        <div key={row} className="grid gap-3 p-3">
          <Skeleton className="h-5 w-1/2" />
          <Skeleton className="h-4 w-3/4" />
          <Skeleton className="h-8 w-1/3" />
        </div>
      ))}
    </div>
  )
}
