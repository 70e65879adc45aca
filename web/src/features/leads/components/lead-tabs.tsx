// What is not needed at a glance. On a phone the conversation is the first tab.
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { LeadPageSlot } from '@/domain/message'
import { useOnline } from '@/lib/hooks/use-online'
import { type PageAction, usePageAction } from '@/lib/hooks/use-page-action'
import { usePageTab } from '@/lib/hooks/use-page-tab'
import { t } from '@/lib/i18n'
import { SkeletonLines } from '@/ui/skeleton'
import { type Tab, TabList, TabPanel } from '@/ui/tabs'
import { EstimatesCard } from '../estimate/estimates-card'
import { leadsMessages } from '../messages'
import { LeadMoneyCard } from '../money/money-card'
import type { LeadDetail } from '../queries'
import { LeadContactCard } from './contact-card'
import { LeadSourceCard } from './lead-source-card'
import { ProgressCard } from './progress-card'

// Rarely read, and fetched only with a connection.
const HistoryTab = lazy(async () => ({ default: (await import('./history-tab')).HistoryTab }))

type TabName = 'conversation' | 'details' | 'money' | 'jobs' | 'history'

const TABS: readonly Tab<TabName>[] = [
  { name: 'conversation', label: t('Conversation') },
  { name: 'details', label: t('Details') },
  { name: 'money', label: t('Estimate and money') },
  { name: 'jobs', label: t('Jobs') },
  { name: 'history', label: t('History') },
]
const SIDE_TABS = TABS.filter(({ name }) => name !== 'conversation')

/** Where the URL's action is carried out. */
const TAB_OF_ACTION: Readonly<Partial<Record<PageAction, TabName>>> = {
  answer: 'conversation',
  schedule: 'jobs',
  assign: 'jobs',
  invoice: 'money',
}

type LeadTabsProps = {
  lead: LeadDetail
  slot: (name: LeadPageSlot) => ReactNode
  hasConversation: boolean
  timeZone: string
}

export function LeadTabs({ lead, slot, hasConversation, timeZone }: LeadTabsProps) {
  const tabs = hasConversation ? TABS : SIDE_TABS
  const names = tabs.map(({ name }) => name)
  const [action] = usePageAction()
  const implied = action && TAB_OF_ACTION[action]
  const { current, opened, open } = usePageTab(
    names,
    hasConversation ? 'conversation' : 'details',
    implied && names.includes(implied) ? implied : undefined,
  )
  const content = {
    conversation: slot('conversation'),
    details: (
      <>
        <LeadContactCard lead={lead} />
        <LeadSourceCard lead={lead} timeZone={timeZone} />
      </>
    ),
    money: (
      <>
        <EstimatesCard lead={lead} timeZone={timeZone} />
        <LeadMoneyCard lead={lead} timeZone={timeZone} />
        {slot('invoices')}
      </>
    ),
    jobs: (
      <>
        <ProgressCard lead={lead} timeZone={timeZone} />
        {slot('jobs')}
      </>
    ),
    history: <History lead={lead} timeZone={timeZone} />,
  } satisfies Record<TabName, ReactNode>
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
      <TabList label={t('About this lead')} id="lead" tabs={tabs} current={current} onChange={open} />
      {names.map((name) => (
        <TabPanel key={name} id="lead" name={name} hidden={name !== current}>
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

function History({ lead, timeZone }: { lead: LeadDetail; timeZone: string }) {
  const isOnline = useOnline()
  const [wasOnline, setWasOnline] = useState(isOnline)
  if (isOnline && !wasOnline) setWasOnline(true)
  if (!wasOnline) return <p className="text-note text-warning">{leadsMessages.historyOffline}</p>
  return <HistoryTab lead={lead} timeZone={timeZone} />
}
