// What is not needed at a glance.
import { lazy, type ReactNode, Suspense } from 'react'
import { Outlet } from 'react-router-dom'
import type { JobRouteProps } from '@/domain/job'
import { useOnline } from '@/lib/hooks/use-online'
import { type PageAction, usePageAction } from '@/lib/hooks/use-page-action'
import { usePageTab } from '@/lib/hooks/use-page-tab'
import { t } from '@/lib/i18n'
import { SkeletonLines } from '@/ui/skeleton'
import { type Tab, TabList, TabPanel } from '@/ui/tabs'
import { ChangeOrdersCard } from '../changes/change-orders-card'
import { CostsCard } from '../costs/costs-card'
import { JobFilesPanel } from '../files/job-files-panel'
import { jobsMessages } from '../messages'
import type { JobDetail } from '../types'
import { ChecklistCard } from './checklist-card'
import { JobMoneyCard } from './money-card'
import { NotesCard } from './notes-card'
import { WorkCard } from './work-card'

// Rarely read, and fetched only with a connection.
const TimelineCard = lazy(async () => ({ default: (await import('./timeline-card')).TimelineCard }))
const AutomationCard = lazy(async () => ({ default: (await import('./automation-card')).AutomationCard }))

const TABS = [
  { name: 'work', label: t('Work') },
  { name: 'files', label: t('Files') },
  { name: 'money', label: t('Money') },
  { name: 'timeline', label: t('Timeline') },
  { name: 'automation', label: t('Automation') },
] as const satisfies readonly Tab<string>[]

type TabName = (typeof TABS)[number]['name']
const NAMES = TABS.map(({ name }) => name)

/** Where the URL's action is carried out. */
const TAB_OF_ACTION: Readonly<Partial<Record<PageAction, TabName>>> = { photos: 'files', invoice: 'money' }

type JobTabsProps = { job: JobDetail; timeZone: string }

export function JobTabs({ job, timeZone }: JobTabsProps) {
  const [action] = usePageAction()
  const { current, opened, open } = usePageTab<TabName>(NAMES, 'work', action && TAB_OF_ACTION[action])
  const content = {
    work: (
      <>
        <WorkCard job={job} />
        <ChecklistCard job={job} timeZone={timeZone} />
        <NotesCard job={job} timeZone={timeZone} />
      </>
    ),
    files: <JobFilesPanel job={job} timeZone={timeZone} />,
    money: (
      <>
        <JobMoneyCard job={job} />
        <CostsCard jobId={job.id} timeZone={timeZone} />
        <ChangeOrdersCard job={job} timeZone={timeZone} />
        <Outlet context={{ leadId: job.leadId, jobId: job.id } satisfies JobRouteProps} />
      </>
    ),
    timeline: (
      <OnlineOnly>
        <TimelineCard job={job} timeZone={timeZone} />
      </OnlineOnly>
    ),
    automation: (
      <OnlineOnly>
        <AutomationCard job={job} timeZone={timeZone} />
      </OnlineOnly>
    ),
  } satisfies Record<TabName, ReactNode>
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
      <TabList label={t('About this job')} id="job" tabs={TABS} current={current} onChange={open} />
      {NAMES.map((name) => (
        <TabPanel key={name} id="job" name={name} hidden={name !== current}>
          {opened.has(name) && (
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
              <Suspense fallback={<SkeletonLines lines={6} />}>{content[name]}</Suspense>
            </div>
          )}
        </TabPanel>
      ))}
    </div>
  )
}

function OnlineOnly({ children }: { children: ReactNode }) {
  return useOnline() ? children : <p className="text-note text-warning">{jobsMessages.offline}</p>
}
